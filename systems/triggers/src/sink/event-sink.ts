import type { Client } from '@tektite/client';
import type { Logger } from '@tektite/controller';
import type { EventRecorder } from '@tektite/controller/events';
import { goStructJson } from '@tektite/go';
import type { KubeObject } from '@tektite/meta';
import { statusError } from '../interceptors/interceptor.ts';
import { unmarshalMap } from '../json/unmarshal.ts';
import type { EventListenerObject, TriggerGroup } from '../kinds/event-listener.ts';
import type { TriggerObject } from '../kinds/trigger.ts';
import { payloadValidationAnnotation } from '../rules/validate-event-listener.ts';
import { CachedSecrets } from '../secrets/cached-secrets.ts';
import { resolveParams } from '../template/resolve-params.ts';
import { resolveResources } from '../template/resolve-resources.ts';
import { resolveTrigger } from '../template/resolve-trigger.ts';
import { Accounts, accountUser } from './accounts.ts';
import { type CloudEventSender, eventType, type Phase } from './cloud-events.ts';
import { createResource, resourceFrom } from './create-resource.ts';
import { newUuid } from './event-id.ts';
import { executeInterceptors, type InterceptedEvent, type InterceptorCalls } from './execute-interceptors.ts';
import { interceptorCalls } from './interceptor-calls.ts';
import { mergeTriggers, selectTriggers } from './select-triggers.ts';
import type { ResolveHost } from './send-request.ts';
import type { SinkMetrics } from './sink-metrics.ts';
import { getObject, type TriggerStore } from './trigger-store.ts';

/** A request to a listener. */
export interface SinkRequest {
  readonly namespace: string;
  readonly name: string;
  readonly body: string;
  readonly headers: InterceptedEvent['headers'];
  /** Path and query, without the part that names the listener. */
  readonly url: string;
}

export interface SinkAnswer {
  readonly code: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Resolves when all triggers are processed. Never rejects. */
  readonly processed: Promise<void>;
}

export interface EventSinkOptions {
  readonly client: Client;
  readonly store: TriggerStore;
  readonly log: Logger;
  readonly systemNamespace: string;
  readonly resolveHost: ResolveHost;
  readonly metrics: SinkMetrics;
  /** Absent: no Events, which is upstream's default. */
  readonly events?: EventRecorder;
  readonly cloudEvents: CloudEventSender;
  /** Objects are checked by the server and not created. */
  readonly dryRun?: boolean;
  readonly signal: AbortSignal;
}

/** One event on its way through a listener. */
interface Processing {
  readonly listener: EventListenerObject;
  readonly namespace: string;
  readonly user: string;
  readonly event: InterceptedEvent;
  readonly calls: InterceptorCalls;
  readonly log: Logger;
}

/**
 * Receives events for all listeners. The answer comes at once, as upstream gives it: whether triggers succeed is in the log, in
 * Events and in CloudEvents.
 */
export class EventSink {
  private readonly options: EventSinkOptions;
  private readonly accounts: Accounts;
  private readonly secrets: CachedSecrets;
  private readonly processing = new Set<Promise<void>>();

  constructor(options: EventSinkOptions) {
    this.options = options;
    this.accounts = new Accounts(options.client);
    this.secrets = new CachedSecrets(options.client);
  }

  /** How many events are being processed. */
  get pending(): number {
    return this.processing.size;
  }

  /** Resolves when all events that were accepted are processed. */
  async idle(): Promise<void> {
    await Promise.all(this.processing);
  }

  handle(request: SinkRequest): SinkAnswer {
    const { namespace, name } = request;
    const { store, metrics } = this.options;
    const listener = store.eventListeners.get(`${namespace}/${name}`);
    const invalid = payloadError(listener, request.body);
    if (invalid !== undefined) {
      metrics.received('failed');
      this.options.log.error(invalid, { namespace, name });
      return answer(400, { eventListener: name, namespace, eventListenerUID: '', errorMessage: invalid });
    }
    const eventId = this.newId();
    if (!listener) {
      metrics.received('failed');
      this.options.log.error(
        `Error getting EventListener ${name} in Namespace ${namespace}: eventlistener.triggers.tekton.dev "${name}" not found`,
      );
      return { code: 500, headers: {}, body: '', processed: Promise.resolve() };
    }
    const processed = this.process(listener, request, eventId).finally(() => this.processing.delete(processed));
    this.processing.add(processed);
    metrics.received('succeeded');
    return { ...accepted(listener, request, eventId), processed };
  }

  private newId(): string {
    return newUuid(this.options.client.random);
  }

  private async process(listener: EventListenerObject, request: SinkRequest, eventId: string): Promise<void> {
    const { namespace, name, body, headers, url } = request;
    const { store, systemNamespace, resolveHost, signal } = this.options;
    const log = this.options.log.with({ eventlistener: name, namespace, '/triggers-eventid': eventId });
    const own: Processing = {
      listener,
      namespace,
      user: accountUser(namespace, accountOf(listener)),
      event: { body, headers, extensions: {}, url, eventId },
      calls: interceptorCalls({
        store,
        systemNamespace,
        listenerNamespace: namespace,
        secrets: (where) => this.secrets.of(where),
        resolveHost,
        signal,
      }),
      log,
    };
    this.report(own, 'started');
    try {
      const selected = await selectTriggers(store, listener.spec, namespace, this.mayList(own));
      const triggers = mergeTriggers(listener, selected, store, (missing) =>
        log.error(
          `Error getting Trigger ${missing} in Namespace ${namespace}: trigger.triggers.tekton.dev "${missing}" not found`,
        ),
      );
      const groups = listener.spec.triggerGroups ?? [];
      this.report(own, 'done');
      await Promise.all([
        ...triggers.map((trigger) => this.processTrigger(own, trigger, own.event)),
        ...groups.map((group) => this.processGroup(own, group)),
      ]);
    } catch (error) {
      log.error('unable to select configured mergedTriggers', { error });
      this.report(own, 'failed', error as Error);
    }
  }

  private mayList({ user }: Processing) {
    return (namespace: string | undefined) =>
      this.accounts.may(user, {
        verb: 'list',
        group: 'triggers.tekton.dev',
        resource: 'triggers',
        ...(namespace === undefined ? {} : { namespace }),
      });
  }

  private async processGroup(own: Processing, group: TriggerGroup): Promise<void> {
    const { namespace, calls } = own;
    const log = own.log.with({ '/triggergroup': group.name });
    try {
      const triggerId = `namespaces/${namespace}/triggerGroups/${group.name}`;
      const result = await executeInterceptors(group.interceptors ?? [], own.event, { triggerId, namespace }, calls);
      if (result.stopped) {
        log.debug(`interceptor stopped trigger processing: ${statusError(result.stopped.status)}`);
        return;
      }
      const triggers = await selectTriggers(this.options.store, group.triggerSelector, namespace, this.mayList(own));
      // Upstream's triggers of a group start with the original body.
      const event = { ...result.event, body: own.event.body };
      await Promise.all(triggers.map((trigger) => this.processTrigger({ ...own, log }, trigger, event)));
    } catch (error) {
      log.error((error as Error).message);
    }
  }

  private async processTrigger(own: Processing, trigger: TriggerObject, event: InterceptedEvent): Promise<void> {
    const { name = '', namespace = '' } = trigger.metadata;
    const log = own.log.with({ '/trigger': name });
    try {
      const place = { triggerId: `namespaces/${namespace}/triggers/${name}`, namespace };
      const result = await executeInterceptors(trigger.spec.interceptors ?? [], event, place, own.calls);
      if (result.stopped) {
        log.debug(`interceptor stopped trigger processing: ${statusError(result.stopped.status)}`);
        return;
      }
      const texts = this.resolve(trigger, namespace, result.event);
      const { serviceAccountName = '' } = trigger.spec;
      const client = await this.accounts.forTrigger(own.user, namespace, serviceAccountName);
      const origin = { listener: own.listener.metadata.name ?? '', trigger: name, eventId: event.eventId, namespace };
      for (const text of texts) await this.create(client, resourceFrom(text, origin), log);
      this.report(own, 'successful');
    } catch (error) {
      log.error((error as Error).message);
    }
  }

  private resolve(trigger: TriggerObject, namespace: string, event: InterceptedEvent): readonly string[] {
    const { bindings, clusterBindings, templates } = this.options.store;
    const { params, template } = resolveTrigger(trigger.spec, {
      binding: (name) => getObject(bindings, 'triggerbinding', name, namespace),
      clusterBinding: (name) => getObject(clusterBindings, 'clustertriggerbinding', name),
      template: (name) => getObject(templates, 'triggertemplate', name, namespace),
    });
    return resolveResources(template, resolveParams(params, template.spec.params, event), this.newId());
  }

  private async create(client: Client, object: KubeObject, log: Logger): Promise<void> {
    const { dryRun, metrics } = this.options;
    const created = await createResource(client, object, dryRun);
    metrics.created(created.kind);
    const { namespace = '', name = '' } = created.metadata;
    log.info('created', { kind: created.kind, namespace, name });
  }

  private report({ listener, namespace, event }: Processing, phase: Phase, error?: Error): void {
    const { events, cloudEvents } = this.options;
    const { name = '' } = listener.metadata;
    const isWarning = error !== undefined || phase === 'failed';
    events?.event(listener, {
      type: isWarning ? 'Warning' : 'Normal',
      reason: eventType(phase),
      message: error?.message ?? '',
    });
    const url = listener.spec.cloudEventURI ?? '';
    if (url === '') return;
    const hasHeaders = phase === 'started' || phase === 'successful';
    void cloudEvents.send(url, {
      phase,
      listener: { name, namespace },
      eventId: event.eventId,
      ...(hasHeaders ? { headers: event.headers } : {}),
      hasKind: phase === 'started',
    });
  }
}

/** The account of a listener: that of its Pod template if it names one, as upstream's Pod has it. */
export function accountOf({ spec }: EventListenerObject): string {
  const pod = spec.resources?.kubernetesResource?.spec?.template?.spec;
  return pod?.serviceAccountName || spec.serviceAccountName || 'default';
}

function payloadError(listener: EventListenerObject | undefined, body: string): string | undefined {
  if (listener?.metadata.annotations?.[payloadValidationAnnotation] === 'false') return undefined;
  try {
    unmarshalMap(body);
    return undefined;
  } catch (error) {
    return `Invalid event body format : ${(error as Error).message}`;
  }
}

interface SinkBody {
  readonly eventListener: string;
  readonly namespace: string;
  readonly eventListenerUID: string;
  readonly eventID?: string;
  readonly errorMessage?: string;
}

function answer(code: number, body: SinkBody, headers: Readonly<Record<string, string>> = {}): SinkAnswer {
  const text = `${goStructJson(body)}\n`;
  return {
    code,
    headers: { 'content-type': 'application/json', ...headers },
    body: text,
    processed: Promise.resolve(),
  };
}

/** A CloudEvent is answered with one. */
function accepted({ metadata }: EventListenerObject, request: SinkRequest, eventID: string): SinkAnswer {
  const { namespace, name, headers } = request;
  const body = { eventListener: name, namespace, eventListenerUID: metadata.uid ?? '', eventID };
  const isCloudEvent =
    headers['Ce-Specversion'] !== undefined ||
    (headers['Content-Type']?.[0] ?? '').startsWith('application/cloudevents');
  if (!isCloudEvent) return answer(202, body);
  return {
    ...answer(202, body, {
      'ce-id': eventID,
      'ce-source': name,
      'ce-specversion': '1.0',
      'ce-subject': `${namespace}.${name} accepted ${eventID}`,
      'ce-type': eventType('accepted'),
    }),
    body: goStructJson(body),
  };
}
