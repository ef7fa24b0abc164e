import type { ParamType, ParamValue } from '../kinds/param.ts';
import { typeOfValue } from '../kinds/param.ts';
import type { RunResult } from '../kinds/run-status.ts';
import type { TaskResult } from '../kinds/task-spec.ts';
import { findStepResult } from '../substitution/find-step-result.ts';
import { entryTypes, type TerminationEntry } from './termination-message.ts';

type ResultEntry = typeof entryTypes.taskResult | typeof entryTypes.stepResult;
interface Declared {
  readonly name: string;
  readonly type?: ParamType;
}

/** The results among the entries, one for each. */
export function resultsOf(
  entries: readonly TerminationEntry[],
  type: ResultEntry,
  declared: readonly Declared[],
): readonly RunResult[] {
  return entries
    .filter((entry) => entry.type === type)
    .map(({ key, value }) => readResult(key, value, declared.find(({ name }) => name === key)?.type));
}

/** A result that is declared as text is text, whatever it looks like. Others are JSON, if they can be read as such. */
export function readResult(name: string, text: string, type: RunResult['type']): RunResult {
  const value = type === 'string' ? text : readValue(text);
  return { name, type: typeOfValue(value), value };
}

/** As Go reads it: only what begins as a list or map is one, and the items have to be texts. */
function readValue(text: string): ParamValue {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return text;
  }
  if (value === null) return '';
  if (typeof value === 'string') return value;
  if (text.startsWith('[') && Array.isArray(value) && value.every(isText)) return value.map((item) => item ?? '');
  if (text.startsWith('{') && Object.values(value as object).every(isText))
    return Object.fromEntries(
      Object.entries(value as Record<string, string | null>).map(([key, item]) => [key, item ?? '']),
    );
  return text;
}

const isText = (item: unknown): item is string | null => typeof item === 'string' || item === null;

/** The last value of a result counts, in the place of the first. */
export function uniqueResults(results: readonly RunResult[]): readonly RunResult[] {
  return [...new Map(results.map((result) => [result.name, result])).values()];
}

/** The results of a Task that are results of this step. */
export function taskResultsOfStep(
  container: string,
  stepResults: readonly RunResult[],
  declared: readonly TaskResult[],
): readonly RunResult[] {
  const wanted = new Map<string, string>();
  for (const { name, value } of declared) {
    const found = typeof value === 'string' && value !== '' ? findStepResult(value) : undefined;
    if (found && `step-${found.step}` === container) wanted.set(found.result, name);
  }
  return stepResults.flatMap((result) => {
    const name = wanted.get(result.name);
    return name === undefined ? [] : [{ ...result, name }];
  });
}
