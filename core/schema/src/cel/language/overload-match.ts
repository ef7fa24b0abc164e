import type { CelType } from './type.ts';
import {
  Duration,
  ListValue,
  MapValue,
  OpaqueValue,
  Optional,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from './value.ts';

/** Reports whether a value can be an argument of that type. Elements of lists and maps are not checked. */
export function matchesType(value: Value, type: CelType): boolean {
  switch (type.kind) {
    case 'dyn':
    case 'param':
    case 'error':
      return true;
    case 'bool':
      return typeof value === 'boolean';
    case 'int':
      return typeof value === 'bigint';
    case 'double':
      return typeof value === 'number';
    case 'string':
      return typeof value === 'string';
    case 'bytes':
      return value instanceof Uint8Array;
    case 'uint':
      return value instanceof Uint;
    case 'duration':
      return value instanceof Duration;
    case 'timestamp':
      return value instanceof Timestamp;
    case 'null_type':
      return value === null;
    case 'list':
      return value instanceof ListValue;
    case 'map':
      return value instanceof MapValue;
    case 'type':
      return value instanceof TypeValue;
    case 'opaque':
      if (type.name === 'optional_type') return value instanceof Optional;
      return value instanceof OpaqueValue && value.type.name === type.name;
    case 'struct':
      return (value instanceof OpaqueValue || value instanceof MapValue) && value.type.name === type.name;
  }
}
