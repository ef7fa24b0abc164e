import { parseInteger, setOwn } from '@tektite/meta';

/** A number together with the way it was written. */
export class JsonNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  get value(): number {
    return Number(this.text);
  }

  /** Whether it is written without a point and without an exponent. Only such a number is an integer in Go. */
  get isWhole(): boolean {
    return /^-?\d+$/.test(this.text);
  }

  get exact(): number | bigint {
    return this.isWhole ? parseInteger(this.text) : this.value;
  }
}

export type Entry = readonly [key: string, value: unknown];

/** A parsed JSON text. */
export interface JsonDocument {
  readonly value: unknown;
  /**
   * The entries, in order, of each object that has a key twice. The object itself holds the last value. Absent when no
   * object does, which is nearly always.
   */
  readonly duplicates?: WeakMap<object, readonly Entry[]> | undefined;
  /** Whether numbers are {@link JsonNumber}s. */
  readonly hasNumberTexts: boolean;
  /** Strict errors from before decoding: duplicate keys of a YAML text. */
  readonly strictErrors?: readonly string[] | undefined;
}

/**
 * Parses a text that JSON.parse accepts, keeping what JSON.parse loses: duplicate keys and the text of numbers. Several times
 * slower, so for texts that have something to keep.
 */
export function parseJsonDocument(text: string): JsonDocument {
  const parser = new Parser(text);
  return { value: parser.value(), duplicates: parser.duplicates, hasNumberTexts: true };
}

class Parser {
  readonly duplicates = new WeakMap<object, readonly Entry[]>();
  private readonly text: string;
  private at = 0;

  constructor(text: string) {
    this.text = text;
  }

  value(): unknown {
    this.skipSpace();
    const char = this.text[this.at] as string;
    switch (char) {
      case '{':
        return this.object();
      case '[':
        return this.array();
      case '"':
        return this.string();
      case 't':
        this.at += 'true'.length;
        return true;
      case 'f':
        this.at += 'false'.length;
        return false;
      case 'n':
        this.at += 'null'.length;
        return null;
      default:
        return this.number();
    }
  }

  private object(): Record<string, unknown> {
    const result: Record<string, unknown> = {};
    const entries: Entry[] = [];
    let repeated = false;
    this.at++;
    for (this.skipSpace(); this.text[this.at] !== '}'; this.skipSpace()) {
      if (this.text[this.at] === ',') this.at++;
      this.skipSpace();
      const key = this.string();
      this.skipSpace();
      this.at++;
      const value = this.value();
      repeated ||= Object.hasOwn(result, key);
      entries.push([key, value]);
      setOwn(result, key, value);
    }
    this.at++;
    if (repeated) this.duplicates.set(result, entries);
    return result;
  }

  private array(): unknown[] {
    const result: unknown[] = [];
    this.at++;
    for (this.skipSpace(); this.text[this.at] !== ']'; this.skipSpace()) {
      if (this.text[this.at] === ',') this.at++;
      result.push(this.value());
    }
    this.at++;
    return result;
  }

  private string(): string {
    const start = this.at;
    for (this.at++; this.text[this.at] !== '"'; this.at++) if (this.text[this.at] === '\\') this.at++;
    this.at++;
    return JSON.parse(this.text.slice(start, this.at)) as string;
  }

  private number(): JsonNumber {
    const start = this.at;
    while (this.at < this.text.length && '+-.eE0123456789'.includes(this.text[this.at] as string)) this.at++;
    return new JsonNumber(this.text.slice(start, this.at));
  }

  private skipSpace(): void {
    while (' \t\r\n'.includes(this.text[this.at] ?? 'x')) this.at++;
  }
}

/** The value with plain numbers instead of {@link JsonNumber}s, which it replaces in place. */
export function plainNumbers(value: unknown): unknown {
  if (value instanceof JsonNumber) return value.exact;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) value[index] = plainNumbers(value[index]);
  } else if (typeof value === 'object' && value !== null) {
    const object = value as Record<string, unknown>;
    for (const key of Object.keys(object)) setOwn(object, key, plainNumbers(object[key]));
  }
  return value;
}
