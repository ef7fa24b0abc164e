import { signal } from '@preact/signals-core';
import { type KubeApi, type KubeList } from '../api/kube-api.ts';
import { collectionPath, resources, withQuery } from '../api/resource.ts';

/** The names of the namespaces; empty for users who may not list them, who then type a name. */
export class NamespacesStore {
  readonly names = signal<readonly string[]>([]);
  private readonly api: KubeApi;
  private isLoaded = false;

  constructor({ api }: { readonly api: KubeApi }) {
    this.api = api;
  }

  async load(): Promise<void> {
    if (this.isLoaded) return;
    this.isLoaded = true;
    try {
      const list = await this.api.get<KubeList>(withQuery(collectionPath(resources.namespaces), { limit: 5000 }));
      this.names.value = (list.items ?? []).map(({ metadata }) => metadata.name ?? '').sort();
    } catch {
      this.isLoaded = false;
    }
  }
}
