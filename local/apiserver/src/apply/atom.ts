import type { JsonSchema } from '@tektite/schema';
import { builtinKeyDefault } from '@tektite/schema/kubernetes';
import { keyElement, valueElement } from './path-element.ts';

/**
 * The ownership of a field in server-side apply, by its schema: a leaf owned as a whole, a struct or map owned field by
 * field, or a list owned element by element.
 */
export type Atom =
  | { readonly form: 'leaf' }
  | {
      readonly form: 'map';
      readonly field: (name: string) => JsonSchema | undefined;
      readonly isStruct: (name: string) => boolean;
    }
  | { readonly form: 'list'; readonly items: JsonSchema; readonly elementOf: (item: unknown) => string };

/** A schema about which nothing is known: objects are merged field by field, everything else is a leaf. */
export const untypedSchema: JsonSchema = { 'x-kubernetes-preserve-unknown-fields': true };

const leaf: Atom = { form: 'leaf' };

/** Atoms are a pure function of the schema and computed once for each; schemas are shared and may be cyclic. */
const cache = new WeakMap<JsonSchema, { map?: Atom; list?: Atom }>();

/** The atom of a value of that schema. An empty or absent side is judged by the other one, so pass both. */
export function atomOf(schema: JsonSchema, here: unknown, there?: unknown): Atom {
  const value = isObject(here) ? here : isObject(there) ? there : undefined;
  if (value === undefined) return leaf;
  let known = cache.get(schema);
  if (!known) cache.set(schema, (known = {}));
  if (Array.isArray(value)) return (known.list ??= listAtom(schema));
  return (known.map ??= mapAtom(schema));
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function mapAtom(schema: JsonSchema): Atom {
  if (schema['x-kubernetes-map-type'] === 'atomic') return leaf;
  const { properties, additionalProperties } = schema;
  if (schema.type !== undefined && schema.type !== 'object') return leaf;
  const isStruct = (name: string) => properties !== undefined && Object.hasOwn(properties, name);
  const rest =
    typeof additionalProperties === 'object'
      ? additionalProperties
      : additionalProperties === true || schema['x-kubernetes-preserve-unknown-fields'] || properties === undefined
        ? untypedSchema
        : undefined;
  return { form: 'map', isStruct, field: (name) => (isStruct(name) ? properties?.[name] : rest) };
}

function listAtom(schema: JsonSchema): Atom {
  const items = typeof schema.items === 'object' ? (schema.items as JsonSchema) : undefined;
  if (!items) return leaf;
  switch (schema['x-kubernetes-list-type']) {
    case 'set':
      return { form: 'list', items, elementOf: setElement };
    case 'map':
      return { form: 'list', items, elementOf: keyReader(items, schema['x-kubernetes-list-map-keys'] ?? []) };
    default:
      return leaf;
  }
}

/** An element of a list-map without its keys, or one of a set that is no scalar; the caller reports where. */
export class ListElementError extends Error {
  override readonly name = 'ListElementError';
}

function setElement(item: unknown): string {
  if (item === null) throw new ListElementError("associative list without keys has an element that's an explicit null");
  if (Array.isArray(item)) throw new ListElementError('not supported: associative list with lists as elements');
  if (typeof item === 'object')
    throw new ListElementError("associative list without keys has an element that's a map type");
  return valueElement(item);
}

function keyReader(items: JsonSchema, names: readonly string[]): (item: unknown) => string {
  const defaults = names.map((name) => items.properties?.[name]?.default ?? builtinKeyDefault(items, name));
  return (item) => {
    if (item === null) throw new ListElementError('associative list with keys may not have a null element');
    if (typeof item !== 'object' || Array.isArray(item))
      throw new ListElementError('associative list with keys may not have non-map elements');
    const object = item as Record<string, unknown>;
    const keys: [string, unknown][] = [];
    for (const [i, name] of names.entries()) {
      // A null is a value: the default comes later, and the element keeps the identity that it was applied with.
      const value = object[name] === undefined ? defaults[i] : object[name];
      // A key that is absent is not part of the identity: the element is another one than the same with it.
      if (value !== undefined) keys.push([name, value]);
    }
    if (keys.length === 0) {
      throw new ListElementError(
        `associative list with keys has an element that omits all key fields ${formatNames(names)} (and doesn't have default values for any key fields)`,
      );
    }
    return keyElement(keys);
  };
}

function formatNames(names: readonly string[]): string {
  return `[${names.map((name) => JSON.stringify(name)).join(' ')}]`;
}
