import { mergePatch } from '@tektite/client';
import {
  type ControllerDefinition,
  defineController,
  generationChanged,
  owned,
  type ReconcileContext,
  requeueAfter,
  type Result,
} from '@tektite/controller';
import { equalJson, isStatusError } from '@tektite/meta';
import { type CachedPipelineRun, type CacheTransforms, isWhole } from '../../cache/cache-transforms.ts';
import type { ConfigDefaults } from '../../config/config-defaults.ts';
import type { FeatureFlags } from '../../config/feature-flags.ts';
import { PipelineRun as PipelineRunKind } from '../../kinds/kinds.ts';
import type { PipelineRun } from '../../kinds/pipeline-run.ts';
import type { PipelineRunStatus } from '../../kinds/pipeline-run-spec.ts';
import type { RunCondition } from '../../kinds/run-status.ts';
import { ResolutionRequest } from '../../kinds/resolution-request.ts';
import { Stopwatch, timeoutsOf } from './decide/timeouts.ts';
import { timeoutMessage } from './decide/condition.ts';
import { isCompleted, succeededCondition } from '../../conditions/succeeded-condition.ts';
import { isManaged, pipelineLabelOf, startedStatus, withRunOutcome } from './decide/lifecycle.ts';
import { withPipelineLabel } from './decide/run-labels.ts';
import { conditionEvent } from '../../conditions/condition-event.ts';
import { pipelineRunTrace, spanContextOf } from '../../status/span-context.ts';
import { RunFailure, RunWaits } from '../../conditions/run-failure.ts';
import { cleanUpVolumes } from './act/affinity-assistants.ts';
import { childCaches, knownChildren } from './observe/child-caches.ts';
import { endChildren } from './act/end-children.ts';
import { FinishedTasks } from './observe/finished-tasks.ts';
import { PreparedPipelines } from './decide/prepare-pipeline.ts';
import type { PipelineRunServices } from './pipeline-run-services.ts';
import { runPipeline } from './run-pipeline.ts';

export interface PipelineRunOptions {
  readonly flags: () => FeatureFlags;
  readonly defaults: () => ConfigDefaults;
  /** The image of affinity assistants. */
  readonly nopImage: string;
  /** What caches keep. */
  readonly transforms: CacheTransforms;
}

/** What all looks share. */
type Memory = Pick<PipelineRunServices, 'pipelines' | 'finished' | 'children'>;

const requests = owned(ResolutionRequest);

/** Runs PipelineRuns: TaskRuns, CustomRuns and PipelineRuns for its tasks, and a status that tells how it goes. */
export function pipelineRunController(options: PipelineRunOptions): ControllerDefinition {
  const children = childCaches(options.transforms);
  const memory: Memory = { pipelines: new PreparedPipelines(), finished: new FinishedTasks(), children };
  return defineController<PipelineRun, CachedPipelineRun>({
    name: 'pipelinerun',
    kind: PipelineRunKind,
    transform: options.transforms.pipelineRun,
    predicate: generationChanged(),
    traceOf: (run) => (isWhole(run) ? run.status?.spanContext : undefined),
    sources: [children.taskRuns, children.customRuns, children.pipelineRuns, requests],
    reconcile: (run, context) => {
      if (!isManaged(run) || run.metadata.deletionTimestamp) return undefined;
      const services = servicesOf(context, options, memory);
      return isWhole(run) ? new PipelineRunWork(run, services).run() : cleanUpVolumes(run, services);
    },
  });
}

function servicesOf(context: ReconcileContext, options: PipelineRunOptions, memory: Memory): PipelineRunServices {
  const { client, signal, random } = context;
  return {
    context,
    flags: options.flags(),
    defaults: options.defaults(),
    remote: {
      client,
      signal,
      random,
      settings: options,
      findRequest: ({ namespace, name }) => context.cache(requests).get(`${namespace}/${name}`),
    },
    nopImage: options.nopImage,
    now: context.clock.now(),
    ...memory,
  };
}

/** One look at one PipelineRun, in the order in which Tekton looks. */
class PipelineRunWork {
  /** With the labels and annotations that it is to have. */
  private current: PipelineRun;
  private readonly original: PipelineRun;
  private readonly services: PipelineRunServices;
  private status: PipelineRunStatus;
  /** The condition that users were told of last. */
  private told: RunCondition | undefined;

  constructor(run: PipelineRun, services: PipelineRunServices) {
    this.current = run;
    this.original = run;
    const spanContext = spanContextOf(run.status?.spanContext, run.metadata.annotations?.[pipelineRunTrace]);
    this.status = spanContext ? { ...run.status, spanContext } : (run.status ?? {});
    this.told = succeededCondition(run.status);
    this.services = services;
  }

  async run(): Promise<Result | undefined> {
    if (!this.isPending()) this.start();
    let waitMs: number | undefined;
    let lasting: unknown;
    try {
      await this.advance();
    } catch (error) {
      if (!(error instanceof RunWaits) && !(error instanceof RunFailure)) {
        // What was worked out so far is kept, such as why children could not be ended.
        await this.write();
        throw error;
      }
      waitMs = this.explain(error);
      lasting = error;
    }
    await this.write();
    if (lasting instanceof RunFailure) this.tellCause(lasting);
    if (isCompleted(this.status)) {
      this.services.pipelines.forget(this.original);
      this.services.finished.forget(this.original);
      await cleanUpVolumes(this.current, this.services);
      return undefined;
    }
    const next = Math.min(waitMs ?? Infinity, this.stopwatch().nextLook() ?? Infinity);
    return Number.isFinite(next) ? requeueAfter(next) : undefined;
  }

  private isPending(): boolean {
    return this.current.spec.status === 'PipelineRunPending';
  }

  private stopwatch(): Stopwatch {
    const { defaults, now } = this.services;
    return new Stopwatch(timeoutsOf(this.current.spec, defaults.timeoutMinutes), this.status, now);
  }

  private start(): void {
    const before = this.status;
    this.status = startedStatus({ ...this.current, status: before }, this.services.now);
    if (before === this.status) return;
    this.told = succeededCondition(this.status);
    this.services.context.event({ type: 'Normal', reason: 'Started', message: '' });
  }

  private async advance(): Promise<void> {
    const { name = '' } = this.current.metadata;
    const stopwatch = this.stopwatch();
    this.status = { ...this.status, ...this.withChildren() };
    if (stopwatch.isPipelineLongOver()) return this.timeOut(stopwatch.timeouts.pipeline);
    const label = pipelineLabelOf(this.current);
    if (label === undefined) throw new Error(`pipelineRun ${name} not providing PipelineRef or PipelineSpec`);
    this.current = withPipelineLabel(this.current, label);
    if (this.current.spec.status === 'Cancelled') return this.cancel();
    if (this.isPending()) {
      const message = `PipelineRun "${name}" is pending`;
      this.outcome('Unknown', 'PipelineRunPending', message);
      return;
    }
    const progress = { run: { ...this.current, status: this.status } };
    try {
      await runPipeline(progress, this.services);
    } finally {
      const { status = {}, ...run } = progress.run;
      this.current = run as PipelineRun;
      this.status = status;
    }
  }

  /** All children there are, also those that the status does not know yet. */
  private withChildren(): PipelineRunStatus {
    const children = knownChildren({ ...this.current, status: this.status }, this.services);
    return children.length > 0 ? { childReferences: children } : {};
  }

  private async cancel(): Promise<void> {
    const { name = '' } = this.current.metadata;
    const errors = await endChildren(this.current, this.status.childReferences ?? [], 'cancelled', this.services);
    if (errors.length === 0) {
      this.outcome('False', 'Cancelled', `PipelineRun "${name}" was cancelled`);
      return;
    }
    const text = errors.join('\n');
    const words = `was cancelled but had errors trying to cancel TaskRuns and/or Runs: ${text}`;
    this.outcome('Unknown', 'PipelineRunCouldntCancel', `PipelineRun "${name}" ${words}`);
    throw new Error(`error(s) from cancelling TaskRun(s) from PipelineRun ${name}: ${text}`);
  }

  /** Nobody looked for so long that there is no use in looking further. */
  private async timeOut(limit: number): Promise<void> {
    const { name = '' } = this.current.metadata;
    const errors = await endChildren(this.current, this.status.childReferences ?? [], 'timedOut', this.services);
    if (errors.length > 0)
      throw new Error(`error(s) from timing out TaskRun(s) from PipelineRun ${name}: ${errors.join('\n')}`);
    this.outcome('False', 'PipelineRunTimeout', timeoutMessage(name, limit));
  }

  private outcome(status: 'True' | 'False' | 'Unknown', reason: string, message: string): void {
    this.status = withRunOutcome(this.status, { status, reason, message }, this.services.now);
  }

  /** What went wrong becomes the condition. Returns how soon to look again. */
  private explain(error: RunWaits | RunFailure): number | undefined {
    const isWaiting = error instanceof RunWaits;
    this.outcome(isWaiting ? 'Unknown' : 'False', error.reason, error.message);
    return isWaiting ? error.retryMs : undefined;
  }

  private tellCause({ cause }: RunFailure): void {
    if (!(cause instanceof Error)) return;
    this.services.context.event({ type: 'Warning', reason: 'InternalError', message: cause.message });
  }

  /** Labels before the status: what the Pipeline says of itself is only taken over until its spec is in the status. */
  private async write(): Promise<void> {
    const { context } = this.services;
    const { labels, annotations } = this.current.metadata;
    const { metadata } = this.original;
    let target = this.original;
    if (!equalJson(labels, metadata.labels) || !equalJson(annotations, metadata.annotations)) {
      const key = { namespace: metadata.namespace ?? '', name: metadata.name ?? '' };
      const patch = mergePatch({ metadata: { labels, annotations } });
      const { metadata: written } = await context.client.patch(PipelineRunKind, key, patch, { signal: context.signal });
      target = { ...this.original, metadata: { ...metadata, resourceVersion: written.resourceVersion ?? '' } };
    }
    await this.writeStatus(target);
    const event = conditionEvent(this.told, succeededCondition(this.status));
    if (event) context.event(event);
  }

  /** What was done has to be told, also when a user changed their mind at the same moment: only a status that somebody else wrote is in the way. */
  private async writeStatus(target: PipelineRun): Promise<void> {
    const { context } = this.services;
    try {
      await context.writeStatus(target, this.status);
    } catch (error) {
      if (!isStatusError(error, 'Conflict')) throw error;
      const { namespace = '', name = '', uid } = target.metadata;
      const latest = await context.client.get(PipelineRunKind, { namespace, name }, { signal: context.signal });
      if (latest.metadata.uid !== uid || !equalJson(latest.status ?? {}, target.status ?? {})) throw error;
      await context.writeStatus(latest, this.status);
    }
  }
}
