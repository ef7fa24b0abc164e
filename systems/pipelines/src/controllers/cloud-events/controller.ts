import { type ControllerDefinition, defineController, type ReconcileContext } from '@tektite/controller';
import { formatTime, randomUid } from '@tektite/meta';
import type { Kind } from '@tektite/schema';
import type { CacheTransforms } from '../../cache/cache-transforms.ts';
import type { ConfigDefaults } from '../../config/config-defaults.ts';
import type { EventsConfig } from '../../config/events-config.ts';
import { CustomRun, PipelineRun, PipelineRunV1beta1, TaskRun, TaskRunV1beta1 } from '../../kinds/kinds.ts';
import { succeededCondition } from '../../conditions/succeeded-condition.ts';
import { type AnyRun, cloudEvent, eventType } from '../../cloud-events/cloud-event.ts';
import type { Outbox } from '../../cloud-events/outbox.ts';
import { SentEvents } from '../../cloud-events/sent-events.ts';

export interface CloudEventOptions {
  readonly events: () => EventsConfig;
  readonly defaults: () => ConfigDefaults;
  readonly transforms: CacheTransforms;
  readonly outbox: Outbox;
}

/** Send CloudEvents about runs to a sink. They read runs and never write one. */
export function cloudEventControllers(options: CloudEventOptions): readonly ControllerDefinition[] {
  const sender = new Sender(options);
  const about = (name: string, kind: Kind, sent: Kind, transform?: CacheTransforms['taskRun']) =>
    defineController({
      name: `${name}-cloud-events`,
      kind,
      // Without a sink, runs cost nothing here.
      predicate: () => sender.sink !== '',
      ...(transform ? { transform: transform as never } : {}),
      reconcile: (run, context) => sender.send(run as AnyRun, sent, context),
    });
  return [
    about('taskrun', TaskRun, TaskRunV1beta1, options.transforms.taskRun),
    about('pipelinerun', PipelineRun, PipelineRunV1beta1),
    about('customrun', CustomRun, CustomRun),
  ];
}

class Sender {
  private readonly options: CloudEventOptions;
  private readonly sent: SentEvents = new SentEvents();

  constructor(options: CloudEventOptions) {
    this.options = options;
  }

  /** Where events go; empty: nowhere. */
  get sink(): string {
    const { events, defaults } = this.options;
    return events().sink || defaults().cloudEventsSink;
  }

  async send(run: AnyRun, sent: Kind, context: ReconcileContext): Promise<undefined> {
    const { sink } = this;
    const { outbox } = this.options;
    if (sink === '') return;
    const { clock, client, random, signal } = context;
    const { namespace = '', name = '' } = run.metadata;
    const { status, reason, message } = succeededCondition(run.status) ?? {};
    const identity = [run.kind, namespace, name];
    if (!this.sent.isNew([...identity, status, reason, message], clock.now())) return;
    const type = eventType(run);
    if (!type.includes('.unknown.') && !this.sent.isNew([type, ...identity], clock.now())) return;
    // The cache does not keep all of a run.
    const content = await client.getOrUndefined(sent, { namespace, name }, { signal });
    if (!content) return;
    const event = cloudEvent(run, content, { id: randomUid(random), time: formatTime(clock.now()) });
    outbox.post(sink, event, (error) =>
      context.event(
        error
          ? { type: 'Warning', reason: 'CloudEventFailed', message: error.message }
          : { type: 'Normal', reason: 'CloudEventSent', message: `Sent ${type}` },
      ),
    );
  }
}
