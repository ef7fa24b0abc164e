import { deepFreeze } from '@tektite/meta';
import { ControllerError } from '../controller-error.ts';
import { type CachedObject, cacheKey } from './cached-object.ts';
import { type IndexFunction, StoreIndex } from './store-index.ts';

/** The read interface of a cache. */
export interface ReadonlyStore<T extends CachedObject> {
  readonly size: number;
  /** By `namespace/name`, or `name`. */
  get(key: string): T | undefined;
  /** All objects, or those of a namespace, which costs no more than their number. */
  list(namespace?: string): readonly T[];
  keys(): Iterable<string>;
  /** The objects for which the index function gives this value. Throws `INDEX_UNKNOWN`. */
  byIndex(index: string, value: string): readonly T[];
  /** All values that an index has objects for. Throws `INDEX_UNKNOWN`. */
  indexValues(index: string): readonly string[];
}

/**
 * Objects of one kind by key, with secondary indexes.
 *
 * Guarantees
 * - Objects in the store, and all they hold, are frozen: no reader can change them.
 * - At any moment, for every index i with function f: byIndex(i, v) are exactly the objects o of the store with v in
 *   f(o). This holds from `addIndex` on, also for objects that were there before.
 * - Results are snapshots: later changes of the store do not show in them.
 *
 * Assumption: index functions depend on nothing but the object. An exception is reported to `onError`; the object is
 * then in the store, but under no value of that index.
 *
 * @example const store = new Store<Pod>(); store.addIndex('node', (pod) => (pod.spec?.nodeName ? [pod.spec.nodeName] :
 * [])); store.byIndex('node', 'worker-1');
 */
export class Store<T extends CachedObject> implements ReadonlyStore<T> {
  private readonly objects = new Map<string, T>();
  private readonly namespaces: StoreIndex<T>;
  private readonly indexes = new Map<string, StoreIndex<T>>();
  private readonly onError: (error: Error) => void;

  constructor(onError: (error: Error) => void = () => undefined) {
    this.onError = onError;
    this.namespaces = new StoreIndex('namespace', ({ metadata }) => [metadata.namespace ?? ''], onError);
  }

  get size(): number {
    return this.objects.size;
  }

  get(key: string): T | undefined {
    return this.objects.get(key);
  }

  list(namespace?: string): readonly T[] {
    return namespace === undefined ? [...this.objects.values()] : this.namespaces.get(namespace);
  }

  keys(): Iterable<string> {
    return this.objects.keys();
  }

  byIndex(index: string, value: string): readonly T[] {
    return this.index(index).get(value);
  }

  indexValues(index: string): readonly string[] {
    return this.index(index).values();
  }

  /** Freezes the object and puts it in the place of the one with the same key, which is returned. */
  set(object: T): T | undefined {
    const key = cacheKey(object.metadata);
    const before = this.objects.get(key);
    this.objects.set(key, deepFreeze(object));
    this.namespaces.file(key, object);
    for (const index of this.indexes.values()) index.file(key, object);
    return before;
  }

  /** Returns the deleted object. */
  delete(key: string): T | undefined {
    const before = this.objects.get(key);
    this.objects.delete(key);
    this.namespaces.remove(key);
    for (const index of this.indexes.values()) index.remove(key);
    return before;
  }

  /** Adding the same function by the same name again changes nothing; another one throws `INDEX_EXISTS`. */
  addIndex(name: string, valuesOf: IndexFunction<T>): void {
    const known = this.indexes.get(name);
    if (known?.valuesOf === valuesOf) return;
    if (known) throw new ControllerError('INDEX_EXISTS', `the cache has another index ${JSON.stringify(name)}`);
    const index = new StoreIndex(name, valuesOf, this.onError);
    for (const [key, object] of this.objects) index.file(key, object);
    this.indexes.set(name, index);
  }

  removeIndex(name: string): void {
    this.indexes.delete(name);
  }

  private index(name: string): StoreIndex<T> {
    const index = this.indexes.get(name);
    if (!index)
      throw new ControllerError(
        'INDEX_UNKNOWN',
        `the cache has no index ${JSON.stringify(name)}; add it with addIndex`,
      );
    return index;
  }
}
