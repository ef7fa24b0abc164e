import { formatApiVersion, isStatusError } from '@tektite/meta';
import type { ApiResource, ApiSurface } from './api-resource.ts';

interface ApiVersions {
  readonly versions?: readonly string[];
}

interface ApiGroupList {
  readonly groups?: readonly {
    readonly name: string;
    readonly versions?: readonly { readonly version: string }[];
    readonly preferredVersion?: { readonly version: string };
  }[];
}

interface ApiResourceList {
  readonly resources?: readonly {
    readonly name: string;
    readonly singularName?: string;
    readonly namespaced?: boolean;
    readonly kind: string;
    readonly verbs?: readonly string[];
    readonly shortNames?: readonly string[];
    readonly categories?: readonly string[];
  }[];
}

/**
 * Discovery of servers that do not aggregate: a request per group and version. One that fails is left out, for a broken
 * extension must not take the rest with it.
 *
 * @param core what `/api` said; @param groups what `/apis` said
 */
export async function readLegacy(
  core: unknown,
  groups: unknown,
  get: (path: string) => Promise<unknown>,
): Promise<ApiSurface> {
  const versions = [
    ...((core as ApiVersions | undefined)?.versions ?? []).map((version) => ({ group: '', version })),
    ...((groups as ApiGroupList | undefined)?.groups ?? []).flatMap(({ name, versions = [], preferredVersion }) =>
      versions
        .map(({ version }) => ({ group: name, version }))
        .sort(
          (a, b) => Number(b.version === preferredVersion?.version) - Number(a.version === preferredVersion?.version),
        ),
    ),
  ];
  const unavailable: string[] = [];
  const lists = await Promise.all(
    versions.map(async ({ group, version }) => {
      try {
        const list = await get(group === '' ? `/api/${version}` : `/apis/${group}/${version}`);
        return readVersion(group, version, list as ApiResourceList);
      } catch (error) {
        if (!isStatusError(error)) throw error;
        unavailable.push(formatApiVersion({ group, version }));
        return [];
      }
    }),
  );
  return { resources: lists.flat(), unavailable };
}

function readVersion(group: string, version: string, { resources = [] }: ApiResourceList): ApiResource[] {
  const subresources = new Map<string, string[]>();
  for (const { name } of resources) {
    const slash = name.indexOf('/');
    if (slash < 0) continue;
    const parent = name.slice(0, slash);
    subresources.set(parent, [...(subresources.get(parent) ?? []), name.slice(slash + 1)]);
  }
  return resources
    .filter(({ name }) => !name.includes('/'))
    .map((row) => ({
      group,
      version,
      kind: row.kind,
      plural: row.name,
      singular: row.singularName ?? '',
      scope: row.namespaced ? 'Namespaced' : 'Cluster',
      shortNames: row.shortNames ?? [],
      categories: row.categories ?? [],
      verbs: row.verbs ?? [],
      subresources: subresources.get(row.name) ?? [],
    }));
}
