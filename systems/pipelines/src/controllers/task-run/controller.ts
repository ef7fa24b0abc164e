import { SharedReads } from '@tektite/client';
import { type ControllerDefinition, defineController, owned, requeueAfter, type Result } from '@tektite/controller';
import { formatGoDuration, formatTime, parseGoDuration } from '@tektite/meta';
import { type CachedTaskRun, isWhole } from '../../cache/cache-transforms.ts';
import { TaskRun as TaskRunKind } from '../../kinds/kinds.ts';
import { ResolutionRequest } from '../../kinds/resolution-request.ts';
import type { TaskRun } from '../../kinds/task-run.ts';
import { spanContextOf, taskRunTrace } from '../../status/span-context.ts';
import { endRun } from './act/end-run.ts';
import { previousStatus } from './decide/end.ts';
import { finish } from './act/finish.ts';
import {
  isCancelled,
  isDone,
  isOurs,
  isPending,
  started,
  succeededCondition,
  timeLeft,
  withOutcome,
} from './decide/life.ts';
import { podFailure } from './decide/pod-failure.ts';
import { prepare } from './prepare.ts';
import { reconcilePod } from './reconcile-pod.ts';
import { RunFailure, RunWaits } from '../../conditions/run-failure.ts';
import { stopSidecars } from './act/stop-sidecars.ts';
import { beginLook, limitRanges, podOf, podsOf, type TaskRunLook, type TaskRunOptions } from './task-run-look.ts';
import { statusFromPod } from './decide/status-from-pod.ts';

/** Runs TaskRuns: a Pod for each attempt, and a status that tells how it goes. */
export function taskRunController(options: TaskRunOptions): ControllerDefinition {
  const reads = new SharedReads();
  return defineController<TaskRun, CachedTaskRun>({
    name: 'taskrun',
    kind: TaskRunKind,
    transform: options.transforms.taskRun,
    sources: [podsOf(options.transforms), limitRanges, owned(ResolutionRequest)],
    reconcile: (taskRun, context) => {
      if (!isOurs(taskRun)) return undefined;
      const begin = (whole: TaskRun) => beginLook(whole, context, options, reads);
      return isWhole(taskRun) ? look(begin(taskRun)) : stopSidecars(taskRun, context, options, begin);
    },
    traceOf: (taskRun) => (isWhole(taskRun) ? taskRun.status?.spanContext : undefined),
    gone: (key) => options.metrics?.gone(key),
  });
}

/** Follows upstream's order: record the start time, then advance. */
async function look(run: TaskRunLook): Promise<Result | undefined> {
  const spanContext = spanContextOf(run.status.spanContext, run.taskRun.metadata.annotations?.[taskRunTrace]);
  if (spanContext) run.status = { ...run.status, spanContext };
  if (!isPending(run.taskRun)) run.status = started({ ...run.taskRun, status: run.status }, run.now, podOf(run));
  let waitMs: number | undefined;
  let failure: Error | undefined;
  try {
    await advance(run);
  } catch (error) {
    waitMs = explain(run, error);
    if (waitMs === undefined) failure = error as Error;
  }
  if (!isToldSoon(run)) await finish(run, failure);
  const left = timeLeft(run.taskRun, run.status, run.now);
  const next = Math.min(waitMs ?? Infinity, left ?? Infinity);
  return Number.isFinite(next) && !isDone(run.status) ? requeueAfter(Math.max(0, next)) : undefined;
}

/**
 * Whether the next look will find all this again, and tell it: it comes at once, with the news of the Pod, and often the Pod
 * has gone on by then. That spares one of three writes of a status, the dearest ones there are. Not where something was
 * found that may be different next time, such as a Task or a StepAction of somebody else's. Upstream writes twice.
 */
function isToldSoon({ hasNewPod, original, status }: TaskRunLook): boolean {
  const { taskSpec } = original.spec;
  if (!hasNewPod || !taskSpec || original.status?.conditions || status.spanContext) return false;
  return succeededCondition(status)?.reason === 'Pending' && !taskSpec.steps?.some(({ ref }) => ref);
}

async function advance(run: TaskRunLook): Promise<void> {
  const { taskRun, now } = run;
  const { name = '' } = taskRun.metadata;
  const before = succeededCondition(run.original.status);
  if (isCancelled(taskRun)) {
    const message = `TaskRun "${name}" was cancelled. ${taskRun.spec.statusMessage ?? ''}${previousStatus(before)}`;
    return endRun(run, 'TaskRunCancelled', message);
  }
  if (isPending(taskRun)) {
    const pending = { status: 'Unknown', reason: 'TaskRunPending', message: `TaskRun "${name}" is pending` } as const;
    run.status = withOutcome(run.status, pending, now);
    return;
  }
  if ((timeLeft(taskRun, run.status, now) ?? 1) <= 0) return timeOut(run);
  const failed = podFailure(run.status, taskRun, podOf(run), run.defaults, now);
  if (failed) return endRun(run, failed.reason, failed.message);
  run.isUnfit = true;
  const task = await prepare(run);
  run.isUnfit = false;
  await reconcilePod(run, task);
}

/** What the steps did until then is worth knowing. */
function timeOut(run: TaskRunLook): Promise<void> {
  const { taskRun, status, flags, now } = run;
  const pod = podOf(run);
  if (pod && status.taskSpec) {
    const facts = { pod, flags, task: status.taskSpec, log: [], ignoresFailure: false, now };
    const { steps } = statusFromPod(status, facts);
    run.status = { ...status, ...(steps ? { steps } : {}) };
  }
  const limit = formatGoDuration(parseGoDuration(taskRun.spec.timeout ?? '1h'));
  const message = `TaskRun "${taskRun.metadata.name}" failed to finish within "${limit}"`;
  return endRun(run, 'TaskRunTimeout', message + previousStatus(succeededCondition(run.original.status)));
}

/** What went wrong becomes the condition. Returns how soon to look again. Throws what may go by itself. */
function explain(run: TaskRunLook, error: unknown): number | undefined {
  if (error instanceof RunWaits) {
    const { startTime: _, ...unstarted } = run.status;
    const { reason, message } = error;
    run.status = withOutcome(
      error.stopsClock ? unstarted : run.status,
      { status: 'Unknown', reason, message },
      run.now,
    );
    return error.retryMs;
  }
  if (!(error instanceof RunFailure)) throw error;
  const ended = { ...run.status, completionTime: formatTime(run.now) };
  run.status = withOutcome(ended, { status: 'False', reason: error.reason, message: error.told }, run.now);
  return undefined;
}
