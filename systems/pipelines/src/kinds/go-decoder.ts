import { quoteGo } from '@tektite/meta';
import { type GoScalar, type GoStruct, type GoType, jsonTypeName } from '@tektite/go';
import { type Struct, type StructField, structOf } from './struct-table.ts';
import {
  GoPrintError,
  GoTypeMismatch,
  GoValueError,
  readDuration,
  readIntOrString,
  readParamValue,
  readQuantity,
  readTime,
} from './go-value.ts';

type Json = Readonly<Record<string, unknown>>;

/** Structs that were given a map without entries, which is not printed and says something nevertheless. */
const emptied = new WeakSet<object>();

/** Whether a struct that was read had an empty map where one is worth remembering. Copies of it have forgotten. */
export function hadEmptyMap(struct: object): boolean {
  return emptied.has(struct);
}

/** Deeper than anything real; Go itself gives up at ten thousand. */
const deepest = 500;

/** Reads and prints in one go: what a Go program would send back that got the value. Remembers the first mistake. */
export class GoDecoder {
  private mistake: string | undefined;
  private unprintable: string | undefined;
  private struct = '';
  private readonly path: string[] = [];
  private readonly isStrict: boolean;
  private readonly isFromYaml: boolean;

  /** Fields that the struct does not have are a mistake; or, if it is not strict, they get lost. YAML's readers make texts of numbers. */
  constructor(isStrict = true, isFromYaml = false) {
    this.isStrict = isStrict;
    this.isFromYaml = isFromYaml;
  }

  /** Throws a {@link GoValueError} in the words of Go's JSON decoder. */
  decode(key: string, value: Json, isResource = true): Json {
    const result = this.readStruct(structOf(key), value, isResource);
    if (this.mistake !== undefined) throw new GoValueError(this.mistake);
    if (this.unprintable !== undefined) throw new GoPrintError(this.unprintable);
    return result;
  }

  private readStruct(struct: Struct, value: unknown, isResource = false): Json {
    if (!isMap(value)) {
      this.save(value, struct.key.slice(struct.key.indexOf('/') + 1));
      return this.printStruct(struct, new Map());
    }
    if (this.path.length > deepest) throw new GoValueError('json: exceeded max depth');
    const outer = this.struct;
    this.struct = struct.goName;
    const found = new Map<string, unknown>();
    for (const key of Object.keys(value).sort()) {
      if (isResource && isTypeMeta(key)) continue;
      const field = fieldOf(struct, key);
      if (!field) {
        if (this.isStrict) this.mistake ??= `json: unknown field ${quoteGo(key)}`;
        continue;
      }
      this.path.push(field.embedded === undefined ? field.name : `${field.embedded}.${field.name}`);
      // Go's decoder is not strict about metadata, and neither is it here.
      const read =
        isResource && field.name === 'metadata' ? this.readMetadata(value[key]) : this.read(field.type, value[key]);
      this.path.pop();
      found.set(field.name, read);
    }
    this.struct = outer;
    return this.printStruct(struct, found);
  }

  private readMetadata(value: unknown): unknown {
    if (!isMap(value)) this.save(value, 'v1.ObjectMeta');
    return value;
  }

  /** Fields in their order; what is empty is left out unless it is always printed. */
  private printStruct(struct: Struct, found: ReadonlyMap<string, unknown>): Json {
    const result: Record<string, unknown> = {};
    for (const field of struct.fields) {
      const value = found.get(field.name);
      const printed = value === undefined ? this.zero(field) : value;
      if (field.always || !isEmpty(printed, field)) result[field.name] = printed;
      else if (field.remembersEmpty && value !== undefined) emptied.add(result);
    }
    return result;
  }

  private zero({ type }: StructField): unknown {
    if (type.kind === 'struct') return this.zeroStruct(type);
    if (type.kind !== 'scalar') return null;
    switch (type.scalar) {
      case 'string':
        return '';
      case 'bool':
        return false;
      case 'int32':
      case 'int64':
      case 'float64':
        return 0;
      case 'Quantity':
        return '0';
      case 'IntOrString':
        return 0;
      default:
        return null;
    }
  }

  private zeroStruct(type: GoStruct): unknown {
    if (isParamValue(type)) return this.noParamValue(type);
    if (type.definition === 'tekton/apis.VolatileTime') return null;
    return this.printStruct(structOf(type.definition), new Map());
  }

  /** A parameter that was given no value has no type by which to print it. */
  private noParamValue({ goName }: GoStruct): undefined {
    this.unprintable ??= `json: error calling MarshalJSON for type ${goName}: impossible ParamValues.Type: ""`;
    return undefined;
  }

  /** `undefined` when there is nothing: absent and null are the same. */
  private read(type: GoType, value: unknown): unknown {
    if (type.kind === 'pointer') return value === null ? undefined : this.read(type.to, value);
    if (type.kind === 'struct' && isParamValue(type)) return readParamValue(value);
    if (value === null || value === undefined) return undefined;
    switch (type.kind) {
      case 'struct':
        return this.readNamedStruct(type, value);
      case 'list':
        if (!Array.isArray(value)) return this.save(value, type.goName);
        return value.map((item) => this.read(type.element, item) ?? this.zeroOf(type.element));
      case 'map':
        if (!isMap(value)) return this.save(value, type.goName);
        return this.readMap(type.value, value);
      case 'scalar':
        return this.readScalar(type, value);
    }
  }

  private readMap(type: GoType, value: Json): Json {
    const entries = Object.keys(value)
      .sort()
      .map((key) => [key, this.read(type, value[key]) ?? this.zeroOf(type)]);
    return Object.fromEntries(entries) as Json;
  }

  private zeroOf(type: GoType): unknown {
    return this.zero({ type } as StructField);
  }

  private readNamedStruct(type: GoStruct, value: unknown): unknown {
    if (type.definition === 'meta/v1.Duration') return this.readSelf(readDuration, value);
    if (type.definition === 'tekton/apis.VolatileTime') return this.readSelf(readTime, value);
    return this.readStruct(structOf(type.definition), value);
  }

  private readScalar(type: GoScalar, value: unknown): unknown {
    switch (type.scalar) {
      case 'string':
      case 'bytes':
        if (this.isFromYaml && (typeof value === 'number' || typeof value === 'boolean')) return String(value);
        return typeof value === 'string' ? value : this.save(value, type.goName);
      case 'bool':
        return typeof value === 'boolean' ? value : this.save(value, type.goName);
      case 'int32':
      case 'int64':
        return this.readInteger(type, value);
      case 'Quantity':
        return readQuantity(value);
      case 'IntOrString':
        return this.readSelf(readIntOrString, value);
      case 'Time':
      case 'MicroTime':
        return this.readSelf(readTime, value) ?? undefined;
      default:
        return value;
    }
  }

  private readInteger(type: GoScalar, value: unknown): unknown {
    if (typeof value !== 'number') return this.save(value, type.goName);
    const fits = Number.isInteger(value) && (type.scalar === 'int64' || Math.abs(value) <= 0x7f_ff_ff_ff);
    return fits ? value : this.save(value, type.goName, `number ${value}`);
  }

  /** Types that read themselves give up at once. */
  private readSelf<T>(read: (value: unknown) => T, value: unknown): T {
    try {
      return read(value);
    } catch (cause) {
      if (!(cause instanceof GoTypeMismatch)) throw cause;
      throw new GoValueError(this.wrongType(cause.found, cause.wanted), { cause });
    }
  }

  private save(value: unknown, goType: string, named = jsonTypeName(value)): undefined {
    this.mistake ??= this.wrongType(named, goType);
    return undefined;
  }

  private wrongType(found: string, wanted: string): string {
    const place = this.path.length > 0 ? `struct field ${this.struct}.${this.path.join('.')}` : 'value';
    return `json: cannot unmarshal ${found} into Go ${place} of type ${wanted}`;
  }
}

function fieldOf(struct: Struct, key: string): StructField | undefined {
  return struct.byName.get(key) ?? struct.byFoldedName.get(key.toLowerCase());
}

function isParamValue({ definition }: GoStruct): boolean {
  return definition.endsWith('.ParamValue');
}

function isTypeMeta(key: string): boolean {
  return key === 'apiVersion' || key === 'kind';
}

/** What `omitempty` leaves out. Structs always stay, unless they say `omitzero` too. */
function isEmpty(value: unknown, { type, omitzero }: StructField): boolean {
  if (value === undefined || value === null || value === '' || value === false || value === 0)
    return type.kind !== 'pointer' || value === null || value === undefined;
  if (Array.isArray(value)) return value.length === 0 && type.kind === 'list';
  if (type.kind === 'map') return Object.keys(value as object).length === 0;
  return omitzero && type.kind === 'struct' && Object.keys(value as object).length === 0;
}

function isMap(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
