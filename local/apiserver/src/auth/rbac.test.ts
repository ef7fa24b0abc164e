import { describe, expect, it } from 'vitest';
import type { UserInfo } from '../request/api-request.ts';
import { admin, TestServer } from '../test-support.ts';
import type { AuthorizationAttributes } from './authorizer.ts';
import { missingRules, ruleAllows } from './rbac-rules.ts';

const rbac = '/apis/rbac.authorization.k8s.io/v1';
const jane: UserInfo = { name: 'jane', groups: ['devs', 'system:authenticated'] };

function ask(what: Partial<AuthorizationAttributes>): AuthorizationAttributes {
  return {
    user: jane,
    verb: 'get',
    isResourceRequest: true,
    group: '',
    resource: 'pods',
    subresource: '',
    namespace: 'default',
    name: 'p',
    path: '',
    ...what,
  };
}

describe('a rule', () => {
  const pods = { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] };
  it.each([
    ['of the same words', pods, {}, true],
    ['with another verb', pods, { verb: 'delete' }, false],
    ['with another group', pods, { group: 'apps' }, false],
    ['with another resource', pods, { resource: 'secrets' }, false],
    ['of the resource, for its subresource', pods, { subresource: 'log' }, false],
    ['of a subresource', { ...pods, resources: ['pods/log'] }, { subresource: 'log' }, true],
    ['of a subresource, for the resource', { ...pods, resources: ['pods/log'] }, {}, false],
    [
      'of a subresource of everything',
      { ...pods, resources: ['*/scale'] },
      { resource: 'x', subresource: 'scale' },
      true,
    ],
    ['of all resources, for a subresource', { ...pods, resources: ['*'] }, { subresource: 'log' }, true],
    ['of all verbs', { ...pods, verbs: ['*'] }, { verb: 'impersonate' }, true],
    ['of all groups', { ...pods, apiGroups: ['*'] }, { group: 'example.com' }, true],
    ['with names, for one of them', { ...pods, resourceNames: ['p', 'q'] }, {}, true],
    ['with names, for another', { ...pods, resourceNames: ['q'] }, {}, false],
    ['with names, for a request without one', { ...pods, resourceNames: ['q'] }, { verb: 'list', name: '' }, false],
    ['with no names, for a request without one', { ...pods, resourceNames: [] }, { verb: 'list', name: '' }, true],
    [
      'of a path',
      { nonResourceURLs: ['/metrics'], verbs: ['get'] },
      { isResourceRequest: false, path: '/metrics' },
      true,
    ],
    [
      'of another path',
      { nonResourceURLs: ['/metrics'], verbs: ['get'] },
      { isResourceRequest: false, path: '/metrics/x' },
      false,
    ],
    [
      'of paths below',
      { nonResourceURLs: ['/metrics/*'], verbs: ['get'] },
      { isResourceRequest: false, path: '/metrics/x' },
      true,
    ],
    ['of all paths', { nonResourceURLs: ['*'], verbs: ['get'] }, { isResourceRequest: false, path: '/' }, true],
    [
      'of resources, for a path',
      { ...pods, resources: ['*'], verbs: ['*'] },
      { isResourceRequest: false, path: '/' },
      false,
    ],
    ['with nothing in it', { verbs: ['get'] }, {}, false],
  ])('%s allows a request or not', (_, rule, request, allowed) => {
    expect(ruleAllows(rule, ask(request))).toBe(allowed);
  });
});

describe('missing rules', () => {
  const rule = (verbs: string, resources: string, more: object = {}) => ({
    apiGroups: [''],
    verbs: verbs.split(' '),
    resources: resources.split(' '),
    ...more,
  });
  it.each([
    ['nothing, of what he has', [rule('get list', 'pods')], [rule('get', 'pods')], 0],
    [
      'nothing, when two rules together cover it',
      [rule('get', 'pods'), rule('list', 'pods')],
      [rule('get list', 'pods')],
      0,
    ],
    ['a verb', [rule('get', 'pods')], [rule('get delete', 'pods')], 1],
    ['all names from one name', [rule('get', 'pods', { resourceNames: ['a'] })], [rule('get', 'pods')], 1],
    ['nothing, of one name from all', [rule('get', 'pods')], [rule('get', 'pods', { resourceNames: ['a'] })], 0],
    ['all verbs from many', [rule('get list watch', 'pods')], [rule('*', 'pods')], 1],
    ['nothing, from everything', [rule('*', '*')], [rule('get', 'pods/log secrets')], 0],
    ['a subresource', [rule('get', 'pods')], [rule('get', 'pods/log')], 1],
    ['nothing, of a subresource held for everything', [rule('get', '*/scale')], [rule('get', 'pods/scale')], 0],
    ['a subresource of everything from one', [rule('get', 'pods/scale')], [rule('get', '*/scale')], 1],
    ['paths', [{ nonResourceURLs: ['/a'], verbs: ['get'] }], [{ nonResourceURLs: ['/a', '/b'], verbs: ['get'] }], 1],
    [
      'nothing, of paths below',
      [{ nonResourceURLs: ['/a/*'], verbs: ['get'] }],
      [{ nonResourceURLs: ['/a/b', '/a/*'], verbs: ['get'] }],
      0,
    ],
    [
      'everything below from some',
      [{ nonResourceURLs: ['/a/b'], verbs: ['get'] }],
      [{ nonResourceURLs: ['/a/*'], verbs: ['get'] }],
      1,
    ],
  ])('are %s', (_, held, wanted, count) => {
    expect(missingRules(held, wanted)).toHaveLength(count);
  });
});

async function grant(server: TestServer, name: string, rules: object[], subject: object, namespace?: string) {
  const kind = namespace ? 'Role' : 'ClusterRole';
  const at = namespace ? `${rbac}/namespaces/${namespace}` : rbac;
  const plural = namespace ? 'roles' : 'clusterroles';
  await server.ok('POST', `${at}/${plural}`, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind,
    metadata: { name },
    rules,
  });
  await bind(server, name, kind, subject, namespace);
}

async function bind(server: TestServer, name: string, kind: string, subject: object, namespace?: string) {
  const at = namespace ? `${rbac}/namespaces/${namespace}` : rbac;
  await server.ok('POST', `${at}/${namespace ? 'rolebindings' : 'clusterrolebindings'}`, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: namespace ? 'RoleBinding' : 'ClusterRoleBinding',
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name },
    subjects: [subject],
  });
}

const user = (name: string) => ({ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name });
const as = (who: UserInfo) => ({ user: who });

describe('access', () => {
  it('is refused in upstream’s words to whom nothing was granted', async () => {
    await using server = await TestServer.start();
    const answer = await server.send('GET', '/api/v1/namespaces/default/pods', undefined, as(jane));
    expect(answer.code).toBe(403);
    expect(answer.object.message).toBe(
      'pods is forbidden: User "jane" cannot list resource "pods" in API group "" in the namespace "default"',
    );
    const path = await server.send('GET', '/metrics', undefined, as(jane));
    expect(path.object.message).toBe('forbidden: User "jane" cannot get path "/metrics"');
  });

  it('comes and goes with bindings, for users, groups and service accounts', async () => {
    await using server = await TestServer.start();
    const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list'] }];
    const url = '/api/v1/namespaces/default/configmaps';
    const account: UserInfo = { name: 'system:serviceaccount:default:bot', groups: ['system:serviceaccounts'] };
    const code = async (who: UserInfo) => (await server.send('GET', url, undefined, as(who))).code;
    await grant(server, 'reader', rules, user('jane'));
    expect([await code(jane), await code(account)]).toEqual([200, 403]);
    await server.ok('DELETE', `${rbac}/clusterrolebindings/reader`);
    expect(await code(jane)).toBe(403);
    await bind(server, 'reader', 'ClusterRole', { kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: 'devs' });
    expect(await code(jane)).toBe(200);
    await bind(
      server,
      'reader',
      'ClusterRole',
      { kind: 'ServiceAccount', name: 'bot', namespace: 'default' },
      'default',
    );
    expect(await code(account)).toBe(200);
    expect((await server.send('GET', '/api/v1/configmaps', undefined, as(account))).code).toBe(403);
    // The rules of a role may change under its bindings.
    const role = await server.ok('GET', `${rbac}/clusterroles/reader`);
    await server.ok('PUT', `${rbac}/clusterroles/reader`, { ...role, rules: [] });
    expect(await code(jane)).toBe(403);
  });

  it('in a namespace does not reach beyond it', async () => {
    await using server = await TestServer.start();
    await grant(server, 'all', [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }], user('jane'), 'default');
    const code = async (url: string) => (await server.send('GET', url, undefined, as(jane))).code;
    expect(await code('/api/v1/namespaces/default/secrets')).toBe(200);
    expect(await code('/api/v1/namespaces/kube-system/secrets')).toBe(403);
    expect(await code('/api/v1/secrets')).toBe(403);
    expect(await code('/api/v1/nodes')).toBe(403);
  });

  it('cannot be taken from administrators', async () => {
    await using server = await TestServer.start();
    for (const name of ['cluster-admin']) await server.ok('DELETE', `${rbac}/clusterrolebindings/${name}`);
    await server.ok('GET', '/api/v1/nodes', undefined, as(admin));
  });

  it('of the unknown is to health and version alone', async () => {
    await using server = await TestServer.start();
    const code = async (url: string) => (await server.send('GET', url, undefined, { user: undefined })).code;
    for (const url of ['/healthz', '/livez', '/readyz', '/version']) expect(await code(url)).toBe(200);
    for (const url of [
      '/api',
      '/apis',
      '/api/v1',
      '/openapi/v2',
      '/openapi/v3',
      '/metrics',
      '/',
      '/api/v1/nodes',
      '/tektite/compact',
    ])
      expect(await code(url)).toBe(403);
  });

  it('to forget the past is the administrators’', async () => {
    await using server = await TestServer.start();
    expect((await server.send('POST', '/tektite/compact', undefined, as(jane))).code).toBe(403);
    expect((await server.send('POST', '/tektite/compact')).code).toBe(200);
    expect((await server.send('GET', '/tektite/compact')).code).toBe(405);
  });
});

describe('escalation is denied', () => {
  const manageRoles = {
    apiGroups: ['rbac.authorization.k8s.io'],
    resources: ['*'],
    verbs: ['get', 'list', 'create', 'update', 'patch', 'delete'],
  };
  const readPods = { apiGroups: [''], resources: ['pods'], verbs: ['get'] };
  const role = (name: string, rules: object[], more: object = {}) => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name },
    rules,
    ...more,
  });
  const binding = (name: string, to: string) => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: to },
    subjects: [user('jane')],
  });

  it('by a role', async () => {
    await using server = await TestServer.start();
    await grant(server, 'jane', [manageRoles, readPods], user('jane'));
    await server.ok('POST', `${rbac}/clusterroles`, role('pods', [readPods]), as(jane));
    const refused = await server.send(
      'POST',
      `${rbac}/clusterroles`,
      role('more', [{ ...readPods, verbs: ['get', 'delete', 'watch'] }]),
      as(jane),
    );
    expect(refused.code).toBe(403);
    expect(refused.object.message).toBe(
      'clusterroles.rbac.authorization.k8s.io "more" is forbidden: user "jane" (groups=["devs" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["pods"], Verbs:["delete" "watch"]}',
    );
    const widened = await server.ok('GET', `${rbac}/clusterroles/pods`);
    const update = { ...widened, rules: [{ ...readPods, resources: ['secrets'] }] };
    expect((await server.send('PUT', `${rbac}/clusterroles/pods`, update, as(jane))).code).toBe(403);
  });

  it('by a label that makes one role part of another', async () => {
    await using server = await TestServer.start();
    await grant(server, 'jane', [manageRoles], user('jane'));
    await server.ok('POST', `${rbac}/clusterroles`, role('strong', [{ ...readPods, verbs: ['*'] }]));
    const labels = { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' };
    const patch = (metadata: object) =>
      server.send(
        'PATCH',
        `${rbac}/clusterroles/strong`,
        { metadata },
        { ...as(jane), headers: { 'content-type': 'application/merge-patch+json' } },
      );
    expect((await patch({ labels })).code).toBe(403);
    // Changes for garbage collection gain no privileges.
    expect((await patch({ finalizers: ['example.com/wait'] })).code).toBe(200);
  });

  it('by gathering roles', async () => {
    await using server = await TestServer.start();
    await grant(server, 'jane', [manageRoles], user('jane'));
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] };
    const refused = await server.send('POST', `${rbac}/clusterroles`, role('sum', [], { aggregationRule }), as(jane));
    expect(refused.object.message).toContain('must have cluster-admin privileges to use the aggregationRule');
    const sum = await server.ok('POST', `${rbac}/clusterroles`, role('sum', [], { aggregationRule }));
    const { aggregationRule: _, ...without } = sum;
    expect((await server.send('PUT', `${rbac}/clusterroles/sum`, without, as(jane))).code).toBe(403);
  });

  it('by a binding', async () => {
    await using server = await TestServer.start();
    await grant(server, 'jane', [manageRoles, readPods], user('jane'));
    await server.ok('POST', `${rbac}/clusterroles`, role('pods', [readPods]));
    await server.ok('POST', `${rbac}/clusterrolebindings`, binding('fine', 'pods'), as(jane));
    const refused = await server.send('POST', `${rbac}/clusterrolebindings`, binding('no', 'cluster-admin'), as(jane));
    expect(refused.code).toBe(403);
    expect(refused.object.message).toContain('is attempting to grant RBAC permissions not currently held');
    const absent = await server.send('POST', `${rbac}/clusterrolebindings`, binding('no', 'nothing'), as(jane));
    expect(absent.code).toBe(404);
    expect(absent.object.message).toBe('clusterrolebindings.rbac.authorization.k8s.io "nothing" not found');
  });

  it('unless he may escalate or bind', async () => {
    await using server = await TestServer.start();
    const may = {
      apiGroups: ['rbac.authorization.k8s.io'],
      resources: ['clusterroles'],
      verbs: ['escalate', 'bind'],
      resourceNames: ['more', 'cluster-admin'],
    };
    await grant(server, 'jane', [manageRoles, may], user('jane'));
    await server.ok('POST', `${rbac}/clusterroles`, role('more', [{ ...readPods, verbs: ['*'] }]), as(jane));
    await server.ok('POST', `${rbac}/clusterrolebindings`, binding('self', 'cluster-admin'), as(jane));
    await server.ok('GET', '/api/v1/nodes', undefined, as(jane));
  });
});

describe('impersonation', () => {
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  const whoami = (server: TestServer, who: UserInfo, headers: Record<string, string>) =>
    server.send('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', review, { user: who, headers });

  it('lets administrators impersonate any user', async () => {
    await using server = await TestServer.start();
    const answer = await whoami(server, admin, {
      'impersonate-user': 'bob',
      'impersonate-group': 'a, b',
      'impersonate-uid': 'u1',
      'impersonate-extra-scope%2fx': 'y',
      'impersonate-extra-__proto__': 'z',
    });
    expect((answer.object.status as unknown as { userInfo: object }).userInfo).toEqual({
      username: 'bob',
      uid: 'u1',
      groups: ['a', 'b', 'system:authenticated'],
      extra: JSON.parse('{"scope/x":["y"],"__proto__":["z"]}'),
    });
    expect(({} as Record<string, unknown>)[0]).toBeUndefined();
  });

  it('gives service accounts their groups', async () => {
    await using server = await TestServer.start();
    const answer = await whoami(server, admin, { 'impersonate-user': 'system:serviceaccount:ns:bot' });
    expect(answer.object.status).toMatchObject({
      userInfo: { groups: ['system:serviceaccounts', 'system:serviceaccounts:ns', 'system:authenticated'] },
    });
  });

  it('needs permission for every part of the other', async () => {
    await using server = await TestServer.start();
    const rule = (resources: string[], resourceNames: string[], group = '') => ({
      apiGroups: [group],
      resources,
      verbs: ['impersonate'],
      resourceNames,
    });
    await grant(
      server,
      'actor',
      [rule(['users'], ['bob']), rule(['groups'], ['devs']), rule(['serviceaccounts'], ['bot'])],
      user('jane'),
    );
    const code = async (headers: Record<string, string>) => (await whoami(server, jane, headers)).code;
    expect(await code({ 'impersonate-user': 'bob' })).toBe(201);
    expect(await code({ 'impersonate-user': 'bob', 'impersonate-group': 'devs' })).toBe(201);
    expect(await code({ 'impersonate-user': 'system:serviceaccount:ns:bot' })).toBe(201);
    expect(await code({ 'impersonate-user': 'alice' })).toBe(403);
    expect(await code({ 'impersonate-user': 'bob', 'impersonate-group': 'devs, system:masters' })).toBe(403);
    expect(await code({ 'impersonate-user': 'bob', 'impersonate-uid': 'x' })).toBe(403);
    expect(await code({ 'impersonate-user': 'bob', 'impersonate-extra-x': 'y' })).toBe(403);
    expect(await code({ 'impersonate-user': 'system:serviceaccount:ns:other' })).toBe(403);
    expect(await code({ 'impersonate-group': 'devs' })).toBe(400);
  });

  it('ends what the impersonator may', async () => {
    await using server = await TestServer.start();
    const answer = await server.send('GET', '/api/v1/nodes', undefined, {
      user: admin,
      headers: { 'impersonate-user': 'bob' },
    });
    expect(answer.code).toBe(403);
    expect(answer.object.message).toContain('User "bob" cannot list resource "nodes"');
  });
});

describe('rules that say much in few words', () => {
  const words = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => prefix + index);
  const vast = { verbs: words('v', 3000), apiGroups: words('g', 3000), resources: words('r', 3000) };
  const all = { verbs: ['*'], apiGroups: ['*'], resources: ['*'] };

  it('are compared as they are, and not part by part', () => {
    expect(missingRules([all], [vast])).toEqual([]);
    expect(missingRules([vast], [vast, { ...vast, resourceNames: words('n', 3000) }])).toEqual([]);
    expect(missingRules([{ ...vast, verbs: words('v', 2999) }], [vast])).toEqual([vast]);
    expect(missingRules([], [{ ...vast, nonResourceURLs: ['/x'] }])).toHaveLength(2);
  });

  it('are not more for being said twice', () => {
    const twice = { verbs: words('v', 1), apiGroups: Array.from({ length: 50_000 }, () => 'g'), resources: ['r', 'r'] };
    expect(missingRules([], [twice])).toEqual([{ verbs: ['v0'], apiGroups: ['g'], resources: ['r'] }]);
  });
});
