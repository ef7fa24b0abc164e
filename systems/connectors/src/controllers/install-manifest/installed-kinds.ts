import type { RunningSource, Source, SourceTarget } from '@tektite/controller';
import { cacheKey, type InformerLease, metadataOnly, type ObjectMetadata } from '@tektite/controller/cache';
import { formatApiVersion, type KubeObject } from '@tektite/meta';
import type { InventoryEntry } from '@tektite/installer';
import { keys, operatorName } from '../../connector-keys.ts';

type Lease = InformerLease<KubeObject, ObjectMetadata>;

/**
 * Follows the installed objects of InstallManifests, of any kind: a change or a deletion enqueues the InstallManifest.
 * It keeps only the metadata of objects, and watches only objects that the operator manages.
 *
 * @example const installed = new InstalledKinds((object) => keysOf(object));
 * installed.follow(manifest.status.inventory); // in the reconciler
 */
export class InstalledKinds implements Source {
  readonly describe = 'installed objects';
  private readonly keysOf: (object: ObjectMetadata) => readonly string[];
  private readonly running = new Map<SourceTarget, Map<string, Lease>>();

  /** `keysOf` names the InstallManifests of an object that has no owner. */
  constructor(keysOf: (object: ObjectMetadata) => readonly string[]) {
    this.keysOf = keysOf;
  }

  /** From now on, objects of these kinds are followed. */
  follow(entries: readonly InventoryEntry[]): void {
    for (const [target, leases] of this.running)
      for (const { group, version, kind } of entries) {
        const id = `${kind}.${group}`;
        if (!leases.has(id)) leases.set(id, this.watch(target, formatApiVersion({ group, version }), kind));
      }
  }

  start(target: SourceTarget): RunningSource {
    const leases = new Map<string, Lease>();
    this.running.set(target, leases);
    return {
      synced: () => Promise.resolve(),
      stop: async () => {
        this.running.delete(target);
        await Promise.all([...leases.values()].map((lease) => lease.release()));
      },
    };
  }

  private watch(target: SourceTarget, apiVersion: string, kind: string): Lease {
    const lease = target.informers.acquire<KubeObject, ObjectMetadata>(
      { apiVersion, kind },
      { labelSelector: `${keys.managedBy}=${operatorName}`, transform: metadataOnly },
    );
    const add = (object: ObjectMetadata, change: string): void => {
      const cause = { kind, object: cacheKey(object.metadata), change };
      for (const key of this.manifestsOf(object, target)) target.add(key, { cause });
    };
    lease.informer.addHandler({
      // Objects of the initial list were created by the reconcile that follows the kind.
      added: (object, { initial }) => void (initial || add(object, 'added')),
      modified: (object) => add(object, 'modified'),
      deleted: (object) => add(object, 'deleted'),
    });
    return lease;
  }

  private manifestsOf(object: ObjectMetadata, { kind }: SourceTarget): readonly string[] {
    const owners = (object.metadata.ownerReferences ?? []).filter(
      (owner) => owner.kind === kind.kind && owner.apiVersion.startsWith(`${kind.group}/`),
    );
    return owners.length > 0 ? owners.map(({ name }) => name) : this.keysOf(object);
  }
}
