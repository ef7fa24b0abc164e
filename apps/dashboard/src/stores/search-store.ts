import { computed, type ReadonlySignal, signal } from '@preact/signals-core';
import type { KubeApi, KubeList } from '../api/kube-api.ts';
import { collectionPath, withQuery } from '../api/resource.ts';
import type { DiscoveryStore, ServedResource } from './discovery-store.ts';

/** An object that was found by its name. */
export interface Found {
  readonly resource: ServedResource;
  readonly namespace: string;
  readonly name: string;
}

const metadataAccept = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json';
const maxObjects = 2000;
const maxShown = 50;
/** Objects that come and go by the thousand, and have no names of their users. */
const leftOut = new Set(['events', 'leases', 'endpointslices', 'endpoints', 'replicasets', 'controllerrevisions']);

/** Finds objects of all kinds by their names. The names are read when the search opens; metadata alone, a few kinds at a time. */
export class SearchStore {
  readonly text = signal('');
  readonly isLoading = signal(false);
  private readonly all = signal<readonly Found[]>([]);
  private readonly api: KubeApi;
  private readonly discovery: DiscoveryStore;

  constructor(api: KubeApi, discovery: DiscoveryStore) {
    this.api = api;
    this.discovery = discovery;
  }

  readonly found: ReadonlySignal<readonly Found[]> = computed(() => {
    const words = this.text.value.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length === 0) return [];
    const rank = ({ name }: Found) => (name.startsWith(words[0] ?? '') ? 0 : 1) + (name === words[0] ? -1 : 0);
    return this.all.value
      .filter(({ name, namespace, resource }) => {
        const text = `${name} ${namespace} ${resource.kind.toLowerCase()}`;
        return words.every((word) => text.includes(word));
      })
      .sort((a, b) => rank(a) - rank(b) || a.name.length - b.name.length)
      .slice(0, maxShown);
  });

  async load(): Promise<void> {
    this.isLoading.value = true;
    await this.discovery.load();
    const queue = (this.discovery.resources.value ?? []).filter(({ plural }) => !leftOut.has(plural));
    this.all.value = [];
    const work = async () => {
      for (let resource = queue.shift(); resource; resource = queue.shift()) await this.read(resource);
    };
    await Promise.all(Array.from({ length: 4 }, work));
    this.isLoading.value = false;
  }

  /** Kinds that the user may not list have nothing to find. */
  private async read(resource: ServedResource): Promise<void> {
    const path = withQuery(collectionPath(resource), { limit: maxObjects });
    try {
      const { items = [] } = await this.api.get<KubeList>(path, { accept: metadataAccept });
      const found = items.map(({ metadata: { namespace = '', name = '' } }) => ({ resource, namespace, name }));
      this.all.value = [...this.all.value, ...found];
    } catch {
      // Nothing to find.
    }
  }
}
