import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { UserInfo } from '../../request/api-request.ts';
import { TestServer } from '../../test-support.ts';
import type { AuthorizationAttributes } from '../authorizer.ts';

const node = (name: string): UserInfo => ({
  name: `system:node:${name}`,
  groups: ['system:nodes', 'system:authenticated'],
});
const inTeam = '/api/v1/namespaces/team';

/** Refers to an object of every kind that a Pod can refer to. */
const pod = (name: string, nodeName?: string) => ({
  metadata: { name },
  spec: {
    ...(nodeName ? { nodeName } : {}),
    serviceAccountName: `${name}-account`,
    imagePullSecrets: [{ name: `${name}-pull` }],
    initContainers: [{ name: 'i', image: 'i', envFrom: [{ configMapRef: { name: `${name}-env-from` } }] }],
    containers: [
      {
        name: 'c',
        image: 'i',
        env: [
          { name: 'A', valueFrom: { secretKeyRef: { name: `${name}-env`, key: 'k' } } },
          { name: 'B', valueFrom: { configMapKeyRef: { name: `${name}-env`, key: 'k' } } },
        ],
      },
    ],
    volumes: [
      { name: 'secret', secret: { secretName: `${name}-volume` } },
      { name: 'config', configMap: { name: `${name}-volume` } },
      { name: 'claim', persistentVolumeClaim: { claimName: `${name}-claim` } },
      {
        name: 'ephemeral',
        ephemeral: {
          volumeClaimTemplate: {
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
          },
        },
      },
      {
        name: 'projected',
        projected: {
          sources: [{ secret: { name: `${name}-projected` } }, { configMap: { name: `${name}-projected` } }],
        },
      },
    ],
    resourceClaims: [{ name: 'gpu', resourceClaimName: `${name}-gpu` }],
  },
});

const volume = (name: string, claim: string) => ({
  metadata: { name },
  spec: {
    capacity: { storage: '1Gi' },
    accessModes: ['ReadWriteOnce'],
    claimRef: { namespace: 'team', name: claim },
    csi: {
      driver: 'd.example.com',
      volumeHandle: name,
      nodeStageSecretRef: { namespace: 'storage', name: `${name}-stage` },
      controllerPublishSecretRef: { namespace: 'storage', name: `${name}-controller` },
    },
  },
});

async function start(): Promise<TestServer> {
  const server = await TestServer.start({ disabledAdmissionPlugins: ['ServiceAccount'] });
  for (const name of ['team', 'storage']) await server.ok('POST', '/api/v1/namespaces', { metadata: { name } });
  return server;
}

function decide(server: TestServer, user: UserInfo, what: Partial<AuthorizationAttributes>) {
  return server.server.authorizer.authorize({
    user,
    verb: 'get',
    isResourceRequest: true,
    group: '',
    resource: 'secrets',
    subresource: '',
    namespace: '',
    name: '',
    path: '',
    ...what,
  });
}

describe('a node', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await start();
    await server.ok('POST', `${inTeam}/pods`, pod('mine', 'n1'));
    await server.ok('POST', `${inTeam}/pods`, pod('theirs', 'n2'));
    await server.ok('POST', '/api/v1/persistentvolumes', volume('pv-mine', 'mine-claim'));
    await server.ok('POST', '/api/v1/persistentvolumes', volume('pv-theirs', 'theirs-claim'));
    for (const [name, nodeName] of [
      ['va-mine', 'n1'],
      ['va-theirs', 'n2'],
    ])
      await server.ok('POST', '/apis/storage.k8s.io/v1/volumeattachments', {
        metadata: { name },
        spec: { attacher: 'd.example.com', nodeName, source: { persistentVolumeName: 'pv-mine' } },
      });
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const secret = (name: string, namespace = 'team') => ({ resource: 'secrets', namespace, name });
  const config = (name: string) => ({ resource: 'configmaps', namespace: 'team', name });
  const claim = (name: string) => ({ resource: 'persistentvolumeclaims', namespace: 'team', name });
  const lease = { group: 'coordination.k8s.io', resource: 'leases', namespace: 'kube-node-lease' };
  const csiNode = { group: 'storage.k8s.io', resource: 'csinodes' };
  const attachment = { group: 'storage.k8s.io', resource: 'volumeattachments' };
  const account = { verb: 'create', resource: 'serviceaccounts', subresource: 'token', namespace: 'team' };
  const signing = { group: 'certificates.k8s.io', resource: 'certificatesigningrequests' };
  const slices = { group: 'resource.k8s.io', resource: 'resourceslices' };
  const selecting = (field: string, value: string) => ({ fieldSelector: [{ field, operator: '=' as const, value }] });
  const other = "no relationship found between node 'n1' and this object";

  it.each<[string, Partial<AuthorizationAttributes>]>([
    ['the account of its Pod', { ...account, subresource: '', verb: 'get', name: 'mine-account' }],
    ['the pull secret of its Pod', secret('mine-pull')],
    ['a Secret in a variable of its Pod', secret('mine-env')],
    ['a Secret in a volume of its Pod', secret('mine-volume')],
    ['a Secret in a projected volume of its Pod', secret('mine-projected')],
    ['a list of one Secret of its Pod', { ...secret('mine-volume'), verb: 'list' }],
    ['a watch of one Secret of its Pod', { ...secret('mine-volume'), verb: 'watch' }],
    ['a Secret that mounts a volume of its Pod', secret('pv-mine-stage', 'storage')],
    ['a ConfigMap with variables of its Pod', config('mine-env-from')],
    ['a ConfigMap in a variable of its Pod', config('mine-env')],
    ['a ConfigMap in a volume of its Pod', config('mine-volume')],
    ['a ConfigMap in a projected volume of its Pod', config('mine-projected')],
    ['a claim of its Pod', claim('mine-claim')],
    ['the claim of an ephemeral volume of its Pod', claim('mine-ephemeral')],
    ['the status of a claim of its Pod', { ...claim('mine-claim'), subresource: 'status', verb: 'patch' }],
    ['the volume of a claim of its Pod', { resource: 'persistentvolumes', name: 'pv-mine' }],
    [
      'a device claim of its Pod',
      { group: 'resource.k8s.io', resource: 'resourceclaims', namespace: 'team', name: 'mine-gpu' },
    ],
    ['its attachment of a volume', { ...attachment, name: 'va-mine' }],
    ['a token of the account of its Pod', { ...account, name: 'mine-account' }],
    ['its own Lease', { ...lease, verb: 'update', name: 'n1' }],
    ['a new Lease', { ...lease, verb: 'create' }],
    ['its own CSINode', { ...csiNode, verb: 'patch', name: 'n1' }],
    ['its own Node', { resource: 'nodes', name: 'n1' }],
    ['a watch of its own Node', { resource: 'nodes', verb: 'watch', name: 'n1' }],
    ['a new Node', { resource: 'nodes', verb: 'create' }],
    ['the status of its Node', { resource: 'nodes', subresource: 'status', verb: 'patch', name: 'n1' }],
    ['its own Pod', { resource: 'pods', namespace: 'team', name: 'mine' }],
    ['a list of its Pods', { resource: 'pods', verb: 'list', ...selecting('spec.nodeName', 'n1') }],
    ['a watch of its Pods', { resource: 'pods', verb: 'watch', ...selecting('spec.nodeName', 'n1') }],
    ['a watch of one of its Pods', { resource: 'pods', verb: 'watch', namespace: 'team', name: 'mine' }],
    [
      'the status of a Pod',
      { resource: 'pods', subresource: 'status', verb: 'patch', namespace: 'team', name: 'mine' },
    ],
    ['an eviction', { resource: 'pods', subresource: 'eviction', verb: 'create', namespace: 'team', name: 'mine' }],
    ['a list of its ResourceSlices', { ...slices, verb: 'list', ...selecting('nodeName', 'n1') }],
    ['Events', { resource: 'events', verb: 'create', namespace: 'team' }],
    ['a watch of Services', { resource: 'services', verb: 'watch' }],
    ['a watch of CSIDrivers', { group: 'storage.k8s.io', resource: 'csidrivers', verb: 'watch' }],
    ['a watch of RuntimeClasses', { group: 'node.k8s.io', resource: 'runtimeclasses', verb: 'watch' }],
    ['a request for a certificate', { ...signing, verb: 'create' }],
    ['a review of a token', { group: 'authentication.k8s.io', resource: 'tokenreviews', verb: 'create' }],
    ['a review of access', { group: 'authorization.k8s.io', resource: 'subjectaccessreviews', verb: 'create' }],
  ])('is allowed %s', (_, what) => {
    expect(decide(server, node('n1'), what)).toEqual({ allowed: true, reason: '' });
  });

  it.each<[string, Partial<AuthorizationAttributes>, string]>([
    ['a Secret of a Pod of another node', secret('theirs-volume'), other],
    ['a bootstrap token', secret('bootstrap-token-abcdef', 'kube-system'), other],
    ['a Secret of the same name in another namespace', secret('mine-volume', 'storage'), other],
    ['a Secret for the controller of its volume', secret('pv-mine-controller', 'storage'), other],
    ['a Secret of a volume of another node', secret('pv-theirs-stage', 'storage'), other],
    ['a list of Secrets', { ...secret(''), verb: 'list' }, 'No Object name found'],
    [
      'a list of Secrets of all namespaces',
      { ...secret('', ''), verb: 'list' },
      'can only read namespaced object of this type',
    ],
    ['a new Secret', { ...secret(''), verb: 'create' }, 'can only read resources of this type'],
    [
      'a change of a Secret of its Pod',
      { ...secret('mine-volume'), verb: 'update' },
      'can only read resources of this type',
    ],
    ['a ConfigMap of another node', config('theirs-volume'), other],
    ['a claim of another node', claim('theirs-claim'), other],
    ['a list of claims', { ...claim(''), verb: 'list' }, 'can only get individual resources of this type'],
    ['the volume of another node', { resource: 'persistentvolumes', name: 'pv-theirs' }, other],
    ['the attachment of another node', { ...attachment, name: 'va-theirs' }, other],
    ['a token of the account of another node', { ...account, name: 'theirs-account' }, other],
    ['the account of another node', { ...account, subresource: '', verb: 'get', name: 'theirs-account' }, other],
    [
      'a list of accounts',
      { ...account, subresource: '', verb: 'list', name: 'mine-account' },
      'can only create tokens for individual service accounts',
    ],
    [
      'the Lease of another node',
      { ...lease, verb: 'update', name: 'n2' },
      'can only access node lease with the same name as the requesting node',
    ],
    [
      'a Lease of another namespace',
      { ...lease, namespace: 'team', name: 'n1' },
      'can only access leases in the "kube-node-lease" system namespace',
    ],
    ['a list of Leases', { ...lease, verb: 'list' }, 'can only get, create, update, patch, or delete a node lease'],
    [
      'the CSINode of another node',
      { ...csiNode, name: 'n2' },
      'can only access CSINode with the same name as the requesting node',
    ],
    ['another Node', { resource: 'nodes', name: 'n2' }, "node 'n1' cannot read 'n2', only its own Node object"],
    [
      'a list of Nodes',
      { resource: 'nodes', verb: 'list' },
      "node 'n1' cannot read all nodes, only its own Node object",
    ],
    ['the end of its Node', { resource: 'nodes', verb: 'delete', name: 'n1' }, ''],
    ['the Pod of another node', { resource: 'pods', namespace: 'team', name: 'theirs' }, other],
    [
      'a list of Pods',
      { resource: 'pods', verb: 'list' },
      'can only list/watch pods with spec.nodeName field selector',
    ],
    [
      'a list of Pods of another node',
      { resource: 'pods', verb: 'list', ...selecting('spec.nodeName', 'n2') },
      'can only list/watch pods with spec.nodeName field selector',
    ],
    ['a change of its Pod', { resource: 'pods', verb: 'update', namespace: 'team', name: 'mine' }, ''],
    ['exec in its Pod', { resource: 'pods', subresource: 'exec', verb: 'create', namespace: 'team', name: 'mine' }, ''],
    [
      'all ResourceSlices',
      { ...slices, verb: 'list' },
      'can only list/watch/deletecollection resourceslices with nodeName field selector',
    ],
    ['the approval of certificates', { ...signing, subresource: 'approval', verb: 'update', name: 'x' }, ''],
    ['a binding of roles', { group: 'rbac.authorization.k8s.io', resource: 'clusterrolebindings', verb: 'create' }, ''],
    ['metrics', { isResourceRequest: false, path: '/metrics', resource: '' }, ''],
  ])('is denied %s', (_, what, reason) => {
    expect(decide(server, node('n1'), what)).toEqual({ allowed: false, reason });
  });

  it.each<[string, UserInfo]>([
    ['without the group of nodes', { name: 'system:node:n1', groups: ['system:authenticated'] }],
    ['of the group with another name', { name: 'n1', groups: ['system:nodes', 'system:authenticated'] }],
  ])('is not meant by a user %s', (_, user) => {
    expect(decide(server, user, secret('mine-volume'))).toEqual({ allowed: false, reason: '' });
  });

  it('without a name is denied everything', () => {
    expect(decide(server, node(''), secret('mine-volume'))).toEqual({
      allowed: false,
      reason: 'unknown node for user "system:node:"',
    });
  });

  it('reads why it is denied', async () => {
    const { code, object } = await server.send('GET', `${inTeam}/secrets/theirs-volume`, undefined, {
      user: node('n1'),
    });
    expect([code, object.message]).toEqual([
      403,
      `secrets "theirs-volume" is forbidden: User "system:node:n1" cannot get resource "secrets" in API group "" in the namespace "team": ${other}`,
    ]);
  });

  it('lists and watches its own Pods, by a field selector', async () => {
    const { items } = await server.ok('GET', '/api/v1/pods?fieldSelector=spec.nodeName%3Dn1', undefined, {
      user: node('n1'),
    });
    expect(items?.map(({ metadata }) => metadata.name)).toEqual(['mine']);
    const { code } = await server.send('GET', '/api/v1/pods?fieldSelector=spec.nodeName!%3Dn1', undefined, {
      user: node('n1'),
    });
    expect(code).toBe(403);
  });

  it('asks about its own rights, and is answered that rules are not all of them', async () => {
    const path = '/apis/authorization.k8s.io/v1';
    const resourceAttributes = {
      verb: 'list',
      resource: 'pods',
      fieldSelector: { requirements: [{ key: 'spec.nodeName', operator: 'In', values: ['n1'] }] },
    };
    const options = { user: node('n1') };
    const access = await server.ok(
      'POST',
      `${path}/selfsubjectaccessreviews`,
      { spec: { resourceAttributes } },
      options,
    );
    expect(access.status).toEqual({ allowed: true });
    const rules = await server.ok('POST', `${path}/selfsubjectrulesreviews`, { spec: { namespace: 'team' } }, options);
    expect(rules.status).toMatchObject({
      incomplete: true,
      evaluationError: 'node authorizer does not support user rule resolution',
    });
  });
});

describe('the relation of a node to objects', () => {
  let server: TestServer;
  beforeEach(async () => {
    server = await start();
  });
  afterEach(() => server[Symbol.asyncDispose]());

  const reads = (name: string, resource = 'secrets') =>
    decide(server, node('n1'), { resource, namespace: 'team', name }).allowed;

  it('starts when a Pod is bound, and ends when it is deleted', async () => {
    await server.ok('POST', `${inTeam}/pods`, pod('web'));
    expect(reads('web-volume')).toBe(false);
    await server.ok('POST', `${inTeam}/pods/web/binding`, { metadata: { name: 'web' }, target: { name: 'n1' } });
    expect(reads('web-volume')).toBe(true);
    await server.ok('DELETE', `${inTeam}/pods/web?gracePeriodSeconds=0`);
    expect(reads('web-volume')).toBe(false);
  });

  it('lasts as long as one Pod of the node refers to an object', async () => {
    const { spec } = pod('web', 'n1');
    await server.ok('POST', `${inTeam}/pods`, { metadata: { name: 'a' }, spec });
    await server.ok('POST', `${inTeam}/pods`, { metadata: { name: 'b' }, spec });
    await server.ok('DELETE', `${inTeam}/pods/a?gracePeriodSeconds=0`);
    expect(reads('web-volume')).toBe(true);
    await server.ok('DELETE', `${inTeam}/pods/b?gracePeriodSeconds=0`);
    expect(reads('web-volume')).toBe(false);
  });

  it('follows a volume to its claim, also when the Pod was first', async () => {
    await server.ok('POST', `${inTeam}/pods`, pod('web', 'n1'));
    expect(decide(server, node('n1'), { namespace: 'storage', name: 'pv-stage' }).allowed).toBe(false);
    await server.ok('POST', '/api/v1/persistentvolumes', volume('pv', 'web-claim'));
    expect(decide(server, node('n1'), { namespace: 'storage', name: 'pv-stage' }).allowed).toBe(true);
    await server.ok('DELETE', '/api/v1/persistentvolumes/pv');
    await server.ok(
      'PATCH',
      '/api/v1/persistentvolumes/pv',
      { metadata: { finalizers: null } },
      {
        headers: { 'content-type': 'application/merge-patch+json' },
      },
    );
    expect(decide(server, node('n1'), { namespace: 'storage', name: 'pv-stage' }).allowed).toBe(false);
  });

  it('is not made by a mirror Pod, which a node creates itself', async () => {
    const { metadata, spec } = pod('mirror', 'n1');
    const annotations = { 'kubernetes.io/config.mirror': 'x' };
    await server.server.storage.write('/registry/pods/team/mirror', 0, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { ...metadata, namespace: 'team', annotations },
      spec,
    } as never);
    expect(reads('mirror', 'pods')).toBe(true);
    expect(reads('mirror-volume')).toBe(false);
  });
});
