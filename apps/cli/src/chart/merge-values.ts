import { UserError } from '../user-error.ts';

/** Values over defaults: objects are merged, all else is replaced, as Helm does. */
export function mergeValues<T extends object>(defaults: T, given: object): T {
  const merged = { ...defaults } as Record<string, unknown>;
  for (const [key, value] of Object.entries(given)) {
    const own = merged[key];
    merged[key] = isObject(own) && isObject(value) ? mergeValues(own, value) : value;
  }
  return merged as T;
}

/** Rejects names that are not there and values of other types, as the schema of the chart does. */
export function checkValues(defaults: object, given: object, file: string): void {
  for (const [key, value] of Object.entries(given)) {
    if (!Object.hasOwn(defaults, key))
      throw new UserError(`${file}: there is no value ${key}; there are ${Object.keys(defaults).sort().join(', ')}`);
    const own = (defaults as Record<string, unknown>)[key];
    if (typeOf(own) !== typeOf(value))
      throw new UserError(`${file}: ${key} must be of type ${typeOf(own)}, not ${typeOf(value)}`);
  }
}

/** The name of a type in JSON Schema. */
export function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (value === null) return 'null';
  return typeof value === 'number' ? 'integer' : typeof value;
}

function isObject(value: unknown): value is object {
  return typeOf(value) === 'object';
}
