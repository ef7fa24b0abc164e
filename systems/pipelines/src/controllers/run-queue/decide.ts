import type { PipelineRun } from '../../kinds/pipeline-run.ts';
import { isCompleted } from '../../conditions/succeeded-condition.ts';
import { concurrencyOf } from '../../rules/concurrency.ts';

/** The decision for the runs of a group. */
export interface QueueDecision {
  /** Runs that may start now. */
  readonly start: readonly PipelineRun[];
  /** Runs that have to make room. */
  readonly cancel: readonly PipelineRun[];
}

const pending = 'PipelineRunPending';

/**
 * The next runs of a group: runs start in the order of their creation, and none overtakes another. With
 * `cancel-in-progress` on the newest one, all others are cancelled, and it starts when they have completed.
 *
 * `started` are runs that the cache still shows as pending.
 */
export function decideQueue(members: readonly PipelineRun[], started: ReadonlySet<string>): QueueDecision {
  const open = members.filter(({ status }) => !isCompleted(status)).sort(byAge);
  const newest = open.at(-1);
  if (!newest) return { start: [], cancel: [] };
  const makesRoom = concurrencyOf(newest)?.strategy === 'cancel-in-progress';
  const waits = ({ spec, metadata }: PipelineRun) => spec.status === pending && !started.has(metadata.uid ?? '');
  const cancel = makesRoom ? open.filter((run) => run !== newest && !isEnding(run)) : [];
  let running = open.filter((run) => !waits(run) || cancel.includes(run)).length;
  const start: PipelineRun[] = [];
  for (const run of open.filter((each) => waits(each) && !cancel.includes(each))) {
    if (running >= (concurrencyOf(run)?.limit ?? 1)) break;
    start.push(run);
    running++;
  }
  return { start, cancel };
}

/** Whether its cancellation was requested already. */
function isEnding({ spec }: PipelineRun): boolean {
  return spec.status !== undefined && spec.status !== '' && spec.status !== pending;
}

function byAge({ metadata: a }: PipelineRun, { metadata: b }: PipelineRun): number {
  const [left, right] = [a, b].map(({ creationTimestamp = '', name = '' }) => `${creationTimestamp} ${name}`);
  return (left ?? '') < (right ?? '') ? -1 : 1;
}
