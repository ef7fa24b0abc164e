import type { Selection } from '@tektite/client';
import type { RunningSource, Source, SourceTarget } from '@tektite/controller';
import { cacheKey, type InformerLease, metadataOnly, type ObjectMetadata } from '@tektite/controller/cache';
import { formatApiVersion, type KubeObject } from '@tektite/meta';
import type { InventoryEntry } from './installer-set.ts';

export interface InstalledObjectsOptions {
  /** The selection of the watch that shows an object. Default: the namespace of the object. */
  readonly selection?: (entry: InventoryEntry) => Selection;
  /** Which changes of an object cause a reconcile. Default all. A deletion always does. */
  readonly concerns?: (object: ObjectMetadata, before: ObjectMetadata) => boolean;
}

type Lease = InformerLease<KubeObject, ObjectMetadata>;

/** The watch that an object needs, and the object. */
interface Followed {
  readonly watch: string;
  readonly entry: InventoryEntry;
  readonly selection: Selection;
}

/**
 * Follows the objects of sets, of any kind: a change or a deletion enqueues the sets that have the object. It watches
 * the kinds that the sets contain, as metadata, and ends the watch of a kind with the last set that contains it. A kind
 * may be followed before it is served.
 *
 * @example
 * const installed = new InstalledObjects();
 * defineController({ name: 'sets', kind: Set, sources: [installed], reconcile });
 * installed.follow(key, inventory); // in the reconciler, before objects are read
 */
export class InstalledObjects implements Source {
  readonly describe = 'installed objects';
  private readonly options: InstalledObjectsOptions;
  private readonly followed = new Map<string, readonly Followed[]>();
  private readonly running = new Map<SourceTarget, Map<string, Lease>>();

  constructor(options: InstalledObjectsOptions = {}) {
    this.options = options;
  }

  /**
   * From now on, these objects of a set are followed, and no others of it. Called before objects are read, no deletion is
   * missed: it happens before the read, or is delivered.
   */
  follow(key: string, entries: readonly InventoryEntry[]): void {
    this.followed.set(
      key,
      entries.map((entry) => this.followedOf(entry)),
    );
    this.update();
  }

  /** The set is deleted, or about to be: its objects are no longer followed. */
  forget(key: string): void {
    if (this.followed.delete(key)) this.update();
  }

  start(target: SourceTarget): RunningSource {
    const leases = new Map<string, Lease>();
    this.running.set(target, leases);
    this.update();
    return {
      synced: () => Promise.resolve(),
      stop: async () => {
        this.running.delete(target);
        await Promise.all([...leases.values()].map((lease) => lease.release()));
      },
    };
  }

  private followedOf(entry: InventoryEntry): Followed {
    const { group, kind, namespace } = entry;
    const selection = this.options.selection?.(entry) ?? (namespace ? { namespace } : {});
    return { watch: `${kind}.${group} ${JSON.stringify(selection)}`, entry, selection };
  }

  private update(): void {
    const needed = new Map<string, Followed>();
    for (const list of this.followed.values())
      for (const item of list) if (!needed.has(item.watch)) needed.set(item.watch, item);
    for (const [target, leases] of this.running) {
      for (const [id, lease] of leases) {
        if (needed.has(id)) continue;
        leases.delete(id);
        lease.release().catch(target.onError);
      }
      for (const [id, item] of needed) if (!leases.has(id)) leases.set(id, this.watch(target, item));
    }
  }

  private watch(target: SourceTarget, { watch, entry, selection }: Followed): Lease {
    const { group, version, kind } = entry;
    const lease = target.informers.acquire<KubeObject, ObjectMetadata>(
      { apiVersion: formatApiVersion({ group, version }), kind },
      { ...selection, metadataOnly: true, transform: metadataOnly },
    );
    const { informer } = lease;
    const { concerns = () => true } = this.options;
    const add = (object: string, change: string): void => {
      const cause = { kind, object, change };
      for (const key of this.setsOf(watch, object)) target.add(key, { cause });
    };
    informer.addHandler({
      modified: (object, before) => void (concerns(object, before) && add(cacheKey(object.metadata), 'modified')),
      deleted: ({ metadata }) => add(cacheKey(metadata), 'deleted'),
    });
    // An object may have been deleted after it was read, and before the first list.
    informer.synced().then(
      () => {
        for (const name of this.namesIn(watch)) if (!informer.store.get(name)) add(name, 'deleted');
      },
      () => undefined,
    );
    return lease;
  }

  private setsOf(watch: string, name: string): readonly string[] {
    const has = (list: readonly Followed[]) =>
      list.some((item) => item.watch === watch && cacheKey(item.entry) === name);
    return [...this.followed].flatMap(([key, list]) => (has(list) ? [key] : []));
  }

  private namesIn(watch: string): ReadonlySet<string> {
    const all = [...this.followed.values()].flat().filter((item) => item.watch === watch);
    return new Set(all.map(({ entry }) => cacheKey(entry)));
  }
}
