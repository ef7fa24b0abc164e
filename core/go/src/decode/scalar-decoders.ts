import { canonicalQuantity, cloneJson, normalizeMicroTime, normalizeTime } from '@tektite/meta';
import { normalizeBase64 } from './base64.ts';
import { JsonNumber, plainNumbers } from '../json/json-document.ts';
import { jsonTypeName } from '../json/json-type-name.ts';
import { DecodeError } from '../json/decode-error.ts';
import { never, type ValueDecoder } from './value-decoder.ts';

type SelfDecoding = 'Time' | 'MicroTime' | 'Quantity' | 'IntOrString' | 'FieldsV1' | 'RawExtension' | 'JSON';
type Basic = 'string' | 'bool' | 'int32' | 'int64' | 'float64' | 'bytes';

/** The decoder of a type that is not made of other types. */
export function scalarDecoder(scalar: Basic | SelfDecoding, goName: string): ValueDecoder {
  switch (scalar) {
    case 'string':
      return textDecoder(goName);
    case 'bool':
      return boolDecoder(goName);
    case 'int32':
      return integerDecoder(goName, 2 ** 31 - 1);
    case 'int64':
      return integerDecoder(goName, Number.MAX_SAFE_INTEGER);
    case 'float64':
      return floatDecoder(goName);
    case 'bytes':
      return bytesDecoder(goName);
    default:
      return selfDecoders[scalar];
  }
}

function textDecoder(goName: string): ValueDecoder {
  return {
    decode(raw, state) {
      if (typeof raw === 'string') return raw;
      if (raw === null) return '';
      if (state.convertsToText && (typeof raw === 'number' || typeof raw === 'boolean')) return String(raw);
      state.mismatched(jsonTypeName(raw), goName);
      return '';
    },
    zero: () => '',
    isEmpty: (value) => value === '',
  };
}

function boolDecoder(goName: string): ValueDecoder {
  return {
    decode(raw, state) {
      if (typeof raw === 'boolean') return raw;
      if (raw !== null) state.mismatched(jsonTypeName(raw), goName);
      return false;
    },
    zero: () => false,
    isEmpty: (value) => value === false,
  };
}

function integerDecoder(goName: string, limit: number): ValueDecoder {
  return {
    decode(raw, state) {
      const value = integerOf(raw, limit);
      if (value !== undefined) return value;
      if (raw !== null) state.mismatched(isNumber(raw) ? `number ${numberText(raw)}` : jsonTypeName(raw), goName);
      return 0;
    },
    zero: () => 0,
    isEmpty: (value) => value === 0,
  };
}

function floatDecoder(goName: string): ValueDecoder {
  return {
    decode(raw, state) {
      if (typeof raw === 'number') return raw;
      if (raw instanceof JsonNumber && Number.isFinite(raw.value)) return raw.value;
      if (raw !== null) state.mismatched(isNumber(raw) ? `number ${numberText(raw)}` : jsonTypeName(raw), goName);
      return 0;
    },
    zero: () => 0,
    isEmpty: (value) => value === 0,
  };
}

function bytesDecoder(goName: string): ValueDecoder {
  return {
    decode(raw, state) {
      // The storage does not know absent bytes from empty ones.
      if (raw === null) return state.stored ? '' : undefined;
      if (typeof raw !== 'string') {
        state.mismatched(jsonTypeName(raw), goName);
        return undefined;
      }
      try {
        return normalizeBase64(raw);
      } catch (error) {
        state.save(error as DecodeError);
        return undefined;
      }
    },
    zero: () => undefined,
    isEmpty: (value) => value === '',
  };
}

/**
 * The types that decode themselves in Go. What they do not like ends the decoding at once, and counts more than any value of
 * a wrong type before it.
 */
const selfDecoders: Readonly<Record<SelfDecoding, ValueDecoder>> = {
  Time: parsedTextDecoder(normalizeTime),
  MicroTime: parsedTextDecoder(normalizeMicroTime),
  Quantity: {
    decode(raw) {
      if (raw === null) return '0';
      const text = typeof raw === 'string' ? raw : isNumber(raw) ? numberText(raw) : JSON.stringify(raw);
      return rethrown(() => canonicalQuantity(text));
    },
    zero: () => '0',
    isEmpty: never,
  },
  IntOrString: {
    decode(raw, state) {
      if (typeof raw === 'string') return raw;
      if (raw === null) return 0;
      const value = integerOf(raw, 2 ** 31 - 1);
      if (value !== undefined) return value;
      throw state.typeMismatch(isNumber(raw) ? `number ${numberText(raw)}` : jsonTypeName(raw), 'int32');
    },
    zero: () => 0,
    isEmpty: never,
  },
  FieldsV1: rawDecoder(() => ({}), true),
  RawExtension: rawDecoder(() => null),
  JSON: rawDecoder(() => null),
};

/**
 * The decoder of a type that is a text on the wire and parses itself. `normalize` throws what Go reports; `null` is printed for
 * the zero value.
 */
export function parsedTextDecoder(normalize: (text: string) => string | null): ValueDecoder {
  return {
    decode(raw, state) {
      if (raw === null) return null;
      if (typeof raw !== 'string') throw state.typeMismatch(jsonTypeName(raw), 'string');
      return rethrown(() => normalize(raw));
    },
    zero: () => null,
    isEmpty: never,
  };
}

/** JSON that is kept as it is, in a copy where the caller may change it. */
function rawDecoder(zero: () => unknown, final = false): ValueDecoder {
  return {
    decode(raw, state) {
      if (raw === null) return zero();
      if (state.hasNumberTexts) return plainNumbers(raw);
      return !final && Object.isFrozen(raw) ? cloneJson(raw) : raw;
    },
    zero,
    isEmpty: never,
  };
}

function rethrown<T>(parse: () => T): T {
  try {
    return parse();
  } catch (cause) {
    throw new DecodeError((cause as Error).message, { cause });
  }
}

function isNumber(raw: unknown): raw is number | JsonNumber {
  return typeof raw === 'number' || raw instanceof JsonNumber;
}

function numberText(raw: number | JsonNumber): string {
  return typeof raw === 'number' ? String(raw) : raw.text;
}

/** A whole number that is written as one; Go does not take `1.0` or `1e3` for an integer. */
function integerOf(raw: unknown, limit: number): number | undefined {
  const value = typeof raw === 'number' ? raw : raw instanceof JsonNumber && /^-?\d+$/.test(raw.text) ? raw.value : NaN;
  return Number.isInteger(value) && value <= limit && value >= -limit - 1 ? value + 0 : undefined;
}
