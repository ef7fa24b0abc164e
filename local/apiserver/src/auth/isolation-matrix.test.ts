import type { KubeObject } from '@tektite/meta';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { UserInfo } from '../request/api-request.ts';
import { TestServer } from '../test-support.ts';

/**
 * Every actor without cluster-wide rights against every asset: a cell is denied, or named in `meant`. The actors are
 * those of a cluster without further grants: bound to a default role in one namespace, or to none.
 */
const rbac = '/apis/rbac.authorization.k8s.io/v1';
const own = 'tenant-a';
const foreign = 'tenant-b';

const authenticated = ['system:authenticated'];
const actors: Readonly<Record<string, UserInfo>> = {
  anonymous: { name: 'system:anonymous', groups: ['system:unauthenticated'] },
  'a user without roles': { name: 'jo', groups: authenticated },
  'a viewer of its namespace': { name: 'vi', groups: authenticated },
  'an editor of its namespace': { name: 'ed', groups: authenticated },
  'an admin of its namespace': { name: 'ad', groups: authenticated },
  'the default account of its namespace': {
    name: `system:serviceaccount:${own}:default`,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${own}`, ...authenticated],
  },
};

const namespaced = (namespace: string): Readonly<Record<string, string>> => ({
  secrets: `/api/v1/namespaces/${namespace}/secrets`,
  configmaps: `/api/v1/namespaces/${namespace}/configmaps`,
  pods: `/api/v1/namespaces/${namespace}/pods`,
  serviceaccounts: `/api/v1/namespaces/${namespace}/serviceaccounts`,
  leases: `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`,
  roles: `${rbac}/namespaces/${namespace}/roles`,
  rolebindings: `${rbac}/namespaces/${namespace}/rolebindings`,
  resourcequotas: `/api/v1/namespaces/${namespace}/resourcequotas`,
});

const clusterWide: Readonly<Record<string, string>> = {
  namespaces: '/api/v1/namespaces',
  nodes: '/api/v1/nodes',
  persistentvolumes: '/api/v1/persistentvolumes',
  clusterroles: `${rbac}/clusterroles`,
  clusterrolebindings: `${rbac}/clusterrolebindings`,
  customresourcedefinitions: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
  validatingwebhookconfigurations: '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
  mutatingwebhookconfigurations: '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations',
  certificatesigningrequests: '/apis/certificates.k8s.io/v1/certificatesigningrequests',
  apiservices: '/apis/apiregistration.k8s.io/v1/apiservices',
};

/** Paths of other forms: subresources, controls of the server. */
const special = (namespace: string): readonly (readonly [name: string, method: string, path: string])[] => [
  ['a token of an account', 'POST', `/api/v1/namespaces/${namespace}/serviceaccounts/default/token`],
  ['exec', 'POST', `/api/v1/namespaces/${namespace}/pods/p/exec?command=id`],
  ['attach', 'POST', `/api/v1/namespaces/${namespace}/pods/p/attach`],
  ['log', 'GET', `/api/v1/namespaces/${namespace}/pods/p/log`],
  ['port-forward', 'POST', `/api/v1/namespaces/${namespace}/pods/p/portforward`],
  ['proxy to a Pod', 'GET', `/api/v1/namespaces/${namespace}/pods/p/proxy/`],
  ['proxy to a node', 'GET', '/api/v1/nodes/n/proxy/'],
  ['approval', 'PUT', '/apis/certificates.k8s.io/v1/certificatesigningrequests/c/approval'],
  ['finalize a namespace', 'PUT', `/api/v1/namespaces/${namespace}/finalize`],
  ['eviction', 'POST', `/api/v1/namespaces/${namespace}/pods/p/eviction`],
  ['binding', 'POST', `/api/v1/namespaces/${namespace}/pods/p/binding`],
  ['metrics', 'GET', '/metrics'],
  ['profiles', 'GET', '/debug/pprof/'],
  ['logs of the machine', 'GET', '/logs/'],
  ['compaction', 'POST', '/tektite/compact'],
];

const verbs = {
  get: ['GET', '/x'],
  list: ['GET', ''],
  watch: ['GET', '?watch=1&timeoutSeconds=1'],
  create: ['POST', ''],
  update: ['PUT', '/x'],
  patch: ['PATCH', '/x'],
  delete: ['DELETE', '/x'],
  deletecollection: ['DELETE', ''],
} as const;

const read = ['get', 'list', 'watch'];
const write = ['create', 'update', 'patch', 'delete', 'deletecollection'];

/** The rights of the default roles in the actor's own namespace, as upstream has them. All else is denied. */
function meant(actor: string, verb: string, asset: string): boolean {
  const isReading = read.includes(verb);
  const isWriting = write.includes(verb);
  switch (actor) {
    case 'a viewer of its namespace':
      return isReading && ['configmaps', 'pods', 'serviceaccounts', 'resourcequotas'].includes(asset);
    case 'an editor of its namespace':
      if (['configmaps', 'pods', 'serviceaccounts', 'secrets'].includes(asset)) return isReading || isWriting;
      if (asset === 'leases') return isReading || isWriting;
      if (asset === 'resourcequotas') return isReading;
      return ['exec', 'attach', 'log', 'port-forward', 'proxy to a Pod', 'eviction', 'a token of an account'].includes(
        asset,
      );
    case 'an admin of its namespace':
      return ['roles', 'rolebindings'].includes(asset) || meant('an editor of its namespace', verb, asset);
    default:
      return false;
  }
}

describe('an actor without cluster-wide rights', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ disabledAdmissionPlugins: ['ServiceAccount'] });
    for (const name of [own, foreign]) await server.ok('POST', '/api/v1/namespaces', { metadata: { name } });
    // The default roles gather these; a controller does so, which is not part of the API server.
    const parts = { vi: ['view'], ed: ['view', 'edit'], ad: ['view', 'edit', 'admin'] };
    for (const [user, roles] of Object.entries(parts))
      for (const role of roles)
        await server.ok('POST', `${rbac}/namespaces/${own}/rolebindings`, {
          metadata: { name: `${user}-${role}` },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: `system:aggregate-to-${role}` },
          subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
        } as unknown as KubeObject);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  /** Whether the request got past authorization: any other answer than 401 and 403, also 404 or 422. */
  async function passes(user: UserInfo, method: string, path: string): Promise<boolean> {
    const body = method === 'GET' || method === 'DELETE' ? undefined : { metadata: { name: 'x' } };
    const headers: Record<string, string> =
      method === 'PATCH' ? { 'content-type': 'application/merge-patch+json' } : {};
    // Nothing is really changed: an admin would delete its own rights on the way.
    const url = method === 'GET' ? path : `${path}${path.includes('?') ? '&' : '?'}dryRun=All`;
    const response = await server.handle(method, url, body, { user, headers });
    if (response.type === 'watch') response.source.stop();
    return response.code !== 401 && response.code !== 403;
  }

  describe.each(Object.keys(actors))('%s', (actor) => {
    const user = actors[actor] as UserInfo;

    it('reaches in its own namespace what its role means, and nothing else', async () => {
      const reached: string[] = [];
      const expected: string[] = [];
      for (const [asset, path] of Object.entries(namespaced(own)))
        for (const [verb, [method, suffix]] of Object.entries(verbs)) {
          if (meant(actor, verb, asset)) expected.push(`${verb} ${asset}`);
          if (await passes(user, method, path + suffix)) reached.push(`${verb} ${asset}`);
        }
      expect(reached).toEqual(expected);
    });

    it.each([foreign, 'kube-system', 'default'])('reaches nothing in %s', async (namespace) => {
      for (const [asset, path] of Object.entries(namespaced(namespace)))
        for (const [verb, [method, suffix]] of Object.entries(verbs))
          expect([asset, verb, await passes(user, method, path + suffix)]).toEqual([asset, verb, false]);
      for (const [name, method, path] of special(namespace))
        expect([name, await passes(user, method, path)]).toEqual([name, false]);
    });

    it('reaches nothing of the cluster', async () => {
      for (const [asset, path] of Object.entries(clusterWide))
        for (const [verb, [method, suffix]] of Object.entries(verbs))
          expect([asset, verb, await passes(user, method, path + suffix)]).toEqual([asset, verb, false]);
    });

    it('cannot impersonate', async () => {
      for (const header of ['impersonate-user', 'impersonate-group', 'impersonate-uid']) {
        const headers = {
          'impersonate-user': 'admin',
          [header]: header === 'impersonate-group' ? 'system:masters' : 'admin',
        };
        const { code } = await server.send('GET', '/api/v1/namespaces', undefined, { user, headers });
        expect([401, 403]).toContain(code);
      }
    });
  });
});
