import { compareGoStrings, goJson } from '@tektite/go';
import { sha256Hex } from '@tektite/manifest';
import type { JsonSchema } from '@tektite/schema';
import { goPrinters } from './go-printers.ts';

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
export function structJson(value: unknown, schema: JsonSchema | undefined, path = ''): string {
  const print = Object.hasOwn(goPrinters, path) ? goPrinters[path] : undefined;
  if (print) return print(value);
  if (Array.isArray(value)) return `[${value.map((item) => structJson(item, schema?.items, `${path}[]`)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return goJson(value ?? null);
  const fields = value as Readonly<Record<string, unknown>>;
  const properties = schema?.properties;
  if (!properties) return mapJson(fields, schema?.additionalProperties, path);
  const names = Object.keys(properties).filter((name) => Object.hasOwn(fields, name) && fields[name] !== undefined);
  const others = Object.keys(fields).filter((name) => !Object.hasOwn(properties, name) && fields[name] !== undefined);
  const inside = path === '' ? '' : `${path}.`;
  return `{${[...names, ...others.sort()]
    .map((name) => `${goJson(name)}:${structJson(fields[name], properties[name], inside + name)}`)
    .join(',')}}`;
}

function mapJson(
  fields: Readonly<Record<string, unknown>>,
  values: JsonSchema['additionalProperties'],
  path: string,
): string {
  if (typeof values !== 'object') return goJson(fields);
  return `{${Object.keys(fields)
    .sort(compareGoStrings)
    .map((name) => `${goJson(name)}:${structJson(fields[name], values, `${path}.*`)}`)
    .join(',')}}`;
}
