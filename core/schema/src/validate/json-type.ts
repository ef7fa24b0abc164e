/** The type of a JSON value in the words of a schema. */
export type JsonType = 'null' | 'boolean' | 'string' | 'integer' | 'number' | 'array' | 'object';

const int64Limit = 2 ** 63;

/** Go reads a number as an integer when it fits into 64 bits, and as a float otherwise. */
export function isInt64(value: number | bigint): boolean {
  return typeof value === 'bigint' || (Number.isInteger(value) && value >= -int64Limit && value < int64Limit);
}

export function jsonType(value: unknown): JsonType {
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'boolean';
    case 'number':
      return isInt64(value) ? 'integer' : 'number';
    case 'bigint':
      return 'integer';
    default:
      return value === null || value === undefined ? 'null' : Array.isArray(value) ? 'array' : 'object';
  }
}

/** The format Go's own type of a value has; it appears in messages about formats. */
export function nativeFormat(type: JsonType): string {
  return type === 'integer' ? 'int64' : type === 'number' ? 'float64' : '';
}
