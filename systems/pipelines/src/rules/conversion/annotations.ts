import { goStructJson, jsonTypeName, mismatchText } from '@tektite/go';
import type { ObjectMeta } from '@tektite/meta';

/** The annotations of an object in conversion: what the other version has no field for is kept there. */
export class Annotations {
  private readonly metadata: ObjectMeta;
  private readonly entries: Map<string, string>;

  constructor(metadata: ObjectMeta) {
    this.metadata = metadata;
    this.entries = new Map(Object.entries(metadata.annotations ?? {}));
  }

  get name(): string {
    return this.metadata.name ?? '';
  }

  /** Keeps a value, if there is one. */
  put(key: string, value: unknown): void {
    if (value !== undefined) this.entries.set(key, goStructJson(value));
  }

  /** Reads a kept value. */
  read(key: string, doing = 'deserializing'): unknown {
    const text = this.entries.get(key);
    if (text === undefined) return undefined;
    try {
      return JSON.parse(text) as unknown;
    } catch (cause) {
      throw new Error(`error ${doing} key ${key} from metadata: ${(cause as Error).message}`, { cause });
    }
  }

  /**
   * Gives a value that was kept, and keeps it no longer. A value that was written by a user may be no such list or
   * struct.
   */
  take(key: string, goType?: string): unknown {
    const value = this.read(key);
    const found = jsonTypeName(value);
    if (goType !== undefined && (value ?? undefined) !== undefined && found !== jsonNameOf(goType))
      throw new Error(`error deserializing key ${key} from metadata: ${mismatchText(found, goType)}`);
    this.entries.delete(key);
    return value;
  }

  /** The object's metadata with these annotations. */
  result(): ObjectMeta {
    const { annotations: _, ...metadata } = this.metadata;
    return this.entries.size === 0 ? metadata : { ...metadata, annotations: Object.fromEntries(this.entries) };
  }
}

const jsonNameOf = (goType: string) => (goType.startsWith('[]') ? 'array' : 'object');
