import type { EventText } from '@tektite/controller/events';
import { equalJson, type ObjectMeta } from '@tektite/meta';
import type { CachedPod } from '../../../cache/cache-transforms.ts';
import { conditionEvents, startedEvent } from '../../../conditions/condition-event.ts';
import { isCompleted, succeededCondition } from '../../../conditions/succeeded-condition.ts';
import type { RunCondition } from '../../../kinds/run-status.ts';
import type { TaskRun } from '../../../kinds/task-run.ts';
import type { TaskRunStatus } from '../../../kinds/task-run-spec.ts';
import type { TaskRunObservation } from './observation.ts';
import { type TaskRunDraft, timeLeft } from './lifecycle.ts';
import { withRelease } from './run-metadata.ts';
import { retriedStatus } from './terminate.ts';

/** The writes that end a reconcile. */
export interface TaskRunPlan {
  /** The run as observed: writes apply to this version of it. */
  readonly taskRun: TaskRun;
  /** The labels and annotations to patch; undefined when they are up to date. */
  readonly metadata?: Pick<ObjectMeta, 'labels' | 'annotations'>;
  readonly status: TaskRunStatus;
  readonly pod: PodChange | undefined;
  readonly events: readonly EventText[];
  /** The Succeeded condition; undefined for a run that has none. */
  readonly condition: RunCondition | undefined;
  /** Whether this reconcile completes the run. */
  readonly isCompletion: boolean;
  /** The Pod that has started since the last status, for its scheduling latency. */
  readonly startedPod?: CachedPod;
  /** Whether another reconcile is already queued that writes all this. */
  readonly isStatusWriteRedundant: boolean;
  readonly requeueMs?: number;
}

/** A write to the Pod of a run. */
export type PodChange =
  /** Deletes the Pod, or stops its steps where Pods of cancelled runs are kept. */
  | { readonly change: 'delete' | 'cancel'; readonly name: string }
  /** Lets the first step start. */
  | { readonly change: 'ready'; readonly pod: CachedPod };

/** The result of the phases that ran. */
export interface Conclusion {
  readonly draft: TaskRunDraft;
  readonly pod?: PodChange | undefined;
  readonly events?: readonly EventText[];
  /** The terminal error, which operators see as an Event. */
  readonly error?: Error;
  readonly retryMs?: number;
  /** The Task does not exist, or does not fit the run. */
  readonly isTaskUnfit?: boolean;
  readonly hasNewPod?: boolean;
  readonly startedPod?: CachedPod;
}

/** Turns the result of the phases into writes. A failed run with retries left starts its next attempt. */
export function conclude(observation: TaskRunObservation, conclusion: Conclusion): TaskRunPlan {
  const { taskRun, now, release } = observation;
  const { draft, error } = conclusion;
  const isStatusWriteRedundant = willBeRepeated(taskRun, conclusion);
  const status = (isStatusWriteRedundant ? undefined : retriedStatus(draft, draft.status, now)) ?? draft.status;
  const before = succeededCondition(taskRun.status);
  const condition = succeededCondition(status);
  const { labels, annotations } = withRelease(draft, release).metadata;
  const isUpToDate = equalJson(labels, taskRun.metadata.labels) && equalJson(annotations, taskRun.metadata.annotations);
  const requeueMs = delayOf(draft, status, conclusion.retryMs, now);
  return {
    taskRun,
    ...(isUpToDate ? {} : { metadata: { labels, annotations } as Pick<ObjectMeta, 'labels' | 'annotations'> }),
    status,
    pod: conclusion.pod,
    events: [
      ...(conclusion.events ?? []),
      ...(isStatusWriteRedundant ? [] : statusEvents(before, condition, conclusion.isTaskUnfit ?? false)),
      ...(error ? [{ type: 'Warning', reason: 'InternalError', message: error.message } as const] : []),
    ],
    condition,
    isCompletion: isCompleted(status) && !equalJson(before, condition),
    isStatusWriteRedundant,
    ...(conclusion.startedPod ? { startedPod: conclusion.startedPod } : {}),
    ...(requeueMs === undefined ? {} : { requeueMs }),
  };
}

/**
 * Whether the status write of this reconcile can be skipped: the event of the new Pod already queued another reconcile, which
 * writes it, often with a later state of the Pod. That saves one of three status writes of a short run; upstream writes twice.
 * Not where the next reconcile may find something else, such as an edited Task or StepAction.
 */
function willBeRepeated({ spec, status: original }: TaskRun, { draft, hasNewPod }: Conclusion): boolean {
  const { taskSpec } = spec;
  if (!hasNewPod || !taskSpec || original?.conditions || draft.status.spanContext) return false;
  return succeededCondition(draft.status)?.reason === 'Pending' && !taskSpec.steps?.some(({ ref }) => ref);
}

/** While the Task is not usable, upstream reports only the start and the end of a run: waiting and retrying show in the condition. */
function statusEvents(
  before: RunCondition | undefined,
  after: RunCondition | undefined,
  isTaskUnfit: boolean,
): readonly EventText[] {
  const events = conditionEvents(before, after);
  return isTaskUnfit ? [...new Set(events.map((event) => (isFinal(event) ? event : startedEvent)))] : events;
}

const isFinal = ({ reason }: EventText) => reason === 'Failed' || reason === 'Succeeded';

function delayOf(draft: TaskRun, status: TaskRunStatus, retryMs: number | undefined, now: number): number | undefined {
  if (isCompleted(status)) return undefined;
  const delay = Math.min(retryMs ?? Infinity, timeLeft(draft, status, now) ?? Infinity);
  return Number.isFinite(delay) ? Math.max(0, delay) : undefined;
}
