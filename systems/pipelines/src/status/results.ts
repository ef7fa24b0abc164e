import type { ParamValue } from '../kinds/param.ts';
import type { RunResult } from '../kinds/run-status.ts';
import type { TaskResult } from '../kinds/task-spec.ts';
import { entryTypes, type TerminationEntry } from './termination-message.ts';

/** The results of a Task, from what its steps told. What is said last of a result counts, in the place it was first said. */
export function taskResults(
  entries: readonly TerminationEntry[],
  declared: readonly TaskResult[],
): readonly RunResult[] {
  const values = new Map<string, string>();
  for (const { key, value, type } of entries) if (type === entryTypes.taskResult) values.set(key, value);
  return [...values].map(([name, value]) => readResult(name, value, declared.find((each) => each.name === name)?.type));
}

/** A result that is declared as text is text, whatever it looks like. Others are JSON, if they can be read as such. */
export function readResult(name: string, text: string, type: RunResult['type'] = 'string'): RunResult {
  const value = type === 'string' ? text : readValue(text);
  return { name, type: typeOf(value), value };
}

function typeOf(value: ParamValue): NonNullable<RunResult['type']> {
  if (typeof value === 'string') return 'string';
  return Array.isArray(value) ? 'array' : 'object';
}

function readValue(text: string): ParamValue {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return text;
  }
  if (Array.isArray(value)) return value.every((item) => typeof item === 'string') ? value : text;
  if (typeof value === 'object' && value !== null)
    return Object.values(value).every((item) => typeof item === 'string') ? (value as Record<string, string>) : text;
  return typeof value === 'string' ? value : text;
}
