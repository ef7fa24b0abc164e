import type { ApiResource, ApiSurface } from './api-resource.ts';

/** Requests aggregated discovery; older servers read only the last part. */
export const aggregatedAccept =
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json';

export interface ApiGroupDiscoveryList {
  readonly kind: 'APIGroupDiscoveryList';
  readonly items?: readonly {
    readonly metadata?: { readonly name?: string };
    readonly versions?: readonly VersionDiscovery[];
  }[];
}

interface VersionDiscovery {
  readonly version: string;
  readonly freshness?: string;
  readonly resources?: readonly {
    readonly resource: string;
    readonly responseKind?: { readonly kind?: string };
    readonly scope: string;
    readonly singularResource?: string;
    readonly verbs?: readonly string[];
    readonly shortNames?: readonly string[];
    readonly categories?: readonly string[];
    readonly subresources?: readonly { readonly subresource: string }[];
  }[];
}

export function isAggregated(body: unknown): body is ApiGroupDiscoveryList {
  return typeof body === 'object' && body !== null && (body as { kind?: unknown }).kind === 'APIGroupDiscoveryList';
}

export function readAggregated(list: ApiGroupDiscoveryList): ApiSurface {
  const groups = (list.items ?? []).flatMap(({ metadata, versions = [] }) =>
    versions.map((version) => ({ group: metadata?.name ?? '', version })),
  );
  return {
    resources: groups.flatMap(({ group, version }) => readVersion(group, version)),
    unavailable: groups
      .filter(({ version }) => version.freshness === 'Stale' && !version.resources?.length)
      .map(({ group, version }) => `${group}/${version.version}`),
  };
}

function readVersion(group: string, { version, resources = [] }: VersionDiscovery): ApiResource[] {
  return resources
    .filter(({ responseKind }) => responseKind?.kind)
    .map((row) => ({
      group,
      version,
      kind: row.responseKind?.kind ?? '',
      plural: row.resource,
      singular: row.singularResource ?? '',
      scope: row.scope === 'Namespaced' ? 'Namespaced' : 'Cluster',
      shortNames: row.shortNames ?? [],
      categories: row.categories ?? [],
      verbs: row.verbs ?? [],
      subresources: (row.subresources ?? []).map(({ subresource }) => subresource),
    }));
}
