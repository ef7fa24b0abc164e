import type { Schema } from './schema-builder.ts';

type AnySchema = Schema<unknown, boolean>;
type Fields = Readonly<Record<string, unknown>>;

/**
 * The value as Go prints it that decoded it into structs: with fields that were not in the input (`options: {}`) and without
 * those that are empty. Fields that the schema does not have are kept. A value that was printed once does not change again.
 */
export function printAsGo<T>(value: T | undefined, schema: AnySchema | undefined): T {
  const shape = schema?.shape ?? {};
  const fields = (value ?? {}) as Fields;
  const printed: [string, unknown][] = [];
  for (const key of Object.keys(fields)) {
    const item = fields[key];
    const field = Object.hasOwn(shape, key) ? shape[key] : undefined;
    if (item === undefined || item === null || (field && isStruct(field))) continue;
    if (field?.shape && field.goForm === 'pointer') printed.push([key, printAsGo(item, field)]);
    else if ((field && isKeptWhenZero(field)) || !isZero(item, field)) printed.push([key, item]);
  }
  for (const [key, field] of Object.entries(shape)) {
    if (isStruct(field)) printed.push([key, printAsGo(Object.hasOwn(fields, key) ? fields[key] : undefined, field)]);
    else if (isAlways(field) && (fields[key] ?? undefined) === undefined) printed.push([key, zeroOf(field)]);
  }
  return Object.fromEntries(printed) as T;
}

/** A struct by value, which `omitempty` never drops. */
function isStruct({ shape, goForm = 'value' }: AnySchema): boolean {
  return shape !== undefined && goForm === 'value';
}

/** A plain value without `omitempty`: those that the schema requires. */
function isAlways({ isOptional, shape, goForm = 'value' }: AnySchema): boolean {
  return !isOptional && shape === undefined && goForm === 'value';
}

function isKeptWhenZero(field: AnySchema): boolean {
  return field.goForm === 'pointer' || isAlways(field);
}

function isZero(value: unknown, field: AnySchema | undefined): boolean {
  if (value === '') return true;
  if (value === false) return field?.goForm === 'value';
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

function zeroOf({ schema }: AnySchema): unknown {
  return schema.type === 'boolean' ? false : schema.type === 'string' ? '' : null;
}
