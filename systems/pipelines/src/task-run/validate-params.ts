import { type Param, type ParamSpec, type ParamType, typeOfValue } from '../kinds/param.ts';
import type { TaskSpec } from '../kinds/task-spec.ts';
import { userError } from './run-failure.ts';

const reason = 'TaskRunValidationFailed';

/** Whether a run gives a Task what it asks for. More than it asks for is fine. */
export function validateParams(specs: readonly ParamSpec[], params: readonly Param[], task: string): void {
  const invalid = (message: string) => userError(reason, `invalid input params for task ${task}: ${message}`);
  const given = new Map(params.map((param) => [param.name, param]));
  const missing = specs.filter((spec) => spec.default === undefined && !given.has(spec.name)).map(({ name }) => name);
  if (missing.length > 0)
    throw invalid(`missing values for these params which have no default values: ${goList(missing)}`);
  const wrong = specs.filter((spec) => hasWrongType(spec, given.get(spec.name))).map(({ name }) => name);
  if (wrong.length > 0) throw invalid(`param types don't match the user-specified type: ${goList(wrong)}`);
  const keys = missingKeys(specs, given);
  if (keys.length > 0)
    throw invalid(`missing keys for these params which are required in ParamSpec's properties map[${keys.join(' ')}]`);
}

/** A text with a variable in it may turn out to be anything. */
function hasWrongType({ type = 'string' }: ParamSpec, param: Param | undefined): boolean {
  if (!param) return false;
  const actual: ParamType = typeOfValue(param.value);
  if (typeof param.value === 'string' && /\$\(.+\)/.test(param.value) && type !== 'string') return false;
  return actual !== type;
}

/** `name:[key key]` for each object that lacks keys, in Go's notation of maps. */
function missingKeys(specs: readonly ParamSpec[], given: ReadonlyMap<string, Param>): readonly string[] {
  return specs
    .flatMap(({ name, properties, default: fallback }) => {
      const param = given.get(name);
      if (!properties || (param && typeof param.value === 'string')) return [];
      const provided = { ...(fallback as object | undefined), ...(param?.value as object | undefined) };
      const missing = Object.keys(properties)
        .filter((key) => !Object.hasOwn(provided, key))
        .sort();
      return missing.length > 0 ? [`${name}:${goList(missing)}`] : [];
    })
    .sort();
}

/** Whether the values are among those that are allowed. */
export function validateEnums(specs: readonly ParamSpec[], params: readonly Param[]): void {
  for (const { name, value } of params) {
    const allowed = specs.find((spec) => spec.name === name)?.enum;
    if (allowed && allowed.length > 0 && typeof value === 'string' && !allowed.includes(value))
      throw userError('InvalidParamValue', `param \`${name}\` value: ${value} is not in the enum list`);
  }
}

/** Whether every `$(params.list[3])` in the Task is there. */
export function validateArrayIndices(task: TaskSpec, specs: readonly ParamSpec[], params: readonly Param[]): void {
  const lengths = new Map<string, number>();
  for (const { name, default: value } of specs) if (Array.isArray(value)) lengths.set(name, value.length);
  for (const { name, value } of params) if (Array.isArray(value)) lengths.set(name, value.length);
  const text = JSON.stringify(task);
  const bad = new Set<string>();
  for (const [reference, name = '', index = ''] of text.matchAll(/\$\(params\.([_a-zA-Z0-9.-]+)\[(\d+)\]\)/g)) {
    const length = lengths.get(name);
    if (length !== undefined && Number(index) >= length) bad.add(reference);
  }
  if (bad.size > 0) throw userError(reason, `non-existent param references:${goList([...bad].sort())}`);
}

/** As Go prints a list. */
export function goList(items: readonly string[]): string {
  return `[${items.join(' ')}]`;
}
