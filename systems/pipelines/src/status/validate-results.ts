import type { RunResult } from '../kinds/run-status.ts';
import type { TaskResult } from '../kinds/task-spec.ts';

/** Results that are as declared, and what is wrong with the others; nothing when all are fine. */
export interface CheckedResults {
  readonly results: readonly RunResult[];
  /** In upstream's words. */
  readonly violation?: string;
}

/**
 * Whether the results of a Task have the types and the keys that it promised. Those of another type are dropped. What is declared
 * twice, as it is where a run brings its own Task, is missed twice.
 */
export function checkResults(results: readonly RunResult[], declared: readonly TaskResult[]): CheckedResults {
  const byName = new Map(declared.map((result) => [result.name, result]));
  const isRight = ({ name, type }: RunResult) => {
    const wanted = byName.get(name);
    return !wanted || (wanted.type ?? '') === type;
  };
  const right = results.filter(isRight);
  const wrong = results.filter((result) => !isRight(result));
  if (wrong.length > 0) return { results: right, violation: typeViolation(wrong, byName) };
  const missing = right.flatMap((result) => missingKeys(result, declared)).sort();
  if (missing.length === 0) return { results };
  const keys = `map[${missing.join(' ')}]`;
  return {
    results,
    violation: `missing keys for these results which are required in TaskResult's properties ${keys}`,
  };
}

function typeViolation(wrong: readonly RunResult[], declared: ReadonlyMap<string, TaskResult>): string {
  const violations = wrong
    .map(({ name, type }) => {
      const wanted = declared.get(name)?.type ?? '';
      return ` "${name}": task result is expected to be "${wanted}" type but was initialized to a different type "${type}"`;
    })
    .sort();
  return `Provided results don't match declared results; may be invalid JSON or missing result declaration: ${violations.join(',')}`;
}

/** `name:[key key]`, in Go's notation of maps. */
function missingKeys({ name, value }: RunResult, declared: readonly TaskResult[]): readonly string[] {
  if (typeof value !== 'object' || Array.isArray(value)) return [];
  const keys = declared
    .filter((result) => result.name === name && result.type === 'object')
    .flatMap(({ properties = {} }) => Object.keys(properties).sort())
    .filter((key) => !Object.hasOwn(value, key));
  return keys.length > 0 ? [`${name}:[${keys.join(' ')}]`] : [];
}
