import { setOwn } from '@tektite/meta';
import type { GoScalar, GoType, StructDefinition } from './go-type.ts';
import { JsonNumber } from '../json/json-document.ts';
import { jsonTypeName } from '../json/json-type-name.ts';
import { scalarDecoder } from './scalar-decoders.ts';
import { type SchemaUnionParts, schemaUnionDecoder } from './schema-union-decoders.ts';
import { StructDecoder } from './struct-decoder.ts';
import type { ValueDecoder } from './value-decoder.ts';

const structs = new WeakMap<StructDefinition, StructDecoder>();

/** The decoder of a struct. Made once for each definition. */
export function structDecoder(definition: StructDefinition): StructDecoder {
  let decoder = structs.get(definition);
  if (!decoder) {
    decoder = new StructDecoder(definition, typeDecoder);
    structs.set(definition, decoder);
  }
  return decoder;
}

/** The decoder of any Go type. */
function typeDecoder(type: GoType): ValueDecoder {
  switch (type.kind) {
    case 'struct':
      return structDecoder(type.struct());
    case 'pointer':
      return pointerDecoder(typeDecoder(type.to));
    case 'list':
      return listDecoder(typeDecoder(type.element), type.goName);
    case 'map':
      return mapDecoder(typeDecoder(type.value), type.goName);
    case 'scalar':
      if (type.decoder) return type.decoder;
      switch (type.scalar) {
        case 'JSONSchemaPropsOrArray':
        case 'JSONSchemaPropsOrBool':
        case 'JSONSchemaPropsOrStringArray':
          return schemaUnionDecoder(type.scalar, schemaUnionParts(type));
        default:
          return scalarDecoder(type.scalar, type.goName);
      }
  }
}

function schemaUnionParts({ struct }: GoScalar): () => SchemaUnionParts {
  let parts: SchemaUnionParts | undefined;
  return () => {
    if (parts) return parts;
    const schema = structDecoder((struct as () => StructDefinition)());
    parts = {
      schema,
      schemas: listDecoder(schema, '[]v1.JSONSchemaProps'),
      strings: listDecoder(scalarDecoder('string', 'string'), '[]string'),
    };
    return parts;
  };
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
        state.mismatched(jsonTypeName(raw), goName);
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
        state.mismatched(jsonTypeName(raw), goName);
        return undefined;
      }
      const entries = state.duplicates?.get(raw) ?? Object.entries(raw);
      const values = new Map<string, unknown>();
      const { path } = state;
      for (const [key, value] of entries) {
        if (value === undefined) continue;
        if (values.has(key)) state.reportStrict('duplicate field', key);
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
