import type { EventText } from '@tektite/controller/events';
import { formatGoDuration, parseGoDuration } from '@tektite/go';
import { formatTime } from '@tektite/meta';
import type { CachedPod } from '../../cache/cache-transforms.ts';
import { RunFailure, RunWaits, userError } from '../../conditions/run-failure.ts';
import { succeededCondition, withOutcome } from '../../conditions/succeeded-condition.ts';
import type { TaskSpec } from '../../kinds/task-spec.ts';
import { exceedsNodeResources } from '../../status/pod-outcome.ts';
import { spanContextOf, taskRunTrace } from '../../status/span-context.ts';
import type { TerminationEntry } from '../../status/termination-message.ts';
import { checkResults } from '../../status/validate-results.ts';
import { isCancelled, isPending, startedStatus, type TaskRunDraft, timeLeft, withStatus } from './decide/lifecycle.ts';
import type { Conclusion, PodChange } from './decide/plan.ts';
import { podFailure } from './decide/pod-failure.ts';
import { statusFromPod } from './decide/status-from-pod.ts';
import { areSidecarsReady } from './decide/task-run-pod.ts';
import { previousStatus, terminatedStatus } from './decide/terminate.ts';
import type { TaskRunObservation } from './decide/observation.ts';

/** Starts the run: the draft has a start time, unless the run is pending. */
export function start({ taskRun, pod, now }: TaskRunObservation): TaskRunDraft {
  const status = taskRun.status ?? { podName: '' };
  const spanContext = spanContextOf(status.spanContext, taskRun.metadata.annotations?.[taskRunTrace]);
  const traced = { ...taskRun, status: spanContext ? { ...status, spanContext } : status };
  return isPending(taskRun) ? traced : { ...traced, status: startedStatus(traced, now, pod) };
}

/**
 * Decides whether the run must not advance, in upstream's order: it is cancelled, pending, timed out, or its Pod cannot start.
 * Returns undefined for a run that advances.
 */
export function stop(observation: TaskRunObservation, draft: TaskRunDraft): Conclusion | undefined {
  const { taskRun, pod, defaults, now } = observation;
  const { name = '' } = taskRun.metadata;
  if (isCancelled(taskRun)) {
    const previous = previousStatus(succeededCondition(taskRun.status));
    const message = `TaskRun "${name}" was cancelled. ${taskRun.spec.statusMessage ?? ''}${previous}`;
    return terminate(observation, draft, 'TaskRunCancelled', message);
  }
  if (isPending(taskRun)) {
    const outcome = { status: 'Unknown', reason: 'TaskRunPending', message: `TaskRun "${name}" is pending` } as const;
    return { draft: { ...draft, status: withOutcome(draft.status, outcome, now) } };
  }
  if ((timeLeft(taskRun, draft.status, now) ?? 1) <= 0) return timeOut(observation, draft);
  const failed = podFailure(draft.status, taskRun, pod, defaults, now);
  return failed && terminate(observation, draft, failed.reason, failed.message);
}

/** Keeps the states that the steps have reached. */
function timeOut(observation: TaskRunObservation, draft: TaskRunDraft): Conclusion {
  const { taskRun, pod, flags, now } = observation;
  const { taskSpec: task } = draft.status;
  const { steps } =
    pod && task ? statusFromPod(draft.status, { pod, flags, task, log: [], ignoresFailure: false, now }) : {};
  const limit = formatGoDuration(parseGoDuration(taskRun.spec.timeout ?? '1h'));
  const previous = previousStatus(succeededCondition(taskRun.status));
  const message = `TaskRun "${taskRun.metadata.name}" failed to finish within "${limit}"${previous}`;
  return terminate(observation, steps ? withStatus(draft, { steps }) : draft, 'TaskRunTimeout', message);
}

const keepingReasons = new Set(['TaskRunCancelled', 'TaskRunTimeout']);

/** Fails the run and ends its Pod, which is deleted unless Pods of cancelled runs are kept. */
export function terminate(
  { flags, now }: TaskRunObservation,
  draft: TaskRunDraft,
  reason: string,
  message: string,
): Conclusion {
  const { podName: name } = draft.status;
  const change = flags.enableKeepPodOnCancel && keepingReasons.has(reason) ? 'cancel' : 'delete';
  return {
    draft: { ...draft, status: terminatedStatus(draft, draft.status, { reason, message }, now) },
    pod: name ? { change, name } : undefined,
  };
}

/** The state of an attempt that has a Pod. */
export interface Attempt {
  readonly draft: TaskRunDraft;
  /** The Task before its variables were replaced. */
  readonly task: TaskSpec;
  readonly pod: CachedPod;
  readonly hasNewPod: boolean;
}

/** Derives the status of a run from its Pod, and lets the first step start once the sidecars are ready. */
export function decideStatus(
  { taskRun, flags, now }: TaskRunObservation,
  { draft, task, pod, hasNewPod }: Attempt,
  log: readonly TerminationEntry[],
): Conclusion {
  const ignoresFailure = draft.metadata.annotations?.['pipeline.tekton.dev/pipeline-task-on-error'] === 'continue';
  const status = statusFromPod(draft.status, { pod, flags, task, log, ignoresFailure, now });
  const hasStarted = pod.status?.phase === 'Running' && succeededCondition(taskRun.status)?.reason !== 'Running';
  const common = {
    pod: readiness(pod),
    events: podEvents(pod),
    hasNewPod,
    ...(hasStarted ? { startedPod: pod } : {}),
  };
  const declared = [...(draft.spec.taskSpec?.results ?? []), ...(task.results ?? [])];
  const { results, violation } = checkResults(status.results ?? [], declared);
  if (violation === undefined) return { draft: { ...draft, status }, ...common };
  const { results: _, ...rest } = status;
  const valid = { ...draft, status: { ...rest, ...(results.length > 0 ? { results } : {}) } };
  return { ...fail(valid, userError('TaskRunValidationFailed', violation), now), ...common };
}

function readiness(pod: CachedPod): PodChange | undefined {
  if (pod.metadata.annotations?.['tekton.dev/ready'] === 'READY' || !areSidecarsReady(pod)) return undefined;
  return { change: 'ready', pod };
}

function podEvents(pod: CachedPod): readonly EventText[] {
  if (!exceedsNodeResources(pod)) return [];
  const message = `Insufficient resources to schedule pod "${pod.metadata.name}"`;
  return [{ type: 'Warning', reason: 'ExceededNodeResources', message }];
}

/** Turns a terminal error into the Succeeded condition, and a wait into a requeue. Rethrows transient errors. */
export function fail(draft: TaskRunDraft, error: unknown, now: number): Conclusion {
  if (error instanceof RunWaits) {
    const { startTime: _, ...unstarted } = draft.status;
    const { reason, message, retryMs } = error;
    const status = error.stopsClock ? unstarted : draft.status;
    return { draft: { ...draft, status: withOutcome(status, { status: 'Unknown', reason, message }, now) }, retryMs };
  }
  if (!(error instanceof RunFailure)) throw error;
  const ended = { ...draft.status, completionTime: formatTime(now) };
  const outcome = { status: 'False', reason: error.reason, message: error.conditionMessage } as const;
  return { draft: { ...draft, status: withOutcome(ended, outcome, now) }, error };
}
