import { duplicate, type FieldError, FieldPath, invalid, parseJson } from '@tektite/meta';
import { canonicalJson } from '../canonical-json.ts';
import { schemaSearch } from '../schema-search.ts';
import { type JsonSchema, propertySchema } from '../structural-schema.ts';

type JsonMap = Readonly<Record<string, unknown>>;

/**
 * The errors of lists whose elements must differ: whole elements in a `set`, the keys in a `map`. Of an element that
 * is there many times only the second is named.
 */
export function validateListTypes(value: unknown, schema: JsonSchema, path: FieldPath = FieldPath.root): FieldError[] {
  const errors: FieldError[] = [];
  if (mayHaveListTypes(schema)) visit(value, schema, path, errors);
  return errors;
}

function visit(value: unknown, schema: JsonSchema, path: FieldPath, errors: FieldError[]): void {
  if (typeof value !== 'object' || value === null || !mayHaveListTypes(schema)) return;
  if (Array.isArray(value)) visitList(value, schema, path, errors);
  else visitMap(value as JsonMap, schema, path, errors);
}

function visitMap(value: JsonMap, schema: JsonSchema, path: FieldPath, errors: FieldError[]): void {
  const { additionalProperties: rest } = schema;
  const hasRest = typeof rest === 'object' && mayHaveListTypes(rest);
  for (const [key, item] of Object.entries(value)) {
    const property = propertySchema(schema, key);
    if (hasRest) visit(item, rest, path.key(key), errors);
    if (property && mayHaveListTypes(property)) visit(item, property, path.child(key), errors);
  }
}

function visitList(list: readonly unknown[], schema: JsonSchema, path: FieldPath, errors: FieldError[]): void {
  const listType = schema['x-kubernetes-list-type'];
  if (listType === 'set')
    for (const index of repeated(list)) errors.push(duplicate(path.index(index), sorted(list[index])));
  else if (listType === 'map') checkKeys(list, schema['x-kubernetes-list-map-keys'] ?? [], path, errors);
  const { items } = schema;
  if (items && mayHaveListTypes(items))
    for (const [index, item] of list.entries()) visit(item, items, path.index(index), errors);
}

function checkKeys(list: readonly unknown[], names: readonly string[], path: FieldPath, errors: FieldError[]): void {
  const wrong = list.findIndex((item) => item !== null && (typeof item !== 'object' || Array.isArray(item)));
  if (wrong >= 0) {
    errors.push(invalid(path.index(wrong), list[wrong], 'must be an object for an array of list-type map'));
    return;
  }
  const [name] = names;
  const isSimple =
    names.length === 1 &&
    name !== undefined &&
    list.every((item) => typeof (item as JsonMap | null)?.[name] === 'string');
  const keys = isSimple
    ? list.map((item) => (item as JsonMap)[name])
    : list.map((item) => keysOf(item as JsonMap | null, names));
  for (const index of repeated(keys))
    errors.push(duplicate(path.index(index), sorted(keysOf(list[index] as JsonMap | null, names))));
}

function keysOf(item: JsonMap | null, names: readonly string[]): JsonMap {
  const keys: Record<string, unknown> = {};
  if (item) for (const name of names) if (Object.hasOwn(item, name)) keys[name] = item[name];
  return keys;
}

/** The index of each second appearance. */
function repeated(list: readonly unknown[]): number[] {
  if (list.length < 2) return [];
  const times = new Map<string, number>();
  const indices: number[] = [];
  for (const [index, item] of list.entries()) {
    const text = typeof item === 'string' ? `"${item}` : canonicalJson(item);
    const seen = times.get(text) ?? 0;
    if (seen === 1) indices.push(index);
    times.set(text, seen + 1);
  }
  return indices;
}

/** Objects are printed with sorted keys. */
function sorted(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? (parseJson(canonicalJson(value)) as unknown) : value;
}

/** Whether any list below this schema has a type that asks for something. */
const mayHaveListTypes = schemaSearch(
  ({ 'x-kubernetes-list-type': listType }) => listType === 'set' || listType === 'map',
);
