import type { VanishedObject } from '@tektite/client';
import { type Clock, deepFreeze, type KubeObject } from '@tektite/meta';
import { ControllerError } from '../controller-error.ts';
import { type CachedObject, cacheKey } from './cached-object.ts';
import { HandlerSet } from './handler-set.ts';
import { Store } from './store.ts';
import type { Transform } from './transform.ts';

/**
 * The content of an informer and its handlers: the synchronous half of it. Every change is in the store before handlers
 * are notified, and handlers are notified before the next one.
 */
export class InformerContent<T extends KubeObject, Out extends CachedObject> {
  readonly store: Store<Out>;
  readonly handlers: HandlerSet<Out>;
  /** Objects of which the newest state is missing, because the transform threw. */
  readonly failedObjects = new Set<string>();
  private readonly transform: Transform<T, Out> | undefined;
  private readonly onError: (error: Error) => void;
  /** Keys that the current session has not delivered yet. */
  private unconfirmed = new Set<string>();

  constructor(clock: Clock, transform: Transform<T, Out> | undefined, onError: (error: Error) => void) {
    this.store = new Store<Out>(onError);
    this.handlers = new HandlerSet<Out>(clock, () => this.store.list(), onError);
    this.transform = transform;
    this.onError = onError;
  }

  /** A new session delivers everything again, without knowledge of the previous one. */
  startOver(): void {
    this.unconfirmed = new Set(this.store.keys());
  }

  /** The list is complete: objects that it did not contain are deleted. */
  complete(): void {
    for (const key of this.unconfirmed) this.remove(key);
  }

  put(object: T, initial: boolean): void {
    const key = cacheKey(object.metadata);
    this.unconfirmed.delete(key);
    const next = this.transformed(key, object);
    if (!next) return;
    const before = this.store.get(key)?.metadata;
    if (before && before.uid !== next.metadata.uid) this.remove(key);
    else if (before && before.resourceVersion === next.metadata.resourceVersion) return;
    const replaced = this.store.set(next);
    if (replaced) this.handlers.modified(next, replaced);
    else this.handlers.added(next, initial);
  }

  /** Removes an object; `last` is its last state, if the server sent it. */
  remove(key: string, last?: T): void {
    this.unconfirmed.delete(key);
    const before = this.store.delete(key);
    const final = before && last && this.transformed(key, last);
    this.failedObjects.delete(key);
    if (before) this.handlers.deleted(deepFreeze(final ?? before), final !== undefined);
  }

  vanish(object: VanishedObject): void {
    const key = cacheKey(object);
    if (this.store.get(key)?.metadata.uid === object.uid) this.remove(key);
    else this.failedObjects.delete(key);
  }

  clear(): void {
    for (const key of this.store.keys()) this.remove(key);
  }

  private transformed(key: string, object: T): Out | undefined {
    if (!this.transform) return object as unknown as Out;
    try {
      const result = this.transform(object);
      this.failedObjects.delete(key);
      return result;
    } catch (cause) {
      this.failedObjects.add(key);
      this.onError(new ControllerError('TRANSFORM_FAILED', `the transform failed for ${key}`, { cause }));
      return undefined;
    }
  }
}
