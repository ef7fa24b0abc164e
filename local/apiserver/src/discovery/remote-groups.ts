import { compareVersions } from '@tektite/meta';
import type { RemoteVersion } from '../aggregation/aggregator.ts';

/** A group of aggregated servers. */
export interface RemoteGroup {
  readonly name: string;
  readonly versions: readonly RemoteVersion[];
}

export function remoteGroups(versions: readonly RemoteVersion[]): RemoteGroup[] {
  const groups = new Map<string, RemoteVersion[]>();
  for (const version of versions) groups.set(version.group, [...(groups.get(version.group) ?? []), version]);
  return [...groups].map(([name, own]) => ({
    name,
    versions: own.sort((a, b) => compareVersions(a.version, b.version)),
  }));
}

/** An entry of an APIResourceList, the older form of discovery. */
interface ListedResource {
  readonly name: string;
  readonly singularName?: string;
  readonly namespaced?: boolean;
  readonly group?: string;
  readonly version?: string;
  readonly kind: string;
  readonly verbs?: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

/** A group in the aggregated form, from what its servers answered in the older one. */
export function aggregatedRemote({ name, versions }: RemoteGroup): object {
  return {
    metadata: { name },
    versions: versions.map(({ version, resources }) => ({
      version,
      resources: aggregatedResources(name, version, resources as readonly ListedResource[]),
      freshness: 'Current',
    })),
  };
}

function aggregatedResources(group: string, version: string, listed: readonly ListedResource[]): object[] {
  const kindOf = (resource: ListedResource) => ({
    group: resource.group ?? group,
    version: resource.version ?? version,
    kind: resource.kind,
  });
  return listed
    .filter(({ name }) => !name.includes('/'))
    .map((resource) => {
      const prefix = `${resource.name}/`;
      const subresources = listed.filter(({ name }) => name.startsWith(prefix));
      return {
        resource: resource.name,
        responseKind: kindOf(resource),
        scope: resource.namespaced ? 'Namespaced' : 'Cluster',
        singularResource: resource.singularName ?? '',
        verbs: resource.verbs ?? [],
        ...(resource.shortNames ? { shortNames: resource.shortNames } : {}),
        ...(resource.categories ? { categories: resource.categories } : {}),
        ...(subresources.length > 0
          ? {
              subresources: subresources.map((each) => ({
                subresource: each.name.slice(prefix.length),
                responseKind: kindOf(each),
                verbs: each.verbs ?? [],
              })),
            }
          : {}),
      };
    });
}
