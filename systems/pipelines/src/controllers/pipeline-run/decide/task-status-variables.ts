import { type Replacements, stringReplacements } from '../../../substitution/replacements.ts';
import type { PipelineFacts } from './facts.ts';
import type { TaskState } from './task-state.ts';

/** `Succeeded`, `Failed`, or `None` while neither. */
export function statusOfTask(state: TaskState): string {
  if (state.isSuccessful()) return 'Succeeded';
  return state.hasFailedRun() ? 'Failed' : 'None';
}

/** `$(tasks.build.status)`, `$(tasks.build.reason)` and `$(tasks.status)`: how it went, for final tasks. */
export function taskStatusVariables(facts: PipelineFacts): Replacements {
  const entries: [string, string][] = [['tasks.status', aggregateStatus(facts)]];
  for (const state of facts.states)
    if (!state.isFinal)
      entries.push([`tasks.${state.name}.status`, statusOfTask(state)], [`tasks.${state.name}.reason`, state.reason()]);
  return stringReplacements(entries);
}

/** A failure that is ignored counts here all the same. */
function aggregateStatus(facts: PipelineFacts): string {
  if (!facts.areTasksDone()) return 'None';
  const tasks = facts.states.filter(({ isFinal }) => !isFinal);
  if (tasks.some((state) => state.hasFailedRun())) return 'Failed';
  return tasks.some((state) => facts.skipOf(state) !== undefined) ? 'Completed' : 'Succeeded';
}
