import type { EventText } from '@tektite/controller/events';
import { equalJson, type ObjectMeta } from '@tektite/meta';
import { conditionEvent, startedEvent } from '../../../conditions/condition-event.ts';
import { RunFailure, RunWaits } from '../../../conditions/run-failure.ts';
import { isCompleted, succeededCondition } from '../../../conditions/succeeded-condition.ts';
import type { PipelineRunStatus } from '../../../kinds/pipeline-run-spec.ts';
import type { PipelineRun } from '../../../kinds/pipeline-run.ts';
import { type PipelineRunDraft, withRunOutcome } from './lifecycle.ts';
import type { PipelineRunObservation } from './observation.ts';
import { Stopwatch, timeoutsOf } from './timeouts.ts';

/** The result of the phases that ran. */
export interface Conclusion {
  readonly draft: PipelineRunDraft;
  readonly events?: readonly EventText[];
  /** The terminal error, whose cause operators see as an Event. */
  readonly failure?: RunFailure;
  /** A transient error. The status keeps what was decided before it, then the reconcile fails. */
  readonly transient?: unknown;
  readonly retryMs?: number;
}

/** The writes that end a reconcile. */
export interface PipelineRunPlan {
  /** The run as observed: writes apply to this version of it. */
  readonly run: PipelineRun;
  /** The labels and annotations to patch; undefined when they are up to date. */
  readonly metadata?: Pick<ObjectMeta, 'labels' | 'annotations'>;
  readonly status: PipelineRunStatus;
  /** In order: the start, what phases report, the condition, the cause of a failure. */
  readonly events: readonly EventText[];
  readonly isCompletion: boolean;
  readonly requeueMs?: number;
}

export function conclude(
  { run, defaults, now }: PipelineRunObservation,
  started: PipelineRunDraft,
  { draft, events = [], failure, transient, retryMs }: Conclusion,
): PipelineRunPlan {
  const { status } = draft;
  const { labels, annotations } = draft.metadata;
  const isUpToDate = equalJson(labels, run.metadata.labels) && equalJson(annotations, run.metadata.annotations);
  const hasStarted = started.status.startTime !== run.status?.startTime;
  const changed = conditionEvent(succeededCondition((hasStarted ? started : run).status), succeededCondition(status));
  const cause = failure?.cause;
  const completed = isCompleted(status);
  const stopwatch = new Stopwatch(timeoutsOf(draft.spec, defaults.timeoutMinutes), status, now);
  const delay = Math.min(retryMs ?? Infinity, stopwatch.nextTimeout() ?? Infinity);
  return {
    run,
    ...(isUpToDate ? {} : { metadata: { labels, annotations } as Pick<ObjectMeta, 'labels' | 'annotations'> }),
    status,
    events: [
      ...(hasStarted ? [startedEvent] : []),
      ...events,
      ...(changed ? [changed] : []),
      ...(cause instanceof Error
        ? [{ type: 'Warning', reason: 'InternalError', message: cause.message } as const]
        : []),
    ],
    isCompletion: completed && transient === undefined,
    ...(completed || !Number.isFinite(delay) ? {} : { requeueMs: delay }),
  };
}

/** Turns a terminal error into the Succeeded condition, and a wait into a requeue. */
export function fail(draft: PipelineRunDraft, error: unknown, now: number): Conclusion {
  if (!(error instanceof RunWaits) && !(error instanceof RunFailure)) return { draft, transient: error };
  const isWaiting = error instanceof RunWaits;
  const { reason, message } = error;
  const status = withRunOutcome(draft.status, { status: isWaiting ? 'Unknown' : 'False', reason, message }, now);
  const failed = { ...draft, status };
  return isWaiting ? { draft: failed, retryMs: error.retryMs } : { draft: failed, failure: error };
}
