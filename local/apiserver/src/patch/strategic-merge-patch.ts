import { equalJson, StatusError } from '@tektite/meta';
import type { JsonSchema } from '@tektite/schema';
import { formatGoValue } from './go-value.ts';

type Fields = Readonly<Record<string, unknown>>;

const directive = '$patch';
const retainKeys = '$retainKeys';
const setElementOrder = '$setElementOrder/';
const deleteFromPrimitiveList = '$deleteFromPrimitiveList/';

/**
 * Applies a strategic merge patch: like a merge patch, but lists whose schema names a merge key are merged element by
 * element, and the patch may carry directives (`$patch`, `$retainKeys`, `$setElementOrder/...`,
 * `$deleteFromPrimitiveList/...`).
 */
export function applyStrategicMergePatch(schema: JsonSchema, document: unknown, patch: unknown): unknown {
  return mergeFields(schema, asFields(document), asFields(patch));
}

function mergeFields(schema: JsonSchema | undefined, original: Fields, patch: Fields): Fields {
  switch (patch[directive]) {
    case undefined:
      break;
    case 'replace': {
      const { [directive]: _, ...rest } = patch;
      return rest;
    }
    case 'delete':
      return {};
    case 'merge':
      break;
    default:
      throw patchError(`unknown patch type: ${formatGoValue(patch[directive])} in map: ${formatGoValue(patch)}`);
  }
  const result: Record<string, unknown> = retain(original, patch);
  for (const key of Object.keys(patch)) {
    if (key === directive || key === retainKeys || key.startsWith(setElementOrder)) continue;
    if (key.startsWith(deleteFromPrimitiveList)) {
      const name = key.slice(deleteFromPrimitiveList.length);
      result[name] = without(asList(result[name]), asList(patch[key]));
      continue;
    }
    const value = patch[key];
    if (value === null) {
      delete result[key];
      continue;
    }
    define(
      result,
      key,
      mergeField(propertyOf(schema, key), Object.hasOwn(result, key) ? result[key] : undefined, value),
    );
  }
  for (const key of Object.keys(patch)) {
    if (key.startsWith(setElementOrder)) reorder(schema, result, key.slice(setElementOrder.length), patch[key], patch);
  }
  return result;
}

function mergeField(schema: JsonSchema | undefined, original: unknown, patch: unknown): unknown {
  if (isFields(patch)) {
    const replace = strategiesOf(schema).includes('replace');
    if (replace && isFields(original) && patch[directive] === undefined) return withoutDirectives(patch);
    return mergeFields(schema, isFields(original) ? original : {}, patch);
  }
  if (Array.isArray(patch)) {
    if (strategiesOf(schema).includes('merge')) return mergeLists(schema as JsonSchema, asList(original), patch);
    return patch.filter((item) => !(isFields(item) && item[directive] !== undefined));
  }
  return patch;
}

function mergeLists(schema: JsonSchema, original: readonly unknown[], patch: readonly unknown[]): unknown[] {
  const key = schema['x-kubernetes-patch-merge-key'];
  const items = typeof schema.items === 'object' ? (schema.items as JsonSchema) : undefined;
  if (key === undefined) return mergePrimitives(original, patch);

  const result: unknown[] = [...original];
  const additions: Fields[] = [];
  let replace = false;
  for (const item of patch) {
    if (!isFields(item)) continue;
    switch (item[directive]) {
      case 'replace':
        replace = true;
        break;
      case 'delete': {
        const value = item[key];
        if (value === undefined) throw missingKey(item, key);
        for (let i = result.length - 1; i >= 0; i--)
          if (equalJson((result[i] as Fields)[key], value)) result.splice(i, 1);
        break;
      }
      case undefined:
      case 'merge':
        additions.push(item);
        break;
      default:
        throw patchError(`unknown patch type: ${formatGoValue(item[directive])} in map: ${formatGoValue(item)}`);
    }
  }
  if (replace) return additions.map(withoutDirectives);
  for (const item of additions) {
    const value = item[key];
    if (value === undefined) throw missingKey(item, key);
    const at = result.findIndex((candidate) => isFields(candidate) && equalJson(candidate[key], value));
    if (at < 0) result.push(mergeFields(items, {}, item));
    else result[at] = mergeFields(items, result[at] as Fields, item);
  }
  return orderByPatch(result, original, additions, (item) => (item as Fields)[key]);
}

function mergePrimitives(original: readonly unknown[], patch: readonly unknown[]): unknown[] {
  const result = [...original];
  for (const item of patch) if (!result.some((candidate) => equalJson(candidate, item))) result.push(item);
  return result;
}

/**
 * The order that upstream gives a merged list when the patch does not say: elements of the patch in its order, the
 * original's own elements where they stood.
 */
function orderByPatch(
  result: unknown[],
  original: readonly unknown[],
  patch: readonly unknown[],
  keyOf: (item: unknown) => unknown,
): unknown[] {
  const inPatch = (item: unknown) => patch.some((candidate) => equalJson(keyOf(candidate), keyOf(item)));
  const inOriginal = (item: unknown) => original.some((candidate) => equalJson(keyOf(candidate), keyOf(item)));
  const patched = patch
    .map((item) => result.find((candidate) => equalJson(keyOf(candidate), keyOf(item))))
    .filter((item) => item !== undefined);
  const serverOnly = result.filter((item) => !inPatch(item));
  return interleave(patched, serverOnly, original, inOriginal, keyOf);
}

/**
 * Merges two ordered lists: elements that the server alone has go before a patched element exactly when they stood
 * before it in the original.
 */
function interleave(
  patched: readonly unknown[],
  serverOnly: readonly unknown[],
  original: readonly unknown[],
  inOriginal: (item: unknown) => boolean,
  keyOf: (item: unknown) => unknown,
): unknown[] {
  const position = (item: unknown) => original.findIndex((candidate) => equalJson(keyOf(candidate), keyOf(item)));
  const result: unknown[] = [];
  let next = 0;
  for (const item of patched) {
    if (inOriginal(item)) {
      const at = position(item);
      while (next < serverOnly.length && position(serverOnly[next]) < at) result.push(serverOnly[next++]);
    }
    result.push(item);
  }
  return [...result, ...serverOnly.slice(next)];
}

/** `$setElementOrder/x`: the elements named come in that order; others keep their place between them. */
function reorder(
  schema: JsonSchema | undefined,
  result: Record<string, unknown>,
  name: string,
  order: unknown,
  patch: Fields,
): void {
  const list = result[name];
  if (!Array.isArray(list)) return;
  if (!Array.isArray(order)) throw patchError(`incorrect type for $setElementOrder directive`);
  const key = propertyOf(schema, name)?.['x-kubernetes-patch-merge-key'];
  const keyOf = (item: unknown) => (key !== undefined && isFields(item) ? item[key] : item);
  for (const item of asList(patch[name])) {
    if (isFields(item) && item[directive] !== undefined) continue;
    if (!order.some((named) => equalJson(keyOf(named), keyOf(item)))) {
      throw patchError(
        `The order in patch list:\n${formatGoValue(patch[name])}\n doesn't match ${setElementOrder}${name} list:\n${formatGoValue(order)}\n`,
      );
    }
  }
  const ordered = order
    .map((named) => list.find((item) => equalJson(keyOf(item), keyOf(named))))
    .filter((item) => item !== undefined);
  const others = list.filter((item) => !order.some((named) => equalJson(keyOf(named), keyOf(item))));
  result[name] = interleave(ordered, others, list, () => true, keyOf);
}

/** `$retainKeys` keeps only the named keys of the original; the rest of a union goes when another member is chosen. */
function retain(original: Fields, patch: Fields): Record<string, unknown> {
  const keep = patch[retainKeys];
  if (!Array.isArray(keep)) return { ...original };
  const result: Record<string, unknown> = {};
  for (const key of Object.keys(original)) if (keep.includes(key)) result[key] = original[key];
  return result;
}

function propertyOf(schema: JsonSchema | undefined, name: string): JsonSchema | undefined {
  if (schema?.properties && Object.hasOwn(schema.properties, name)) return schema.properties[name];
  return typeof schema?.additionalProperties === 'object' ? schema.additionalProperties : undefined;
}

function strategiesOf(schema: JsonSchema | undefined): readonly string[] {
  return schema?.['x-kubernetes-patch-strategy']?.split(',') ?? [];
}

function without(list: readonly unknown[], removed: readonly unknown[]): unknown[] {
  return list.filter((item) => !removed.some((candidate) => equalJson(candidate, item)));
}

function withoutDirectives(fields: Fields): Fields {
  const { [directive]: _, [retainKeys]: __, ...rest } = fields;
  return rest;
}

function missingKey(item: Fields, key: string): StatusError {
  return patchError(`map: ${formatGoValue(item)} does not contain declared merge key: ${key}`);
}

/** Upstream answers a bad strategic patch with 500 and no reason. */
function patchError(message: string): StatusError {
  return new StatusError({ code: 500, message });
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function asFields(value: unknown): Fields {
  return isFields(value) ? value : {};
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function define(target: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}
