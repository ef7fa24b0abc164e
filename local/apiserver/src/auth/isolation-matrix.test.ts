import type { KubeObject } from '@tektite/meta';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { UserInfo } from '../request/api-request.ts';
import { TestServer } from '../test-support.ts';

/**
 * Every actor without cluster-wide rights against everything that the server serves: a cell is denied, or listed in the actor's
 * file in `isolation-matrix/`. The actors are those of a cluster without further grants: bound to a default role in one
 * namespace, or to none.
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

/** A resource or subresource of the server, from its discovery. */
interface Asset {
  readonly name: string;
  readonly isNamespaced: boolean;
  path(namespace: string): string;
}

/** Controls of the server that are no resources. */
const controls: readonly (readonly [method: string, path: string])[] = [
  ['GET', '/metrics'],
  ['GET', '/debug/pprof/'],
  ['GET', '/logs/'],
  ['POST', '/tektite/compact'],
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

/** Every user may ask about itself. */
const aboutOneself = new Set([
  'selfsubjectaccessreviews.authorization.k8s.io',
  'selfsubjectrulesreviews.authorization.k8s.io',
  'selfsubjectreviews.authentication.k8s.io',
]);

describe('an actor without cluster-wide rights', () => {
  let server: TestServer;
  let assets: readonly Asset[];
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
  beforeAll(async () => {
    assets = await assetsOf(server);
    expect(assets.length).toBeGreaterThan(80);
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

  async function reachedVerbs(user: UserInfo, asset: Asset, namespace: string): Promise<string[]> {
    const reached: string[] = [];
    for (const [verb, [method, suffix]] of Object.entries(verbs)) {
      // A subresource is of an object, and has no collection.
      const path = asset.path(namespace);
      const isOfObject = path.endsWith('/x') || asset.name.includes('/');
      if (isOfObject && ['list', 'watch', 'deletecollection'].includes(verb)) continue;
      if (await passes(user, method, path + (isOfObject ? '' : suffix))) reached.push(verb);
    }
    return reached;
  }

  describe('that is a node', () => {
    const user: UserInfo = { name: 'system:node:n1', groups: ['system:nodes', ...authenticated] };

    it('reaches the cells that are listed for it, the same in every namespace, and no others', async () => {
      const reachedIn = async (namespace: string): Promise<string> => {
        const lines: string[] = [];
        for (const asset of assets.filter(({ isNamespaced }) => isNamespaced === (namespace !== ''))) {
          const reached = await reachedVerbs(user, asset, namespace);
          if (reached.length > 0 && !aboutOneself.has(asset.name)) lines.push(`${asset.name}: ${reached.join(' ')}`);
        }
        return lines.join('\n');
      };
      const inOwn = await reachedIn(own);
      for (const namespace of [foreign, 'kube-system', 'default', 'kube-node-lease'])
        expect([namespace, await reachedIn(namespace)]).toEqual([namespace, inOwn]);
      await expect(`In each namespace:\n${inOwn}\n\nIn the cluster:\n${await reachedIn('')}\n`).toMatchFileSnapshot(
        'isolation-matrix/a-node.txt',
      );
      for (const [method, path] of controls) expect([path, await passes(user, method, path)]).toEqual([path, false]);
    });
  });

  describe.each(Object.keys(actors))('that is %s', (actor) => {
    const user = actors[actor] as UserInfo;

    it('reaches in its own namespace the cells that are listed for it, and no others', async () => {
      const lines: string[] = [];
      for (const asset of assets.filter(({ isNamespaced }) => isNamespaced)) {
        const reached = await reachedVerbs(user, asset, own);
        if (reached.length > 0) lines.push(`${asset.name}: ${reached.join(' ')}`);
      }
      await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(`isolation-matrix/${actor.replaceAll(' ', '-')}.txt`);
    });

    it.each([foreign, 'kube-system', 'default'])('reaches nothing in %s', async (namespace) => {
      for (const asset of assets.filter(({ isNamespaced }) => isNamespaced))
        expect([asset.name, await reachedVerbs(user, asset, namespace)]).toEqual([asset.name, []]);
    });

    it('reaches nothing of the cluster but questions about itself', async () => {
      for (const asset of assets.filter(({ isNamespaced, name }) => !isNamespaced && !aboutOneself.has(name)))
        expect([asset.name, await reachedVerbs(user, asset, '')]).toEqual([asset.name, []]);
      for (const [method, path] of controls) expect([path, await passes(user, method, path)]).toEqual([path, false]);
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

/** Everything that the server serves, in one version of each group. */
async function assetsOf(server: TestServer): Promise<Asset[]> {
  const { groups } = (await server.ok('GET', '/apis')) as unknown as {
    groups: { name: string; preferredVersion: { groupVersion: string } }[];
  };
  const roots = [
    { group: '', root: '/api/v1' },
    ...groups.map(({ name, preferredVersion }) => ({ group: name, root: `/apis/${preferredVersion.groupVersion}` })),
  ];
  const assets: Asset[] = [];
  for (const { group, root } of roots) {
    const { resources } = (await server.ok('GET', root)) as unknown as {
      resources: { name: string; namespaced: boolean }[];
    };
    for (const { name, namespaced } of resources) {
      const [resource = '', subresource] = name.split('/');
      const tail = subresource === undefined ? resource : `${resource}/x/${subresource}`;
      assets.push({
        name: [resource + (group === '' ? '' : `.${group}`), ...(subresource ? [subresource] : [])].join('/'),
        isNamespaced: namespaced,
        path: (namespace) => (namespaced ? `${root}/namespaces/${namespace}/${tail}` : `${root}/${tail}`),
      });
    }
  }
  return assets.sort((a, b) => (a.name < b.name ? -1 : 1));
}
