import { ConfigError, isConfigError } from '@tektite/controller/config';
import { type GoDuration, parseGoDuration } from '@tektite/go';
import { quoteGo } from '@tektite/meta';
import { parseYaml } from '@tektite/schema/yaml';

/** Longer than any number that fits, even with some zeros before it. */
const maxNumber = 100;

/** A setting that is no YAML, or not what is wanted. */
export interface UnreadableSetting {
  readonly unreadable: string;
}

type Data = Readonly<Record<string, string>>;

const trueTexts = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);
const falseTexts = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False']);

/**
 * Reads the settings of a ConfigMap one by one, and refuses the first that cannot be used in upstream's words. An absent key has
 * its fallback; an empty one is read like any other.
 */
export class SettingReader {
  private readonly data: Data;

  constructor(data: Data) {
    this.data = data;
  }

  text(key: string, fallback: string): string {
    return this.find(key) ?? fallback;
  }

  /** Newer flags name themselves in the message. */
  flag(key: string, fallback: boolean, isNamed = false): boolean {
    const text = this.find(key);
    if (text === undefined) return fallback;
    if (trueTexts.has(text)) return true;
    if (falseTexts.has(text)) return false;
    const reason = `strconv.ParseBool: parsing ${quoteGo(text)}: invalid syntax`;
    const behind = isNamed ? ` for feature ${key}` : '';
    throw new ConfigError(`failed parsing feature flags config ${quoteGo(text)}: ${reason}${behind}`, key);
  }

  /** One of a few words, in whatever case. */
  word<const T extends string>(key: string, words: readonly T[], fallback: NoInfer<T>): T {
    const text = this.find(key)?.toLowerCase() ?? fallback;
    const found = words.find((word) => word === text);
    if (found !== undefined) return found;
    throw new ConfigError(`invalid value for feature flag ${quoteGo(key)}: ${quoteGo(text)}`, key);
  }

  /** Whole numbers of 64 bits. What is larger than JavaScript counts exactly is only ever compared. */
  integer(key: string, fallback: number, errorFor: (text: string, reason: string) => string): number {
    const text = this.find(key);
    if (text === undefined) return fallback;
    if (!/^[+-]?[0-9]+$/.test(text)) throw new ConfigError(errorFor(text, 'invalid syntax'), key);
    const value = text.length > maxNumber ? undefined : BigInt(text.replace(/^\+/, ''));
    if (value === undefined || BigInt.asIntN(64, value) !== value)
      throw new ConfigError(errorFor(text, 'value out of range'), key);
    return Number(value);
  }

  duration(key: string, fallback: string, errorFor: (text: string, reason: string) => string): GoDuration {
    const text = this.find(key) ?? fallback;
    try {
      return parseGoDuration(text);
    } catch (cause) {
      throw new ConfigError(errorFor(text, (cause as Error).message), key, { cause });
    }
  }

  /** A block of YAML; `read` throws when it does not hold what is wanted. */
  yaml<T>(key: string, read: (value: unknown) => T): T | undefined {
    const text = this.find(key);
    if (text === undefined) return undefined;
    try {
      return read(parseYaml(text)[0]?.value ?? null);
    } catch (cause) {
      throw new ConfigError(`failed to unmarshal ${text}`, key, { cause });
    }
  }

  /** The same, but errors are reported on access. */
  lateYaml<T>(key: string, read: (value: unknown) => T): T | UnreadableSetting | undefined {
    if (this.find(key) === '') return undefined;
    try {
      return this.yaml(key, read);
    } catch (error) {
      if (!isConfigError(error)) throw error;
      return { unreadable: error.message };
    }
  }

  private find(key: string): string | undefined {
    return Object.hasOwn(this.data, key) ? this.data[key] : undefined;
  }
}
