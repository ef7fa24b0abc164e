import { canonicalQuantity, cloneJson, normalizeMicroTime, normalizeTime, stringifyJson } from '@tektite/meta';
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
      return integerDecoder(goName, int32Of);
    case 'int64':
      return integerDecoder(goName, int64Of);
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
      if (state.convertsToText && (typeof raw === 'number' || typeof raw === 'bigint' || typeof raw === 'boolean'))
        return String(raw);
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

function integerDecoder(goName: string, integerOf: (raw: unknown) => number | bigint | undefined): ValueDecoder {
  return {
    decode(raw, state) {
      const value = integerOf(raw);
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
      if (typeof raw === 'bigint') return Number(raw);
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
      const text = typeof raw === 'string' ? raw : isNumber(raw) ? numberText(raw) : stringifyJson(raw);
      return rethrown(() => canonicalQuantity(text));
    },
    zero: () => '0',
    isEmpty: never,
  },
  IntOrString: {
    decode(raw, state) {
      if (typeof raw === 'string') return raw;
      if (raw === null) return 0;
      const value = int32Of(raw);
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

function isNumber(raw: unknown): raw is number | bigint | JsonNumber {
  return typeof raw === 'number' || typeof raw === 'bigint' || raw instanceof JsonNumber;
}

function numberText(raw: number | bigint | JsonNumber): string {
  return raw instanceof JsonNumber ? raw.text : String(raw);
}

function int32Of(raw: unknown): number | undefined {
  const value = wholeNumber(raw);
  return typeof value === 'number' && value >= -(2 ** 31) && value < 2 ** 31 ? value : undefined;
}

/** Outside of the safe numbers only the form tells an int64 from what was rounded: the bounds themselves are no `number`. */
function int64Of(raw: unknown): number | bigint | undefined {
  const value = wholeNumber(raw);
  return typeof value === 'bigint' || (value !== undefined && Math.abs(value) < 2 ** 63) ? value : undefined;
}

/** A whole number that is written as one; Go does not take `1.0` or `1e3` for an integer. */
function wholeNumber(raw: unknown): number | bigint | undefined {
  if (typeof raw === 'bigint') return raw;
  const value = raw instanceof JsonNumber && raw.isWhole ? raw.exact : raw;
  if (typeof value === 'bigint') return value;
  // Go has no negative zero among its integers.
  return Number.isInteger(value) ? (value as number) + 0 : undefined;
}
