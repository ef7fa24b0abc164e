import { DecodeError, TypeMismatch } from '../json/decode-error.ts';
import { DecodeState } from './decode-state.ts';
import { never, type ValueDecoder } from './value-decoder.ts';

/**
 * The unions inside a JSON schema. They decode themselves in Go, with a separate decoder that is never strict: an
 * unknown field below `items` goes unnoticed even when the request asks for strict validation.
 */
export type SchemaUnion = 'JSONSchemaPropsOrArray' | 'JSONSchemaPropsOrBool' | 'JSONSchemaPropsOrStringArray';

/** `schema` and `schemas` decode JSONSchemaProps and lists of it, `strings` lists of strings. Read on first use. */
export interface SchemaUnionParts {
  readonly schema: ValueDecoder;
  readonly schemas: ValueDecoder;
  readonly strings: ValueDecoder;
}

export function schemaUnionDecoder(union: SchemaUnion, parts: () => SchemaUnionParts): ValueDecoder {
  switch (union) {
    case 'JSONSchemaPropsOrBool':
      return {
        decode(raw, state) {
          if (typeof raw === 'boolean') return raw;
          if (isObject(raw)) return decodeApart(parts().schema, raw, state);
          throw new DecodeError('boolean or JSON schema expected');
        },
        zero: () => false,
        isEmpty: never,
      };
    case 'JSONSchemaPropsOrArray':
      return orList(() => parts().schemas, parts);
    case 'JSONSchemaPropsOrStringArray':
      return orList(() => parts().strings, parts);
  }
}

/** An object, or a list that is not empty; anything else silently becomes null. */
function orList(list: () => ValueDecoder, parts: () => SchemaUnionParts): ValueDecoder {
  return {
    decode(raw, state) {
      if (isObject(raw)) return decodeApart(parts().schema, raw, state);
      if (!Array.isArray(raw)) return null;
      const decoded = decodeApart(list(), raw, state);
      return raw.length === 0 ? null : decoded;
    },
    zero: () => null,
    isEmpty: never,
  };
}

function decodeApart(decoder: ValueDecoder, raw: unknown, outer: DecodeState): unknown {
  const inner = new DecodeState(outer);
  try {
    const value = decoder.decode(raw, inner);
    if (inner.saved) throw inner.saved;
    return value;
  } catch (error) {
    if (error instanceof TypeMismatch) throw outer.typeMismatch(error.found, error.goType, error.field);
    throw error;
  }
}

function isObject(raw: unknown): boolean {
  return typeof raw === 'object' && raw !== null && !Array.isArray(raw);
}
