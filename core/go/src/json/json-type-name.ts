import { JsonNumber } from './json-document.ts';

/** The name that Go's errors have for the JSON type of a value: `array`, `bool`, `number`. */
export function jsonTypeName(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'bigint' || value instanceof JsonNumber) return 'number';
  return value === null ? 'null' : typeof value;
}
