import { goJson } from '@tektite/go';
import { sha256Hex } from '@tektite/manifest';
import type { JsonSchema } from '@tektite/schema';

/**
 * The hash of a component's spec, as upstream computes it from its structs: fields in the order in which the structs declare them,
 * maps by their keys. Sets that upstream made have the same one, so nothing is recreated when this operator takes over.
 * `more` is hashed besides, in its order.
 */
export function specHash(
  spec: unknown,
  schema: JsonSchema | undefined,
  more: Readonly<Record<string, string>> = {},
): string {
  const json = structJson(spec, schema);
  const entries = Object.entries(more);
  if (entries.length === 0) return sha256Hex(json);
  return sha256Hex(`{"Spec":${json},${entries.map(([name, text]) => `${goJson(name)}:${goJson(text)}`).join(',')}}`);
}

/** JSON of a value whose structs are described by a schema; schemas keep the order in which fields were declared. */
export function structJson(value: unknown, schema: JsonSchema | undefined): string {
  if (Array.isArray(value)) return `[${value.map((item) => structJson(item, schema?.items)).join(',')}]`;
  const properties = schema?.properties;
  if (typeof value !== 'object' || value === null || !properties) return goJson(value ?? null);
  const fields = value as Readonly<Record<string, unknown>>;
  const names = Object.keys(properties).filter((name) => Object.hasOwn(fields, name) && fields[name] !== undefined);
  const others = Object.keys(fields).filter((name) => !Object.hasOwn(properties, name) && fields[name] !== undefined);
  return `{${[...names, ...others.sort()]
    .map((name) => `${goJson(name)}:${structJson(fields[name], properties[name])}`)
    .join(',')}}`;
}
