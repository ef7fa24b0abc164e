import { type Param, type ParamSpec, type ParamType, type ParamValue, typeOfValue } from '../kinds/param.ts';
import type { TaskSpec } from '../kinds/task-spec.ts';
import { indexedTexts } from './indexed-texts.ts';
import { userError } from '../conditions/run-failure.ts';

const reason = 'TaskRunValidationFailed';

/** Whether a run gives a Task what it asks for. More than it asks for is fine. */
export function validateParams(specs: readonly ParamSpec[], params: readonly Param[], task: string): void {
  const violation = paramError(specs, params);
  if (violation !== undefined) throw userError(reason, `invalid input params for task ${task}: ${violation}`);
}

/** Validates the parameters of a Task; those of a matrix give it strings, one after the other. */
export function paramError(
  specs: readonly ParamSpec[],
  params: readonly Param[],
  matrix: readonly Param[] = [],
): string | undefined {
  const given = new Map(params.map((param) => [param.name, param]));
  const varied = new Set(matrix.map(({ name }) => name));
  const missing = specs
    .filter((spec) => spec.default === undefined && !given.has(spec.name) && !varied.has(spec.name))
    .map(({ name }) => name);
  if (missing.length > 0) return `missing values for these params which have no default values: ${goList(missing)}`;
  const wrong = wrongTypes(specs, params, matrix);
  if (wrong.length > 0) return `param types don't match the user-specified type: ${goList(wrong)}`;
  const keys = missingKeys(specs, given);
  if (keys.length === 0) return undefined;
  return `missing keys for these params which are required in ParamSpec's properties map[${keys.join(' ')}]`;
}

function wrongTypes(
  specs: readonly ParamSpec[],
  params: readonly Param[],
  matrix: readonly Param[],
): readonly string[] {
  const byName = new Map(specs.map((spec) => [spec.name, spec]));
  return [
    ...params.filter((param) => hasWrongType(byName.get(param.name), param)),
    ...matrix.filter(({ name }) => (byName.get(name)?.type ?? 'string') !== 'string'),
  ].map(({ name }) => name);
}

const variable = /\$\([_a-zA-Z0-9.-]+(\[([0-9]+|\*)\])?\)/;

/** A text with a variable in it may turn out to be anything. */
function hasWrongType(spec: ParamSpec | undefined, { value }: Param): boolean {
  if (!spec) return false;
  const { type = 'string' } = spec;
  const actual: ParamType = typeOfValue(value);
  if (typeof value === 'string' && type !== 'string' && variable.test(value)) return false;
  return actual !== type;
}

/**
 * `name:[key key]` for each object that lacks keys, in Go's notation of maps. One that has none at all is not checked.
 */
export function missingKeys(specs: readonly ParamSpec[], given: ReadonlyMap<string, Param>): readonly string[] {
  return specs
    .flatMap(({ name, type, properties, default: fallback }) => {
      const provided = new Set([...keysOf(fallback), ...keysOf(given.get(name)?.value)]);
      if (type !== 'object' || !properties || provided.size === 0) return [];
      const missing = Object.keys(properties)
        .filter((key) => !provided.has(key))
        .sort();
      return missing.length > 0 ? [`${name}:${goList(missing)}`] : [];
    })
    .sort();
}

function keysOf(value: ParamValue | undefined): readonly string[] {
  return value !== undefined && typeOfValue(value) === 'object' ? Object.keys(value) : [];
}

/** Whether the values are among those that are allowed. */
export function validateEnums(specs: readonly ParamSpec[], params: readonly Param[]): void {
  const violation = enumError(specs, params);
  if (violation !== undefined) throw userError('InvalidParamValue', violation);
}

/** The first value that is not among those that are allowed. Nothing is always allowed. */
export function enumError(specs: readonly ParamSpec[], params: readonly Param[]): string | undefined {
  const enums = new Map(specs.map((spec) => [spec.name, spec.enum ?? []]));
  for (const { name, value } of params) {
    const allowed = enums.get(name) ?? [];
    if (allowed.length > 0 && typeof value === 'string' && value !== '' && !allowed.includes(value))
      return `param \`${name}\` value: ${value} is not in the enum list`;
  }
  return undefined;
}

/** Whether every `$(params.list[3])` in the Task is there, as far as upstream looks. */
export function validateArrayIndices(task: TaskSpec, specs: readonly ParamSpec[], params: readonly Param[]): void {
  const violation = indexError(indexedTexts(task), specs, params);
  if (violation !== undefined) throw userError(reason, violation);
}

const itemReference = /\$\(params(?:\.([_a-zA-Z0-9.-]+)|\['([_a-zA-Z0-9./-]+)'\]|\["([_a-zA-Z0-9./-]+)"\])\[(\d+)\]\)/g;

/** The references in texts to items of arrays that are not there. */
export function indexError(
  texts: readonly (string | undefined)[],
  specs: readonly ParamSpec[],
  params: readonly Param[],
): string | undefined {
  const lengths = new Map<string, number>();
  for (const { name, default: value } of specs) if (Array.isArray(value)) lengths.set(name, value.length);
  for (const { name, value } of params) if (Array.isArray(value)) lengths.set(name, value.length);
  const bad = new Set<string>();
  for (const text of texts)
    for (const [reference, dotted, single, double, index] of text?.matchAll(itemReference) ?? []) {
      // With a dot in it, what is before the dot is taken for the name.
      const length = lengths.get(dotted?.split('.')[0] ?? single ?? double ?? '');
      if (length !== undefined && Number(index) >= length) bad.add(reference);
    }
  return bad.size > 0 ? `non-existent param references:${goList([...bad].sort())}` : undefined;
}

/** As Go prints a list. */
export function goList(items: readonly string[]): string {
  return `[${items.join(' ')}]`;
}
