import { signal } from '@preact/signals-core';
import type { KubeApi } from '../api/kube-api.ts';
import type { Resource } from '../api/resource.ts';

/** A resource that the server serves, and what can be done with it. */
export interface ServedResource extends Resource {
  readonly kind: string;
  readonly isNamespaced: boolean;
  readonly verbs: readonly string[];
}

interface GroupList {
  readonly groups: readonly { readonly name: string; readonly preferredVersion: { readonly groupVersion: string } }[];
}

interface ResourceList {
  readonly resources: readonly {
    readonly name: string;
    readonly kind: string;
    readonly namespaced: boolean;
    readonly verbs: readonly string[];
  }[];
}

/** The resources that can be listed, of the preferred version of each group. Read once. */
export class DiscoveryStore {
  readonly resources = signal<readonly ServedResource[] | undefined>(undefined);
  readonly error = signal<string | undefined>(undefined);
  private readonly api: KubeApi;
  private loading: Promise<void> | undefined;

  constructor(api: KubeApi) {
    this.api = api;
  }

  load(): Promise<void> {
    return (this.loading ??= this.read().catch((error: Error) => {
      this.loading = undefined;
      this.error.value = error.message;
    }));
  }

  find({ group, plural }: Pick<Resource, 'group' | 'plural'>): ServedResource | undefined {
    return this.resources.value?.find((each) => each.group === group && each.plural === plural);
  }

  /** A resource by its apiVersion and kind, for owners. */
  findKind(apiVersion: string, kind: string): ServedResource | undefined {
    const group = apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';
    return this.resources.value?.find((each) => each.group === group && each.kind === kind);
  }

  private async read(): Promise<void> {
    const { groups } = await this.api.get<GroupList>('/apis');
    const paths = ['/api/v1', ...groups.map(({ preferredVersion }) => `/apis/${preferredVersion.groupVersion}`)];
    // A group whose server does not answer must not hide the others.
    const lists = await Promise.all(
      paths.map((path) => this.api.get<ResourceList>(path).catch((): ResourceList => ({ resources: [] }))),
    );
    this.resources.value = lists.flatMap((list, index) => {
      const [group = '', version = ''] = index === 0 ? ['', 'v1'] : (paths[index]?.split('/').slice(2) ?? []);
      return list.resources
        .filter(({ name, verbs }) => !name.includes('/') && verbs.includes('list'))
        .map(({ name, kind, namespaced, verbs }) => ({
          group,
          version,
          plural: name,
          kind,
          isNamespaced: namespaced,
          verbs,
        }));
    });
  }
}
