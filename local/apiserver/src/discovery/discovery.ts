import { createHash } from 'node:crypto';
import { formatApiVersion, unknownPathError } from '@tektite/meta';
import type { Resource } from '../registry/resource.ts';
import type { GroupEntry, ResourceTable } from '../registry/resource-table.ts';
import type { ApiResponse } from '../request/api-response.ts';
import type { RemoteVersion } from '../aggregation/aggregator.ts';
import { aggregatedRemote, remoteGroups } from './remote-groups.ts';
import { negotiate } from '../request/negotiate.ts';

const aggregated: ReadonlySet<string> = new Set(['APIGroupDiscoveryList;apidiscovery.k8s.io;v2']);
const plain: ReadonlySet<string> = new Set();

/**
 * Answers `/api`, `/apis` and the paths of groups and versions: in the aggregated form for clients that ask for it, in
 * the older one, a request per group, for those that do not.
 */
export class Discovery {
  private readonly table: ResourceTable;
  private readonly remotes: () => readonly RemoteVersion[];

  /** `remotes` are the versions of aggregated servers. */
  constructor(table: ResourceTable, remotes: () => readonly RemoteVersion[] = () => []) {
    this.table = table;
    this.remotes = remotes;
  }

  /** `undefined` when the path is none of discovery's. */
  answer(segments: readonly string[], accept: string | undefined, serverAddress: string): ApiResponse | undefined {
    if (segments[0] === 'api') {
      if (segments.length === 1) return this.root(accept, () => legacyVersions(serverAddress), ['']);
      if (segments.length === 2) return this.version('', segments[1] as string, accept);
      return undefined;
    }
    if (segments[0] !== 'apis') return undefined;
    const groups = this.table.allGroups();
    if (segments.length === 1) {
      const list = () => ({
        kind: 'APIGroupList',
        apiVersion: 'v1',
        groups: [...groups, ...remoteGroups(this.remotes())].map(({ name, versions }) => groupBody(name, versions)),
      });
      return this.root(
        accept,
        list,
        groups.map(({ name }) => name),
        remoteGroups(this.remotes()).map(aggregatedRemote),
      );
    }
    const group =
      this.table.group(segments[1] as string) ?? remoteGroups(this.remotes()).find(({ name }) => name === segments[1]);
    if (segments.length === 2)
      return group
        ? json({ kind: 'APIGroup', apiVersion: 'v1', ...groupBody(group.name, group.versions) }, accept)
        : notFoundPage;
    if (segments.length === 3) return this.version(segments[1] as string, segments[2] as string, accept);
    return undefined;
  }

  private root(
    accept: string | undefined,
    legacy: () => object,
    groups: readonly string[],
    remotes: readonly object[] = [],
  ): ApiResponse {
    const form = negotiate(accept, aggregated);
    if (form.as === undefined) return { code: 200, type: 'object', media: form.media, object: legacy() };
    const items = [...groups.map((name) => aggregatedGroup(this.table.group(name) as GroupEntry)), ...remotes];
    return {
      code: 200,
      type: 'object',
      media: form.media,
      headers: {
        'content-type': 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
        'cache-control': 'public',
        vary: 'Accept',
      },
      object: { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', metadata: {}, items },
    };
  }

  private version(group: string, version: string, accept: string | undefined): ApiResponse {
    const entry = this.table.group(group);
    const found = entry?.versions.find((candidate) => candidate.version === version);
    if (!found) {
      // Groups of CRDs are served by another part of upstream, which answers a plain page.
      if (!entry || entry.versions.some(({ resources }) => resources.some(({ custom }) => custom))) return notFoundPage;
      throw unknownPathError();
    }
    const resources = found.resources.flatMap(legacyResource);
    return json(
      {
        kind: 'APIResourceList',
        // The list of the core group has none, as clients older than that field expect.
        ...(group === '' ? {} : { apiVersion: 'v1' }),
        groupVersion: formatApiVersion({ group, version }),
        resources,
      },
      accept,
    );
  }
}

/** The page of Go's HTTP server. */
export const notFoundPage: ApiResponse = {
  code: 404,
  type: 'text',
  text: '404 page not found\n',
  contentType: 'text/plain; charset=utf-8',
  headers: { 'x-content-type-options': 'nosniff' },
};

function json(object: object, accept: string | undefined): ApiResponse {
  return { code: 200, type: 'object', media: negotiate(accept, plain).media, object };
}

function legacyVersions(serverAddress: string): object {
  return {
    kind: 'APIVersions',
    versions: ['v1'],
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
  };
}

function groupBody(name: string, versions: readonly { readonly version: string }[]): object {
  const named = versions.map(({ version }) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions: named, preferredVersion: named[0] };
}

function legacyResource(resource: Resource): object[] {
  const { plural, singular, namespaced, kind, verbs, shortNames, categories, subresources } = resource;
  return [
    {
      name: plural,
      singularName: singular,
      namespaced,
      kind,
      verbs,
      ...(shortNames.length > 0 ? { shortNames } : {}),
      ...(categories.length > 0 ? { categories } : {}),
      ...(verbs.includes('list') && plural !== 'componentstatuses'
        ? { storageVersionHash: storageVersionHash(resource) }
        : {}),
    },
    ...subresources.map(({ name, kind: of, group, version, verbs: can }) => ({
      name: `${plural}/${name}`,
      singularName: '',
      namespaced,
      ...(group === undefined ? {} : { group, version }),
      kind: of,
      verbs: can,
    })),
  ];
}

/** Lets storage migrators see that the stored version changed. */
function storageVersionHash({ group, storageVersion, kind }: Resource): string {
  const older = olderStorageVersions.get(`${group}/${kind}`);
  if (older !== undefined) return hashOf(`${group}/${older}/${kind}`);
  const stored = storageVersion.includes('/')
    ? storageVersion
    : group === '' || storageVersion === 'v1'
      ? `/${storageVersion}`
      : `${group}/${storageVersion}`;
  return hashOf(`${stored}/${kind}`);
}

/** Kinds that kube-apiserver 1.36 stores in an older version. What is stored here is not seen outside, but the hash is. */
const olderStorageVersions: ReadonlyMap<string, string> = new Map([
  ['apiextensions.k8s.io/CustomResourceDefinition', 'v1beta1'],
  ['admissionregistration.k8s.io/MutatingAdmissionPolicy', 'v1beta1'],
  ['admissionregistration.k8s.io/MutatingAdmissionPolicyBinding', 'v1beta1'],
]);

function hashOf(version: string): string {
  return createHash('sha256').update(version).digest().subarray(0, 8).toString('base64');
}

function aggregatedGroup({ name, versions }: GroupEntry): object {
  return {
    metadata: name === '' ? {} : { name },
    versions: versions.map(({ version, resources }) => ({
      version,
      resources: resources.map(aggregatedResource),
      freshness: 'Current',
    })),
  };
}

function aggregatedResource(resource: Resource): object {
  const { group, version, plural, singular, kind, namespaced, verbs, shortNames, categories, subresources, custom } =
    resource;
  const own = (of: string) => (custom ? { group, version, kind: of } : { group: '', version: '', kind: of });
  return {
    resource: plural,
    responseKind: own(kind),
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs,
    ...(shortNames.length > 0 ? { shortNames } : {}),
    ...(categories.length > 0 ? { categories } : {}),
    ...(subresources.length > 0
      ? {
          subresources: subresources.map((sub) => ({
            subresource: sub.name,
            responseKind:
              sub.group === undefined ? own(sub.kind) : { group: sub.group, version: sub.version, kind: sub.kind },
            verbs: sub.verbs,
          })),
        }
      : {}),
  };
}
