import { type Transport, kinds } from '@tektite/client';
import { isStatusError, type Status } from '@tektite/meta';
import type { Cluster as ApiPlace } from '@tektite/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually, namespace, TestWorld } from './test-support.ts';

/** An API path below which a kind is served, its plural, and its subresources. */
const namespaced: readonly (readonly [string, string, (readonly string[])?])[] = [
  ['/apis/infrastructure.cluster.x-k8s.io/v1beta1', 'byohosts', ['status']],
  ['/apis/infrastructure.cluster.x-k8s.io/v1beta1', 'byomachines', ['status']],
  ['/apis/infrastructure.cluster.x-k8s.io/v1beta1', 'byomachinetemplates'],
  ['/apis/infrastructure.cluster.x-k8s.io/v1beta1', 'byoclusters', ['status']],
  ['/apis/infrastructure.cluster.x-k8s.io/v1beta1', 'bootstrapkubeconfigs', ['status']],
  ['/apis/infrastructure.cluster.x-k8s.io/v1beta1', 'k8sinstallerconfigs', ['status']],
  ['/apis/infrastructure.cluster.x-k8s.io/v1beta1', 'k8sinstallerconfigtemplates'],
  ['/apis/cluster.x-k8s.io/v1beta1', 'clusters', ['status']],
  ['/apis/cluster.x-k8s.io/v1beta1', 'machines', ['status']],
  ['/api/v1', 'secrets'],
  ['/api/v1', 'configmaps'],
  ['/api/v1', 'events'],
  ['/apis/events.k8s.io/v1', 'events'],
  ['/api/v1', 'pods', ['status', 'exec', 'log', 'eviction']],
  ['/api/v1', 'serviceaccounts', ['token']],
  ['/apis/apps/v1', 'deployments'],
  ['/apis/coordination.k8s.io/v1', 'leases'],
  ['/apis/rbac.authorization.k8s.io/v1', 'roles'],
  ['/apis/rbac.authorization.k8s.io/v1', 'rolebindings'],
];
const clusterWide: typeof namespaced = [
  ['/apis/certificates.k8s.io/v1', 'certificatesigningrequests', ['approval', 'status']],
  ['/api/v1', 'nodes', ['status']],
  ['/api/v1', 'namespaces', ['status']],
  ['/apis/rbac.authorization.k8s.io/v1', 'clusterroles'],
  ['/apis/rbac.authorization.k8s.io/v1', 'clusterrolebindings'],
  ['/apis/apiextensions.k8s.io/v1', 'customresourcedefinitions'],
  ['/apis/admissionregistration.k8s.io/v1', 'validatingwebhookconfigurations'],
  ['/apis/admissionregistration.k8s.io/v1', 'mutatingwebhookconfigurations'],
];

/** Names of objects of the host `h1` and its machine `m1`; the same names are tried in namespaces that are not its own. */
const own: Readonly<Record<string, readonly string[]>> = {
  byohosts: ['h1'],
  byomachines: ['m1'],
  k8sinstallerconfigs: ['m1'],
  machines: ['m1'],
  clusters: ['c1'],
  byoclusters: ['c1'],
  bootstrapkubeconfigs: ['hosts'],
  secrets: ['m1', 'm1-boot', 'c1-kubeconfig'],
  configmaps: ['byoh-host-h1', 'extension-apiserver-authentication'],
  leases: ['byoh-host-h1', 'kube-controller-manager'],
  certificatesigningrequests: ['byoh-csr-h1'],
  nodes: ['h1'],
  namespaces: [namespace, 'tenant-b'],
  roles: ['byoh-host-h1', 'byoh-secrets-h1'],
  rolebindings: ['byoh-host-h1', 'byoh-secrets-h1'],
  clusterroles: ['byoh-hosts', 'cluster-admin'],
  clusterrolebindings: ['byoh-hosts', 'cluster-admin'],
  serviceaccounts: ['default'],
};
/** Names of another host, of another tenant, and of objects that do not exist. */
const others = ['h2', 'm2', 'byoh-host-h2', 'byoh-csr-h2', 'none'];

/** All that is meant. Every other cell of the matrix is denied. */
const meant = {
  host: [
    'create byohosts in default',
    'create events in default',
    'get byohosts h1 in default',
    'list byohosts h1 in default',
    'watch byohosts h1 in default',
    'update byohosts h1 in default',
    'patch byohosts h1 in default',
    'get byohosts/status h1 in default',
    'update byohosts/status h1 in default',
    'patch byohosts/status h1 in default',
    'get leases byoh-host-h1 in default',
    'update leases byoh-host-h1 in default',
    'patch leases byoh-host-h1 in default',
    'get secrets m1 in default',
    'get secrets m1-boot in default',
  ],
  bootstrapper: [] as string[],
  both: [
    'create certificatesigningrequests',
    ...['byoh-csr-h1', ...others].map((name) => `get certificatesigningrequests ${name}`),
  ],
};

interface Probe {
  readonly cell: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly isWatch?: boolean;
}

/** Every verb of a kind: on the collection, on each name, and on each subresource of it. */
function probesOf([root, plural, subresources = []]: (typeof namespaced)[number], where: string | undefined): Probe[] {
  const collection = where === undefined ? `${root}/${plural}` : `${root}/namespaces/${where}/${plural}`;
  const inside = where === undefined ? '' : ` in ${where}`;
  const probes: Probe[] = [
    { cell: `create ${plural}${inside}`, method: 'POST', path: collection },
    { cell: `list ${plural}${inside}`, method: 'GET', path: collection },
    { cell: `watch ${plural}${inside}`, method: 'GET', path: collection, isWatch: true },
    { cell: `deletecollection ${plural}${inside}`, method: 'DELETE', path: collection },
  ];
  if (where === namespace)
    for (const [verb, isWatch] of [
      ['list', false],
      ['watch', true],
    ] as const)
      probes.push({ cell: `${verb} ${plural} everywhere`, method: 'GET', path: `${root}/${plural}`, isWatch });
  for (const name of new Set([...(own[plural] ?? []), ...others])) {
    const path = `${collection}/${name}`;
    const one = (verb: string, method: Probe['method'], more: Partial<Probe> = {}): Probe => ({
      cell: `${verb} ${plural} ${name}${inside}`,
      method,
      path,
      ...more,
    });
    const query = { fieldSelector: `metadata.name=${name}` };
    probes.push(one('get', 'GET'), one('update', 'PUT'), one('patch', 'PATCH'), one('delete', 'DELETE'));
    probes.push(one('list', 'GET', { path: collection, query }));
    probes.push(one('watch', 'GET', { path: collection, query, isWatch: true }));
    for (const subresource of subresources)
      for (const [verb, method] of [
        ['get', 'GET'],
        ['update', 'PUT'],
        ['patch', 'PATCH'],
        ['create', 'POST'],
      ] as const) {
        const cell = `${verb} ${plural}/${subresource} ${name}${inside}`;
        // A request that a server without the verb answers otherwise than by RBAC is no right.
        probes.push({ cell, method, path: `${path}/${subresource}` });
      }
  }
  return probes;
}

/** Whether RBAC lets a request pass. Bodies are empty: a request that passes fails later, and changes nothing. */
async function isAllowed(transport: Transport, { method, path, query = {}, isWatch }: Probe): Promise<boolean> {
  const parameters = new URLSearchParams({ dryRun: 'All', ...query });
  if (isWatch) {
    try {
      const search = new URLSearchParams({ watch: 'true', timeoutSeconds: '1', ...query });
      (await transport.watch({ method, path, query: search })).close();
      return true;
    } catch (error) {
      if (isStatusError(error)) return !isDenied(error.status);
      throw error;
    }
  }
  const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const hasBody = method !== 'GET' && method !== 'DELETE';
  const answer = await transport.request({
    method,
    path,
    query: method === 'GET' ? new URLSearchParams(query) : parameters,
    ...(hasBody ? { body: {}, contentType } : {}),
  });
  // No such path, no such verb: there is nothing to be allowed.
  if (answer.status === 405) return false;
  return !isDenied(answer.body as Status);
}

/** By RBAC; a webhook denies in other words, and then RBAC did not. */
function isDenied({ code, message = '' }: Partial<Status>): boolean {
  return code === 403 && / is forbidden: User ".*" cannot /.test(message);
}

/** Each verb on each kind in each namespace, by a host and by the bearer of a bootstrap token, on any API server. */
export function accessMatrixCases(open: () => Promise<ApiPlace>): void {
  let world: TestWorld;
  beforeEach(async () => {
    world = new TestWorld(await open());
    await world.manager();
    await world.client.create(kinds.Namespace, { metadata: { name: 'tenant-b' } });
  }, 60_000);
  afterEach(() => world[Symbol.asyncDispose]());

  async function allowedFor(user: { name: string; groups: string[] }): Promise<string[]> {
    const transport = world.place.transport(user);
    const probes = [
      ...[namespace, 'tenant-b', 'kube-system', 'byoh-system'].flatMap((where) =>
        namespaced.flatMap((kind) => probesOf(kind, where)),
      ),
      ...clusterWide.flatMap((kind) => probesOf(kind, undefined)),
    ];
    expect(probes.length).toBeGreaterThan(3000);
    const allowed = new Set<string>();
    try {
      for (const probe of probes) if (await isAllowed(transport, probe)) allowed.add(probe.cell);
    } finally {
      await transport.close();
    }
    return [...allowed].toSorted();
  }

  describe('of all requests', () => {
    it('a host with a machine may make those about itself, and no others', { timeout: 120_000 }, async () => {
      await world.template();
      await world.cluster('c1');
      await world.dryAgent('h1');
      await world.node('h1');
      await world.machine('m1');
      await eventually(() => world.hostReady('m1')).toBe('True');
      const allowed = await allowedFor({ name: 'byoh:host:h1', groups: ['byoh:hosts', 'system:authenticated'] });
      expect(allowed).toEqual([...meant.host, ...meant.both].toSorted());
    });

    it('the bearer of a bootstrap token may ask for a certificate, and nothing else', {
      timeout: 120_000,
    }, async () => {
      await world.bootstrapKubeconfig();
      const allowed = await allowedFor(await world.bearer('hosts'));
      expect(allowed).toEqual([...meant.bootstrapper, ...meant.both].toSorted());
    });
  });
}
