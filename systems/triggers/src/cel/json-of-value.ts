import {
  Duration,
  EvaluationError,
  formatDuration,
  formatTimestamp,
  ListValue,
  MapValue,
  Timestamp,
  type CelType,
  Uint,
  type Value,
} from '@tektite/schema';

/** The JSON of a value, as cel-go converts it for protobuf's `Value`. */
export function jsonOfValue(value: Value): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : specialNumber(value);
  if (typeof value === 'bigint') return wholeNumber(value);
  if (value instanceof Uint) return wholeNumber(value.value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (value instanceof ListValue) return [...value].map(jsonOfValue);
  if (value instanceof MapValue) return jsonOfMap(value);
  if (value instanceof Timestamp) return formatTimestamp(value);
  if (value instanceof Duration) return formatDuration(value);
  throw new EvaluationError(
    `type conversion error from '${(value as { readonly type?: CelType }).type?.name}' to JSON`,
  );
}

function jsonOfMap(map: MapValue): Readonly<Record<string, unknown>> {
  const entries: (readonly [string, unknown])[] = [];
  for (const key of map.keys()) {
    if (typeof key !== 'string')
      throw new EvaluationError('unsupported type conversion from map to JSON: bad key type');
    entries.push([key, jsonOfValue(map.find(key) ?? null)]);
  }
  return Object.fromEntries(entries);
}

/** Whole numbers that a double does not hold exactly are texts. */
function wholeNumber(value: bigint): number | string {
  const limit = BigInt(Number.MAX_SAFE_INTEGER);
  return value <= limit && value >= -limit ? Number(value) : value.toString();
}

function specialNumber(value: number): string {
  return Number.isNaN(value) ? 'NaN' : value > 0 ? 'Infinity' : '-Infinity';
}
