import { signal } from '@preact/signals-core';
import type { KubeObject } from '@tektite/meta';
import { ApiError, type KubeApi, type KubeList } from '../api/kube-api.ts';
import { collectionPath, objectPath, withQuery } from '../api/resource.ts';
import type { DiscoveryStore, ServedResource } from './discovery-store.ts';

/** An object with those that it owns. */
export interface OwnedNode {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** Absent where the server has no such kind. */
  readonly resource: ServedResource | undefined;
  /** The object that the tree was made for. */
  readonly isSelf: boolean;
  /** It is named as an owner, and cannot be read. */
  readonly isMissing: boolean;
  readonly owned: readonly OwnedNode[];
}

interface Read {
  readonly resource: ServedResource | undefined;
  readonly object: KubeObject;
}

const accept = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json';
const pageSize = 500;
const maxPages = 20;
const readers = 4;
const maxDepth = 20;
/** They own nothing, and come by the thousand. */
const leftOut = new Set(['events', 'componentstatuses']);

/**
 * The owners of an object and all that they own, as trees from the topmost owners. Only metadata is read, of all kinds that the user
 * may list; owned objects are in the namespace of their owner, unless that has none.
 */
export class OwnershipStore {
  readonly roots = signal<readonly OwnedNode[] | undefined>(undefined);
  readonly error = signal<string | undefined>(undefined);
  private readonly api: KubeApi;
  private readonly discovery: DiscoveryStore;
  private loads = 0;

  constructor(api: KubeApi, discovery: DiscoveryStore) {
    this.api = api;
    this.discovery = discovery;
  }

  async load(self: KubeObject): Promise<void> {
    const load = ++this.loads;
    try {
      await this.discovery.load();
      const tops = await this.owners({ resource: this.discovery.findKind(self.apiVersion, self.kind), object: self });
      const isWide = tops.some(({ object }) => !object.metadata.namespace);
      const all = await this.readAll(isWide ? undefined : self.metadata.namespace);
      if (load !== this.loads) return;
      this.roots.value = tops.map((top) => nodeOf(top, all, self.metadata.uid ?? '', 0));
      this.error.value = undefined;
    } catch (error) {
      this.error.value = (error as Error).message;
    }
  }

  /** The objects at the top, above this one: itself when nothing owns it. */
  private async owners(read: Read, depth = 0): Promise<readonly Read[]> {
    const { ownerReferences = [], namespace } = read.object.metadata;
    if (ownerReferences.length === 0 || depth > maxDepth) return [read];
    const found = await Promise.all(
      ownerReferences.map(async ({ apiVersion, kind, name, uid }) => {
        const resource = this.discovery.findKind(apiVersion, kind);
        const owner = resource && (await this.readOne(resource, namespace, name));
        const object: KubeObject = owner ?? { apiVersion, kind, metadata: { name, uid } };
        return this.owners({ resource, object: { ...object, apiVersion, kind } }, depth + 1);
      }),
    );
    return found.flat();
  }

  private async readOne(
    resource: ServedResource,
    namespace: string | undefined,
    name: string,
  ): Promise<KubeObject | undefined> {
    try {
      return await this.api.get<KubeObject>(objectPath(resource, resource.isNamespaced ? namespace : undefined, name));
    } catch (error) {
      if (error instanceof ApiError && (error.code === 403 || error.code === 404)) return undefined;
      throw error;
    }
  }

  /** All objects that have owners, by the uid of each. */
  private async readAll(namespace: string | undefined): Promise<ReadonlyMap<string, readonly Read[]>> {
    const queue = (this.discovery.resources.value ?? []).filter(
      ({ plural, isNamespaced }) => !leftOut.has(plural) && (isNamespaced || namespace === undefined),
    );
    const byOwner = new Map<string, Read[]>();
    const work = async () => {
      for (let resource = queue.shift(); resource; resource = queue.shift())
        for (const object of await this.readKind(resource, namespace))
          for (const { uid } of object.metadata.ownerReferences ?? [])
            byOwner.set(uid, [...(byOwner.get(uid) ?? []), { resource, object }]);
    };
    await Promise.all(Array.from({ length: readers }, work));
    return byOwner;
  }

  /** Kinds that the user may not list have nothing to show. */
  private async readKind(resource: ServedResource, namespace: string | undefined): Promise<readonly KubeObject[]> {
    const found: KubeObject[] = [];
    try {
      let next: string | undefined = '';
      for (let page = 0; page < maxPages && next !== undefined; page++) {
        const path = withQuery(collectionPath(resource, namespace), { limit: pageSize, continue: next });
        const list: KubeList = await this.api.get(path, { accept });
        found.push(...(list.items ?? []));
        next = list.metadata.continue || undefined;
      }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
    }
    return found;
  }
}

function nodeOf(
  { resource, object }: Read,
  byOwner: ReadonlyMap<string, readonly Read[]>,
  self: string,
  depth: number,
): OwnedNode {
  const { name = '', namespace = '', uid = '', creationTimestamp } = object.metadata;
  const owned = depth > maxDepth ? [] : (byOwner.get(uid) ?? []).map((each) => nodeOf(each, byOwner, self, depth + 1));
  return {
    kind: resource?.kind ?? object.kind,
    namespace,
    name,
    uid,
    resource,
    isSelf: uid === self,
    isMissing: creationTimestamp === undefined,
    owned: owned.toSorted((a, b) => compare(a.kind, b.kind) || compare(a.name, b.name)),
  };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
