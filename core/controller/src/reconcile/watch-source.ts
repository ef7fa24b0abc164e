import type { KubeObject, ObjectMeta, OwnerReference } from '@tektite/meta';
import { parseApiVersion } from '@tektite/meta';
import type { Kind } from '@tektite/schema';
import { type CachedObject, cacheKey } from '../cache/cached-object.ts';
import type { ReadonlyStore } from '../cache/store.ts';
import type { Transform } from '../cache/transform.ts';
import { withoutManagedFields } from '../cache/transform.ts';
import { ControllerError } from '../controller-error.ts';
import type { Change, Predicate } from './predicate.ts';
import type { CachedSource, RunningSource, SourceTarget, WatchOptions } from './source.ts';

export interface ReactOptions<T extends KubeObject, Out extends CachedObject> extends WatchOptions<T, Out> {
  /** The changes that cause a reconcile. Default all. */
  readonly predicate?: Predicate<Out>;
}

/** From a changed object to the keys of the controller's own kind that it concerns. */
export type KeysOf<Out> = (object: Out, own: SourceTarget) => Iterable<string>;

/** Whatever is owned can be found by its owner's uid. */
export const ownerIndex = 'owner';

function ownersOf(object: CachedObject): readonly OwnerReference[] {
  return (object.metadata as ObjectMeta).ownerReferences ?? [];
}

const ownerUids = (object: CachedObject): string[] => ownersOf(object).map(({ uid }) => uid);

/**
 * Objects that the controller's objects own: a change enqueues the owner. Only the owner that is marked as the
 * controller counts, and the reference has to be of the controller's own kind, in any version.
 *
 * @example const deployments = owned(kinds.Deployment); // in reconcile: const [deployment] =
 * context.cache(deployments).ownedBy(memcached);
 */
export function owned<T extends KubeObject, Out extends CachedObject = T>(
  kind: Kind<T>,
  options: ReactOptions<T, Out> & {
    /** Also enqueues owners that are not marked as the controller. */
    readonly anyOwner?: boolean;
  } = {},
): CachedSource<Out> {
  const keysOf: KeysOf<Out> = (object, own) => {
    const keys: string[] = [];
    for (const reference of ownersOf(object)) {
      if (reference.kind !== own.kind.kind || parseApiVersion(reference.apiVersion)?.group !== own.kind.group) continue;
      if (reference.controller !== true && !options.anyOwner) continue;
      const { namespace } = object.metadata;
      keys.push(
        cacheKey(
          own.kind.scope === 'Cluster' ? reference : { name: reference.name, ...(namespace ? { namespace } : {}) },
        ),
      );
    }
    return keys;
  };
  return { ...watchSource(kind, `owned ${kind.kind}`, options, keysOf), owns: true };
}

/**
 * Objects of another kind that some of the controller's objects depend on: a change enqueues the keys that `keysOf`
 * returns. It is called with both the old and the new state of a changed object, so that former dependents are enqueued
 * too.
 *
 * @example mapped(kinds.Secret, (secret, own) => [...own.keys()].filter((key) => uses(key, secret)))
 */
export function mapped<T extends KubeObject, Out extends CachedObject = T>(
  kind: Kind<T>,
  keysOf: KeysOf<Out>,
  options: ReactOptions<T, Out> = {},
): CachedSource<Out> {
  return watchSource(kind, `mapped ${kind.kind}`, options, keysOf);
}

/** Objects that are only read, from a cache: their changes enqueue nothing. */
export function cached<T extends KubeObject, Out extends CachedObject = T>(
  kind: Kind<T>,
  options: WatchOptions<T, Out> = {},
): CachedSource<Out> {
  return watchSource(kind, `cached ${kind.kind}`, options, undefined);
}

function watchSource<T extends KubeObject, Out extends CachedObject>(
  kind: Kind<T>,
  describe: string,
  options: ReactOptions<T, Out>,
  keysOf: KeysOf<Out> | undefined,
): CachedSource<Out> {
  return {
    describe,
    watches: kind as Kind,
    start: (target) => startWatch(kind, options, keysOf, target),
  };
}

/** Follows a kind, and adds keys for what changes. Also how a controller follows its own kind. */
export function startWatch<T extends KubeObject, Out extends CachedObject>(
  kind: Kind<T>,
  { predicate, transform, indexes = {}, namespace, labelSelector, fieldSelector }: ReactOptions<T, Out>,
  keysOf: KeysOf<Out> | undefined,
  target: SourceTarget,
  resyncMs?: number,
): RunningSource & { readonly informer: NonNullable<RunningSource['informer']> } {
  const lease = target.informers.acquire<T, Out>(kind, {
    ...(namespace === undefined ? {} : { namespace }),
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
    transform: transform ?? (withoutManagedFields as Transform<T, Out>),
  });
  const { informer } = lease;
  informer.addIndex(ownerIndex, ownerUids);
  for (const [name, valuesOf] of Object.entries(indexes)) informer.addIndex(name, valuesOf);
  const passes = (change: Change<Out>): boolean => {
    try {
      return predicate?.(change) ?? true;
    } catch (cause) {
      target.onError(new ControllerError('PREDICATE_FAILED', `a predicate for ${kind.kind} threw`, { cause }));
      return true;
    }
  };
  const add = (objects: readonly Out[], change: Change<Out>): void => {
    if (!keysOf || !passes(change)) return;
    const bulk = change.type === 'resync' || (change.type === 'added' && change.initial);
    const cause = { kind: kind.kind, object: cacheKey(change.object.metadata), change: change.type };
    const keys = new Set<string>();
    for (const object of objects) for (const key of keysOf(object, target)) keys.add(key);
    for (const key of keys) target.add(key, { lane: bulk ? 'bulk' : 'fresh', cause });
  };
  const handler = informer.addHandler(
    {
      added: (object, { initial }) => add([object], { type: 'added', object, initial }),
      modified: (object, before) => add([object, before], { type: 'modified', object, before }),
      deleted: (object) => add([object], { type: 'deleted', object }),
      resynced: (object) => add([object], { type: 'resync', object }),
    },
    resyncMs === undefined ? {} : { resyncMs },
  );
  return {
    informer: informer as unknown as NonNullable<RunningSource['informer']>,
    synced: (signal) => informer.synced(signal),
    async stop() {
      handler[Symbol.dispose]();
      await lease.release();
    },
  };
}

/** The reconciler's view of a source's cache. */
export interface SourceCache<Out extends CachedObject> extends ReadonlyStore<Out> {
  /** All that have this object among their owners; by uid, so never those of an earlier one of the same name. */
  ownedBy(owner: { readonly metadata: Pick<ObjectMeta, 'uid'> }): readonly Out[];
}

/** The same for the same store: reconcilers ask for it each time. */
export function sourceCache<Out extends CachedObject>(store: ReadonlyStore<Out>): SourceCache<Out> {
  let cache = caches.get(store) as SourceCache<Out> | undefined;
  if (!cache) caches.set(store, (cache = makeSourceCache(store)));
  return cache;
}

const caches = new WeakMap<object, unknown>();

function makeSourceCache<Out extends CachedObject>(store: ReadonlyStore<Out>): SourceCache<Out> {
  return {
    get size() {
      return store.size;
    },
    get: (key) => store.get(key),
    list: (namespace) => store.list(namespace),
    keys: () => store.keys(),
    byIndex: (index, value) => store.byIndex(index, value),
    indexValues: (index) => store.indexValues(index),
    ownedBy: ({ metadata: { uid } }) => (uid ? store.byIndex(ownerIndex, uid) : []),
  };
}
