import { setOwn } from '@tektite/meta';
import { definitionOf, type GoType } from '@tektite/schema/kubernetes';
import { jsonTypeName } from './decode-error.ts';
import { JsonNumber } from './json-document.ts';
import { scalarDecoder } from './scalar-decoders.ts';
import { type SchemaUnionParts, schemaUnionDecoder } from './schema-union-decoders.ts';
import { StructDecoder } from './struct-decoder.ts';
import type { ValueDecoder } from './value-decoder.ts';

const structs = new Map<string, StructDecoder>();

/** The decoder of a struct, by the key of its definition. Made once. */
export function structDecoder(key: string): StructDecoder {
  let decoder = structs.get(key);
  if (!decoder) {
    decoder = new StructDecoder(definitionOf(key), typeDecoder);
    structs.set(key, decoder);
  }
  return decoder;
}

/** The decoder of any Go type. */
function typeDecoder(type: GoType): ValueDecoder {
  switch (type.kind) {
    case 'struct':
      return structDecoder(type.definition);
    case 'pointer':
      return pointerDecoder(typeDecoder(type.to));
    case 'list':
      return listDecoder(typeDecoder(type.element), type.goName);
    case 'map':
      return mapDecoder(typeDecoder(type.value), type.goName);
    case 'scalar':
      switch (type.scalar) {
        case 'JSONSchemaPropsOrArray':
        case 'JSONSchemaPropsOrBool':
        case 'JSONSchemaPropsOrStringArray':
          return schemaUnionDecoder(type.scalar, schemaUnionParts);
        default:
          return scalarDecoder(type.scalar, type.goName);
      }
  }
}

let unionParts: SchemaUnionParts | undefined;

function schemaUnionParts(): SchemaUnionParts {
  const schema = structDecoder('apiextensions/v1.JSONSchemaProps');
  unionParts ??= {
    schema,
    schemas: listDecoder(schema, '[]v1.JSONSchemaProps'),
    strings: listDecoder(scalarDecoder('string', 'string'), '[]string'),
  };
  return unionParts;
}

function pointerDecoder(to: ValueDecoder): ValueDecoder {
  return {
    decode: (raw, state) => (raw === null ? undefined : to.decode(raw, state)),
    zero: () => undefined,
    isEmpty: () => false,
  };
}

function listDecoder(element: ValueDecoder, goName: string): ValueDecoder {
  return {
    decode(raw, state) {
      if (raw === null) return undefined;
      if (!Array.isArray(raw)) {
        state.mismatched(raw instanceof JsonNumber ? 'number' : jsonTypeName(raw), goName);
        return undefined;
      }
      const result: unknown[] = [];
      const { path } = state;
      for (let index = 0; index < raw.length; index++) {
        path.push(index);
        result.push(element.decode(raw[index] ?? null, state) ?? null);
        path.pop();
      }
      return result;
    },
    zero: () => undefined,
    isEmpty: (value) => (value as unknown[]).length === 0,
  };
}

function mapDecoder(element: ValueDecoder, goName: string): ValueDecoder {
  return {
    decode(raw, state) {
      if (raw === null) return undefined;
      if (typeof raw !== 'object' || Array.isArray(raw) || raw instanceof JsonNumber) {
        state.mismatched(raw instanceof JsonNumber ? 'number' : jsonTypeName(raw), goName);
        return undefined;
      }
      const entries = state.duplicates?.get(raw) ?? Object.entries(raw);
      const values = new Map<string, unknown>();
      const { path } = state;
      for (const [key, value] of entries) {
        if (value === undefined) continue;
        if (values.has(key)) state.complain('duplicate field', key);
        path.push(key);
        values.set(key, element.decode(value, state) ?? null);
        path.pop();
      }
      return sortedObject(values);
    },
    zero: () => undefined,
    isEmpty(value) {
      for (const _ in value as object) return false;
      return true;
    },
  };
}

/** Go prints the keys of a map in order. */
function sortedObject(values: ReadonlyMap<string, unknown>): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  const keys = [...values.keys()];
  for (const key of keys.length > 1 ? keys.sort(compareBytes) : keys) setOwn(result, key, values.get(key));
  return result;
}

/** By code point, as Go compares strings; JavaScript's own order differs beyond the basic plane only. */
function compareBytes(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
