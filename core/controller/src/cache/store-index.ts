import { ControllerError } from '../controller-error.ts';
import type { CachedObject } from './cached-object.ts';

/** Under which values an object is to be found. */
export type IndexFunction<T> = (object: T) => readonly string[];

/** Objects by the values a function gives for them. */
export class StoreIndex<T extends CachedObject> {
  readonly valuesOf: IndexFunction<T>;
  private readonly name: string;
  private readonly onError: (error: Error) => void;
  private readonly buckets = new Map<string, Map<string, T>>();
  /** Where each object was put, so that it is found again whatever the function says by then. */
  private readonly filed = new Map<string, readonly string[]>();

  constructor(name: string, valuesOf: IndexFunction<T>, onError: (error: Error) => void) {
    this.name = name;
    this.valuesOf = valuesOf;
    this.onError = onError;
  }

  get(value: string): readonly T[] {
    return [...(this.buckets.get(value)?.values() ?? [])];
  }

  values(): readonly string[] {
    return [...this.buckets.keys()];
  }

  file(key: string, object: T): void {
    const values = this.safeValuesOf(key, object);
    const before = this.filed.get(key);
    if (before) for (const value of before) if (!values.includes(value)) this.drop(key, value);
    for (const value of values) {
      let bucket = this.buckets.get(value);
      if (!bucket) this.buckets.set(value, (bucket = new Map()));
      bucket.set(key, object);
    }
    if (values.length > 0) this.filed.set(key, values);
    else this.filed.delete(key);
  }

  remove(key: string): void {
    for (const value of this.filed.get(key) ?? []) this.drop(key, value);
    this.filed.delete(key);
  }

  private drop(key: string, value: string): void {
    const bucket = this.buckets.get(value);
    bucket?.delete(key);
    if (bucket?.size === 0) this.buckets.delete(value);
  }

  private safeValuesOf(key: string, object: T): readonly string[] {
    try {
      // A copy: the function may keep what it returned, and change it.
      return [...this.valuesOf(object)];
    } catch (cause) {
      this.onError(new ControllerError('INDEX_FAILED', `the index ${this.name} failed for ${key}`, { cause }));
      return [];
    }
  }
}
