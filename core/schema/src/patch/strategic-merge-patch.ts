import { badRequestError, StatusError, setOwn } from '@tektite/meta';
import type { JsonSchema } from '../structural-schema.ts';
import { formatGoValue } from '@tektite/go';
import { inOrder, type KeyOf, mergeWords, textOf, withoutWords } from './merged-list.ts';

type Fields = Readonly<Record<string, unknown>>;
type Result = Record<string, unknown>;

const directive = '$patch';
const retainKeys = '$retainKeys';
const setElementOrder = '$setElementOrder/';
const deleteFromPrimitiveList = '$deleteFromPrimitiveList/';

/**
 * Applies a strategic merge patch: like a merge patch, but lists whose schema names a merge key are merged element by
 * element, and the patch may carry directives (`$patch`, `$retainKeys`, `$setElementOrder/...`,
 * `$deleteFromPrimitiveList/...`). Neither argument is changed.
 */
export function applyStrategicMergePatch(schema: JsonSchema, document: unknown, patch: unknown): unknown {
  return mergeFields(schema, asFields(document), asFields(patch));
}

function mergeFields(schema: JsonSchema | undefined, original: Fields, patch: Fields): Fields {
  if (Object.hasOwn(patch, directive)) return obey(patch);
  const result = retain(original, patch);
  const done = new Set<string>([retainKeys]);
  for (const key of Object.keys(patch)) {
    if (!key.startsWith(setElementOrder)) continue;
    const name = key.slice(setElementOrder.length);
    done.add(key);
    if (mergeInOrder(schema, result, name, patch[key], patch)) done.add(name);
  }
  for (const key of Object.keys(patch)) {
    if (done.has(key)) continue;
    if (key.startsWith(deleteFromPrimitiveList))
      takeWords(result, key.slice(deleteFromPrimitiveList.length), patch[key]);
    else mergeField(schema, result, key, patch[key]);
  }
  return result;
}

/** A whole object that says what is to become of the one it meets. */
function obey(patch: Fields): Fields {
  const { [directive]: type, ...rest } = patch;
  if (type === 'replace') return rest;
  if (type === 'delete') return {};
  throw patchError(`unknown patch type: ${formatGoValue(type)} in map: ${formatGoValue(patch)}`);
}

function mergeField(schema: JsonSchema | undefined, result: Result, name: string, value: unknown): void {
  if (value === null) {
    delete result[name];
    return;
  }
  const current = own(result, name);
  const property = propertyOf(schema, name);
  const strategies = strategiesOf(property);
  if (isFields(value) && isFields(current))
    setOwn(result, name, strategies.includes('replace') ? value : mergeFields(property, current, value));
  else if (Array.isArray(value) && Array.isArray(current))
    setOwn(result, name, strategies.includes('merge') ? mergeLists(property as JsonSchema, current, value) : value);
  else {
    const plain = withoutDirectives(value);
    if (plain === undefined) delete result[name];
    else setOwn(result, name, plain);
  }
}

function mergeLists(schema: JsonSchema, original: readonly unknown[], patch: readonly unknown[]): readonly unknown[] {
  if (original.length === 0 && patch.length === 0) return original;
  const key = schema['x-kubernetes-patch-merge-key'];
  if (checkElements(original, patch) !== 'object') return mergeWords(original, patch);
  if (key === undefined) throw patchError('cannot merge lists without merge key');
  return mergeElements(schema, key, original as readonly Fields[], patch as readonly Fields[]);
}

/** All elements must be of one type, and none a list; that type. */
function checkElements(...lists: readonly (readonly unknown[])[]): string {
  let type: string | undefined;
  for (const list of lists) {
    for (const item of list) {
      if (Array.isArray(item)) throw listOfListsError();
      const found = item === null ? 'null' : typeof item;
      if (found !== (type ??= found) || found === 'null')
        throw patchError(`list element types are not identical: ${formatGoValue(lists)}`);
    }
  }
  if (type === undefined) throw patchError('no elements in any of the given slices');
  return type;
}

function mergeElements(
  schema: JsonSchema,
  key: string,
  original: readonly Fields[],
  patch: readonly Fields[],
): readonly unknown[] {
  const { additions, deleted, replace } = readElements(patch, key);
  if (replace) return additions;
  const keyOf = keyReader(key);
  const items = typeof schema.items === 'object' ? (schema.items as JsonSchema) : undefined;
  const result: Fields[] = deleted.size === 0 ? [...original] : original.filter((item) => !deleted.has(keyOf(item)));
  const places = new Map<string, number>();
  for (const [index, item] of result.entries()) if (!places.has(keyOf(item))) places.set(keyOf(item), index);
  for (const item of additions) {
    const at = places.get(keyOf(item));
    if (at === undefined) places.set(keyOf(item), result.push(item) - 1);
    else result[at] = mergeFields(items, result[at] as Fields, item);
  }
  return inOrder(result, additions, original, keyOf);
}

/** Sorts the elements of a patch by directive: merge, delete, replace. */
function readElements(patch: readonly Fields[], key: string) {
  const additions: Fields[] = [];
  const deleted = new Set<string>();
  let replace = false;
  for (const item of patch) {
    const type = item[directive];
    if (type === 'replace') replace = true;
    else if (type === 'merge') throw patchError('merging lists cannot yet be specified in the patch');
    else if (type !== undefined && type !== 'delete')
      throw patchError(`unknown patch type: ${formatGoValue(type)} in map: ${formatGoValue(item)}`);
    else if (!Object.hasOwn(item, key) && (type === 'delete' || !replace)) throw missingKeyError(item, key);
    else if (type === 'delete') deleted.add(textOf(item[key]));
    else additions.push(item);
  }
  return { additions, deleted, replace };
}

/** Elements are known by the value of their merge key; one without it cannot be placed. */
function keyReader(key: string): KeyOf {
  return (item) => {
    if (!isFields(item)) throw patchError(`expected a map[string]interface {}, but received a ${goType(item)}`);
    if (!Object.hasOwn(item, key)) throw missingKeyError(item, key);
    return textOf(item[key]);
  };
}

/** `$setElementOrder/x`: merges a list and puts it into the order given. False when there is no such list. */
function mergeInOrder(
  schema: JsonSchema | undefined,
  result: Result,
  name: string,
  order: unknown,
  patch: Fields,
): boolean {
  const named = listOf(order);
  const [inResult, inPatch] = [Object.hasOwn(result, name), Object.hasOwn(patch, name)];
  const original = inResult ? listOf(result[name]) : [];
  const changes = inPatch ? listOf(patch[name]) : [];
  const property = propertyOf(schema, name);
  const key = property?.['x-kubernetes-patch-merge-key'];
  const keyOf = key === undefined ? textOf : keyReader(key);
  checkOrder(changes, named, keyOf);
  if (!inResult && !inPatch) return false;
  let merged = original;
  if (inPatch && !inResult) merged = withoutDirectives(changes) as readonly unknown[];
  else if (inPatch)
    merged = strategiesOf(property).includes('merge') ? mergeLists(property as JsonSchema, original, changes) : changes;
  checkElements(original, changes);
  setOwn(result, name, inOrder(merged, named, original, keyOf));
  return true;
}

/** The elements that a patch changes must be in the order that it asks for. */
function checkOrder(changes: readonly unknown[], order: readonly unknown[], keyOf: KeyOf): void {
  if (changes.length === 0 || order.length === 0) return;
  let next = 0;
  for (const item of changes) {
    if (isFields(item) && Object.hasOwn(item, directive)) continue;
    while (next < order.length && keyOf(order[next]) !== keyOf(item)) next++;
    if (next++ >= order.length) {
      throw patchError(
        `The order in patch list:\n${formatGoValue(changes)}\n doesn't match ${setElementOrder.slice(0, -1)} list:\n${formatGoValue(order)}\n`,
      );
    }
  }
}

function takeWords(result: Result, name: string, words: unknown): void {
  const current = own(result, name);
  if (words === null) delete result[name];
  else if (Array.isArray(words) && Array.isArray(current)) setOwn(result, name, withoutWords(current, words));
}

/** `$retainKeys` keeps only the named keys of the original; the rest of a union goes when another member is chosen. */
function retain(original: Fields, patch: Fields): Result {
  if (!Object.hasOwn(patch, retainKeys)) return { ...original };
  const keep = patch[retainKeys];
  if (!Array.isArray(keep)) throw badRetainKeysError();
  const names = new Set<unknown>(keep);
  for (const key of Object.keys(patch)) {
    const exempt = key === retainKeys || key.startsWith(setElementOrder) || key.startsWith(deleteFromPrimitiveList);
    if (!exempt && patch[key] !== null && !names.has(key)) throw badRetainKeysError();
  }
  const result: Result = {};
  for (const key of Object.keys(original)) if (names.has(key)) setOwn(result, key, original[key]);
  return result;
}

/** Removes directives and nulls from a new value; `undefined` for a value that is only a directive. */
function withoutDirectives(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDirectives).filter((item) => item !== undefined);
  if (!isFields(value)) return value;
  if (Object.hasOwn(value, directive)) return undefined;
  const result: Result = {};
  for (const key of Object.keys(value)) {
    const plain = value[key] === null ? undefined : withoutDirectives(value[key]);
    if (plain !== undefined) setOwn(result, key, plain);
  }
  return result;
}

function propertyOf(schema: JsonSchema | undefined, name: string): JsonSchema | undefined {
  if (schema?.properties && Object.hasOwn(schema.properties, name)) return schema.properties[name];
  return typeof schema?.additionalProperties === 'object' ? schema.additionalProperties : undefined;
}

function strategiesOf(schema: JsonSchema | undefined): readonly string[] {
  return schema?.['x-kubernetes-patch-strategy']?.split(',') ?? [];
}

function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value as unknown[];
  throw patchError(`expected a []interface {}, but received a ${goType(value)}`);
}

function goType(value: unknown): string {
  if (value === null) return '%!s(<nil>)';
  if (Array.isArray(value)) return '[]interface {}';
  switch (typeof value) {
    case 'object':
      return 'map[string]interface {}';
    case 'number':
      return Number.isInteger(value) ? 'int64' : 'float64';
    case 'bigint':
      return 'int64';
    case 'boolean':
      return 'bool';
    default:
      return typeof value;
  }
}

function missingKeyError(item: Fields, key: string): StatusError {
  return patchError(`map: ${formatGoValue(item)} does not contain declared merge key: ${key}`);
}

function badRetainKeysError(): StatusError {
  return badRequestError('invalid patch format of retainKeys');
}

function listOfListsError(): StatusError {
  return new StatusError({
    code: 422,
    reason: 'Invalid',
    message: 'the server rejected our request due to an error in our request',
    details: {},
  });
}

/** Upstream answers most bad strategic patches with 500 and no reason. */
function patchError(message: string): StatusError {
  return new StatusError({ code: 500, message });
}

function own(fields: Fields, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function asFields(value: unknown): Fields {
  return isFields(value) ? value : {};
}
