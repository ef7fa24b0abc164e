import type { FieldDescriptor, Fields, MessageDescriptor } from './message.ts';

/** JSON that is no message of that type; its text is for the client. */
export class JsonFormError extends Error {}

/** The JSON form of a message, with the names of the fields as the `.proto` file has them. Defaults are left out. */
export function toJson<T>({ fields }: MessageDescriptor<T>, value: T): object {
  const json: Record<string, unknown> = {};
  for (const field of fields) {
    const given = (value as Fields)[field.name];
    if (given === undefined || given === '' || given === 0) continue;
    if (given instanceof Uint8Array && given.length === 0) continue;
    if (field.repeated) {
      const list = given as readonly unknown[];
      if (list.length > 0) json[field.name] = list.map((each) => jsonOf(field, each));
    } else if (field.type !== 'textMap' || Object.keys(given as object).length > 0)
      json[field.name] = jsonOf(field, given);
  }
  return json;
}

function jsonOf({ type }: FieldDescriptor, value: unknown): unknown {
  if (typeof type === 'function') return toJson(type(), value);
  if (typeof type === 'object') return type.names[value as number] ?? value;
  if (type === 'bytes') return Buffer.from(value as Uint8Array).toString('base64');
  if (type === 'timestamp') return timestampText(value as number);
  return type === 'int64' ? String(value) : value;
}

/** RFC 3339 with no, three or six digits after the second, as protobuf's JSON has it. */
export function timestampText(micros: number): string {
  const seconds = Math.floor(micros / 1e6);
  const fraction = Math.round(micros - seconds * 1e6);
  const head = new Date(seconds * 1000).toISOString().slice(0, 19);
  if (fraction === 0) return `${head}Z`;
  const digits = String(fraction).padStart(6, '0');
  return `${head}.${digits.endsWith('000') ? digits.slice(0, 3) : digits}Z`;
}

/** Reads the JSON form: names of fields in either spelling; unknown ones are dropped, as upstream's gateway does. */
export function fromJson<T>(descriptor: MessageDescriptor<T>, json: unknown): T {
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw new JsonFormError(`proto: syntax error (line 1:1): unexpected token ${tokenOf(json)}`);
  const given = json as Fields;
  const value: Record<string, unknown> = {};
  for (const field of descriptor.fields) {
    const each = given[field.name] ?? given[camelCase(field.name)];
    if (each === undefined || each === null) continue;
    // A name of an enumeration that this version does not know is no value, as an unknown field.
    if (isUnknownName(field, each)) continue;
    if (!field.repeated) value[field.name] = valueOf(field, each);
    else if (Array.isArray(each)) value[field.name] = each.map((item) => valueOf(field, item));
    else throw mismatch(field, each);
  }
  return value as T;
}

function valueOf(field: FieldDescriptor, json: unknown): unknown {
  const { type } = field;
  if (typeof type === 'function') return fromJson(type(), json);
  if (typeof type === 'object') return enumValue(field, type.names, json);
  switch (type) {
    case 'string':
      if (typeof json === 'string') return json;
      break;
    case 'bytes':
      if (typeof json === 'string' && /^[A-Za-z0-9+/_-]*={0,2}$/.test(json)) return Buffer.from(json, 'base64');
      break;
    case 'int32':
    case 'int64':
      if (/^-?\d{1,19}$/.test(String(json))) return Number(json);
      break;
    case 'timestamp':
      return timestampValue(field, json);
    case 'textMap':
      if (isTextMap(json)) return json;
      break;
    case 'struct':
      if (typeof json === 'object') return json;
      break;
  }
  throw mismatch(field, json);
}

function isUnknownName({ type }: FieldDescriptor, json: unknown): boolean {
  return typeof type === 'object' && typeof json === 'string' && !type.names.includes(json);
}

function tokenOf(json: unknown): string {
  return Array.isArray(json) ? '[' : JSON.stringify(json);
}

function enumValue(field: FieldDescriptor, names: readonly string[], json: unknown): number {
  if (Number.isInteger(json)) return json as number;
  const index = names.indexOf(String(json));
  if (index < 0) throw mismatch(field, json);
  return index;
}

/** A field of a query, in either spelling of its name. */
export function fromQuery({ name, type }: FieldDescriptor, query: URLSearchParams): string | undefined {
  const text = query.get(name) ?? query.get(camelCase(name)) ?? undefined;
  if (text === undefined || (type !== 'int32' && type !== 'int64')) return text;
  const wrong = (what: string) =>
    new JsonFormError(`parsing field "${name}": strconv.ParseInt: parsing ${JSON.stringify(text)}: ${what}`);
  if (!/^[+-]?\d+$/.test(text)) throw wrong('invalid syntax');
  const [value, limit] = [BigInt(text.replace(/^\+/, '')), type === 'int32' ? 2n ** 31n : 2n ** 63n];
  if (value < -limit || value >= limit) throw wrong('value out of range');
  return String(value);
}

/** Microseconds of a time; RFC 3339 with up to nine digits after the second. */
export function parseTimestamp(text: string): number | undefined {
  const [, head, fraction = '', zone] =
    /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/.exec(text) ?? [];
  if (head === undefined) return undefined;
  const milliseconds = Date.parse(`${head}${zone}`);
  return Number.isNaN(milliseconds) ? undefined : milliseconds * 1000 + Number(fraction.padEnd(6, '0').slice(0, 6));
}

function timestampValue(field: FieldDescriptor, json: unknown): number {
  const value = typeof json === 'string' ? parseTimestamp(json) : undefined;
  if (value === undefined) throw mismatch(field, json);
  return value;
}

function isTextMap(json: unknown): boolean {
  return (
    typeof json === 'object' &&
    json !== null &&
    !Array.isArray(json) &&
    Object.values(json).every((each) => typeof each === 'string')
  );
}

function mismatch({ name }: FieldDescriptor, json: unknown): JsonFormError {
  return new JsonFormError(`proto: invalid value for field ${name}: ${JSON.stringify(json)?.slice(0, 200)}`);
}

/** The name of a field in JSON. */
export function camelCase(name: string): string {
  return name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
