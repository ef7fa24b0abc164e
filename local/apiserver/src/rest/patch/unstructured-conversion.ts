/**
 * Strategic merge patches and applied configurations become structs without the way over JSON, by a converter of
 * upstream's that has other texts than its decoder, and that cuts whole numbers to the size of their field.
 */
import { type DecodeError, isTypeMismatch } from '@tektite/go';
import type { JsonSchema } from '@tektite/schema';

/** The value with whole numbers cut to 32 bits where the field has no more. The same value where nothing is cut. */
export function wrapIntegers(schema: JsonSchema | undefined, value: unknown): unknown {
  if (typeof value === 'bigint') return schema?.format === 'int32' ? Number(BigInt.asIntN(32, value)) : value;
  if (typeof value === 'number')
    return schema?.format === 'int32' && Number.isSafeInteger(value) && value !== (value | 0) ? value | 0 : value;
  if (typeof value !== 'object' || value === null || schema === undefined) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => wrapIntegers(schema.items as JsonSchema | undefined, item));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  let changed: Record<string, unknown> | undefined;
  const { properties, additionalProperties } = schema;
  for (const [name, field] of Object.entries(value)) {
    const rest = typeof additionalProperties === 'object' ? additionalProperties : undefined;
    const wrapped = wrapIntegers(properties?.[name] ?? rest, field);
    if (wrapped !== field) (changed ??= { ...value })[name] = wrapped;
  }
  return changed ?? value;
}

/** The error of a value of a wrong type, in the words of that converter. */
export function restoreMessage(error: DecodeError): string {
  if (!isTypeMismatch(error))
    return error.message.startsWith('illegal base64') ? `error decoding from json: ${error.message}` : error.message;
  const { found, goType } = error;
  const source =
    { object: 'map', array: 'slice', number: 'int64' }[found] ?? (found.startsWith('number ') ? 'float64' : found);
  if (goType.startsWith('[]')) return `cannot restore slice from ${source}`;
  if (goType.startsWith('map[')) return `cannot restore map from ${source}`;
  if (goType.includes('.')) return `cannot restore struct from: ${source}`;
  // Go converts numbers to numbers and to strings; anything else is no match at all.
  return source.endsWith('64') && goType !== 'bool'
    ? `cannot convert ${source} to ${goType}`
    : `unrecognized type: ${goType}`;
}
