import type { RunOutcome } from '../../../conditions/succeeded-condition.ts';
import type { PipelineFacts } from './facts.ts';
import { skipReasons } from './skip.ts';
import type { TaskState } from './task-state.ts';
import { formatTimeout } from './timeouts.ts';

interface Counts {
  succeeded: number;
  failed: number;
  ignored: number;
  cancelled: number;
  invalid: number;
  skipped: number;
  skippedByTimeout: number;
  incomplete: number;
}

const maxExplanationLength = 1024;

/** How a run goes: its `Succeeded` condition, with the counts that people and programs read. */
export function pipelineOutcome(facts: PipelineFacts, name: string): RunOutcome {
  const { stopwatch } = facts;
  const { pipeline, tasks = 0 } = stopwatch.timeouts;
  const timedOut = (message: string): RunOutcome => ({ status: 'False', reason: 'PipelineRunTimeout', message });
  if (stopwatch.isPipelineOver()) return timedOut(timeoutMessage(name, pipeline));
  if (stopwatch.areTasksOver() && (!facts.hasFinalTasks() || facts.areFinalTasksDone()))
    return timedOut(`PipelineRun "${name}" failed due to tasks failed to finish within "${formatTimeout(tasks)}"`);
  const counts = countTasks(facts);
  return counts.incomplete === 0 ? ended(facts, counts, name) : running(facts, counts);
}

export function timeoutMessage(name: string, limit: number): string {
  return `PipelineRun "${name}" failed to finish within "${formatTimeout(limit)}"`;
}

function ended(facts: PipelineFacts, counts: Counts, name: string): RunOutcome {
  const { succeeded, failed, ignored, cancelled, invalid, skipped } = counts;
  const completed = succeeded + failed + cancelled + ignored;
  const ofThem = ignored > 0 ? ` (Ignored: ${ignored})` : '';
  const message =
    `Tasks Completed: ${completed} (Failed: ${failed + ignored}${ofThem}, Cancelled ${cancelled}), Skipped: ${skipped}` +
    (invalid > 0 ? `, Failed Validation: ${invalid}${explanations(facts)}` : '');
  if (invalid > 0) return { status: 'False', reason: 'PipelineValidationFailed', message };
  if (failed > 0 || counts.skippedByTimeout > 0) return { status: 'False', reason: 'Failed', message };
  if (facts.specStatus === 'CancelledRunFinally' || facts.specStatus === 'StoppedRunFinally')
    return { status: 'False', reason: 'Cancelled', message: `PipelineRun "${name}" was cancelled` };
  if (cancelled > 0) return { status: 'False', reason: 'Cancelled', message };
  return { status: 'True', reason: skipped > 0 ? 'Completed' : 'Succeeded', message };
}

function explanations(facts: PipelineFacts): string {
  const errors = [...facts.invalid].sort(([a], [b]) => (a.name < b.name ? -1 : 1)).map(([, error]) => error);
  if (errors.length === 0) return '';
  const text = errors.join('; ');
  return ` (${text.length > maxExplanationLength ? `${text.slice(0, maxExplanationLength)}...` : text})`;
}

function running(facts: PipelineFacts, counts: Counts): RunOutcome {
  const { succeeded, failed, ignored, cancelled, skipped, incomplete } = counts;
  const completed = succeeded + failed + cancelled + ignored;
  const message = `Tasks Completed: ${completed} (Failed: ${failed}, Cancelled ${cancelled}), Incomplete: ${incomplete}, Skipped: ${skipped}`;
  return { status: 'Unknown', reason: runningReason(facts, counts), message };
}

function runningReason(facts: PipelineFacts, { cancelled, failed }: Counts): string {
  if (facts.stopwatch.areTasksOver() && facts.hasFinalTasks() && !facts.areFinalTasksDone())
    return 'PipelineRunTimeoutRunningFinally';
  if (facts.specStatus === 'CancelledRunFinally') return 'CancelledRunningFinally';
  if (facts.specStatus === 'StoppedRunFinally') return 'StoppedRunningFinally';
  return cancelled > 0 || (failed > 0 && facts.areFinalTasksDone()) ? 'PipelineRunStopping' : 'Running';
}

function countTasks(facts: PipelineFacts): Counts {
  const counts: Counts = {
    succeeded: 0,
    failed: 0,
    ignored: 0,
    cancelled: 0,
    invalid: 0,
    skipped: 0,
    skippedByTimeout: 0,
    incomplete: 0,
  };
  for (const state of facts.states) {
    const place = placeOf(state, facts);
    counts[place]++;
    if (place === 'skippedByTimeout') counts.skipped++;
  }
  return counts;
}

const byTimeout = new Set<string | undefined>([skipReasons.pipelineTimeout, skipReasons.tasksTimeout]);

/** A final task that is skipped because the timeout of the whole run expired does not count as such upstream. */
function placeOf(state: TaskState, facts: PipelineFacts): keyof Counts {
  if (state.isSuccessful()) return 'succeeded';
  if (state.isCancelledForTimeout()) return 'failed';
  if (state.isCancelled()) return 'cancelled';
  if (state.isFailure()) return state.ignoresFailure ? 'ignored' : 'failed';
  if (facts.isInvalid(state)) return 'invalid';
  const final = facts.skipOfFinal(state);
  if (byTimeout.has(facts.skipOf(state)) || final === skipReasons.finallyTimeout) return 'skippedByTimeout';
  return facts.skipOf(state) !== undefined || final !== undefined ? 'skipped' : 'incomplete';
}
