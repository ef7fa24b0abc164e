import { type GoDuration, parseGoDuration } from '@tektite/go';
import { Quantity, quoteGo } from '@tektite/meta';
import { parseYaml } from '@tektite/schema/yaml';
import { ConfigError } from './config-error.ts';

/** Reads the text of one key. Throws any Error whose message completes the sentence `key "x": ...`. */
export type ConfigField<T> = (text: string) => T;

/** `true`, `T`, `1`, ... as Go's `strconv.ParseBool` reads them. */
export function booleanField(): ConfigField<boolean> {
  return (text) => {
    if (trueTexts.has(text)) return true;
    if (falseTexts.has(text)) return false;
    throw new Error(`${quoteGo(text)} is neither true nor false`);
  };
}

const trueTexts = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);
const falseTexts = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False']);

export interface NumberLimits {
  readonly minimum?: number;
  readonly maximum?: number;
}

/** A whole number, in decimal digits. */
export function integerField(limits: NumberLimits = {}): ConfigField<number> {
  return (text) => {
    const value = /^[+-]?[0-9]{1,16}$/.test(text) ? Number(text) : Number.NaN;
    if (!Number.isSafeInteger(value)) throw new Error(`${quoteGo(text)} is no whole number`);
    return checkLimits(value, limits);
  };
}

/** A number with or without a fraction. */
export function numberField(limits: NumberLimits = {}): ConfigField<number> {
  return (text) => {
    const value = /^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)(e[+-]?[0-9]{1,3})?$/i.test(text) ? Number(text) : Number.NaN;
    if (!Number.isFinite(value)) throw new Error(`${quoteGo(text)} is no number`);
    return checkLimits(value, limits);
  };
}

function checkLimits(value: number, { minimum, maximum }: NumberLimits): number {
  if (minimum !== undefined && value < minimum) throw new Error(`${value} is less than ${minimum}, the least allowed`);
  if (maximum !== undefined && value > maximum) throw new Error(`${value} is more than ${maximum}, the most allowed`);
  return value;
}

export interface DurationLimits {
  readonly minimum?: GoDuration;
  readonly maximum?: GoDuration;
}

/** `90s`, `1h30m`: as Go's `time.ParseDuration` reads them. */
export function durationField(limits: DurationLimits = {}): ConfigField<GoDuration> {
  return (text) => {
    const value = parseGoDuration(text);
    if (limits.minimum !== undefined && value < limits.minimum) throw new Error(`${quoteGo(text)} is too short`);
    if (limits.maximum !== undefined && value > limits.maximum) throw new Error(`${quoteGo(text)} is too long`);
    return value;
  };
}

/** `500m`, `1Gi`: as Kubernetes reads amounts. */
export function quantityField(): ConfigField<Quantity> {
  return (text) => Quantity.parse(text);
}

/** One of a few words. */
export function enumField<const T extends string>(...values: readonly [T, ...T[]]): ConfigField<T> {
  return (text) => {
    const found = values.find((value) => value === text);
    if (found === undefined) throw new Error(`${quoteGo(text)} is none of ${values.map(quoteGo).join(', ')}`);
    return found;
  };
}

/** The text as it is. */
export function stringField(limits: { readonly maxLength?: number } = {}): ConfigField<string> {
  return (text) => {
    const { maxLength } = limits;
    if (maxLength !== undefined && text.length > maxLength) throw new Error(`longer than ${maxLength} characters`);
    return text;
  };
}

/** Words between commas; spaces around them and empty ones do not count. */
export function listField<T = string>(item?: ConfigField<T>): ConfigField<readonly T[]> {
  return (text) =>
    text
      .split(',')
      .map((word) => word.trim())
      .filter((word) => word !== '')
      .map((word) => (item ? item(word) : (word as T)));
}

/** A block of YAML. `read` takes what it holds and throws an Error when that is not what is wanted. */
export function yamlField<T>(read: (value: unknown) => T): ConfigField<T> {
  return (text) => {
    const documents = parseYaml(text);
    if (documents.length > 1) throw new Error('more than one YAML document');
    return read(documents[0]?.value ?? null);
  };
}

/** Reads a key with a field, and puts the key's name in front of what goes wrong. */
export function readField<T>(key: string, text: string, field: ConfigField<T>): T {
  try {
    return field(text);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ConfigError(`key ${quoteGo(key)}: ${reason}`, key, { cause });
  }
}
