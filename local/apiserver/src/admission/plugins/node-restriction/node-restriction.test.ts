import { generateKeyPairSync } from 'node:crypto';
import { createSigningRequest } from '@tektite/certificates';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { UserInfo } from '../../../request/api-request.ts';
import { type AnyObject, TestServer } from '../../../test-support.ts';

const user: UserInfo = { name: 'system:node:n1', groups: ['system:nodes', 'system:authenticated'] };
const merge = { 'content-type': 'application/merge-patch+json' };
const pods = '/api/v1/namespaces/default/pods';
const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
const csiNodes = '/apis/storage.k8s.io/v1/csinodes';

let server: TestServer;
let own: AnyObject;

beforeEach(async () => {
  server = await TestServer.start({ disabledAdmissionPlugins: ['ServiceAccount'] });
  own = await server.ok('POST', '/api/v1/nodes', { metadata: { name: 'n1' } });
  await server.ok('POST', '/api/v1/nodes', { metadata: { name: 'n2' } });
  for (const [name, nodeName] of [
    ['mine', 'n1'],
    ['theirs', 'n2'],
  ])
    await server.ok('POST', pods, {
      metadata: { name },
      spec: {
        nodeName,
        serviceAccountName: 'default',
        containers: [{ name: 'c', image: 'i' }],
        volumes: [
          {
            name: 'tokens',
            projected: {
              sources: [
                { serviceAccountToken: { path: 'own' } },
                { serviceAccountToken: { path: 'vault', audience: 'vault' } },
              ],
            },
          },
        ],
      },
    });
});
afterEach(() => server[Symbol.asyncDispose]());

/** The answer that the node gets: empty, or why it is denied. */
async function answer(method: string, path: string, body?: unknown): Promise<string> {
  const options = { user, ...(method === 'PATCH' ? { headers: merge } : {}) };
  const { code, object } = await server.send(method, path, body, options);
  if (code < 300) return '';
  expect(code, object.message).toBe(403);
  return object.message ?? '';
}

describe('the Node of a node', () => {
  const register = (name: string, rest: object = {}, labels = {}) =>
    answer('POST', '/api/v1/nodes', { metadata: { name, labels }, ...rest });
  const change = (patch: object, path = 'n1') => answer('PATCH', `/api/v1/nodes/${path}`, patch);

  it('is registered by itself, with taints and the labels of a kubelet', async () => {
    await server.ok('DELETE', '/api/v1/nodes/n1');
    const labels = {
      'kubernetes.io/hostname': 'n1',
      'topology.kubernetes.io/zone': 'z',
      'node.kubernetes.io/pool': 'p',
      'x.kubelet.kubernetes.io/y': 'z',
      'example.com/own': 'v',
      plain: 'v',
    };
    expect(await register('n1', { spec: { taints: [{ key: 'own', effect: 'NoSchedule' }] } }, labels)).toBe('');
  });

  it('has the name of the node', async () => {
    expect(await register('n3')).toBe('nodes "n3" is forbidden: node "n1" is not allowed to modify node "n3"');
    for (const path of ['n2', 'n2/status'])
      expect(await change({ metadata: { labels: { a: 'b' } } }, path)).toBe(
        'nodes "n2" is forbidden: node "n1" is not allowed to modify node "n2"',
      );
  });

  it('is not made for another node by an apply', async () => {
    const headers = { 'content-type': 'application/apply-patch+yaml' };
    const body = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n3' } };
    const { code, object } = await server.send('PATCH', '/api/v1/nodes/n3?fieldManager=m', body, { user, headers });
    expect([code, object.message]).toEqual([
      403,
      'nodes "n3" is forbidden: node "n1" is not allowed to modify node "n3"',
    ]);
  });

  it.each([
    'node-restriction.kubernetes.io/a',
    'x.node-restriction.kubernetes.io/a',
    'node-role.kubernetes.io/master',
    'a.k8s.io/b',
  ])('does not get the label %s from the node', async (label) => {
    expect(await change({ metadata: { labels: { [label]: 'v' } } })).toBe(
      `nodes "n1" is forbidden: is not allowed to modify labels: ${label}`,
    );
    await server.ok('DELETE', '/api/v1/nodes/n1');
    expect(await register('n1', {}, { [label]: 'v' })).toBe(
      `nodes "n1" is forbidden: node "n1" is not allowed to set the following labels: ${label}`,
    );
  });

  it('keeps labels that the node may not change', async () => {
    await server.ok(
      'PATCH',
      '/api/v1/nodes/n1',
      { metadata: { labels: { 'node-restriction.kubernetes.io/a': 'v' } } },
      { headers: merge },
    );
    expect(await change({ metadata: { labels: { 'node-restriction.kubernetes.io/a': null } } })).toBe(
      'nodes "n1" is forbidden: is not allowed to modify labels: node-restriction.kubernetes.io/a',
    );
    expect(await change({ metadata: { labels: { mine: 'v' } } })).toBe('');
  });

  it('keeps its taints and owners; its status is reported', async () => {
    const owner = { apiVersion: 'v1', kind: 'Node', name: 'n2', uid: 'u' };
    for (const path of ['n1', 'n1/status']) {
      expect(await change({ spec: { taints: null } }, path)).toBe(
        'nodes "n1" is forbidden: node "n1" is not allowed to modify taints',
      );
      expect(await change({ metadata: { ownerReferences: [owner] } }, path)).toBe(
        'nodes "n1" is forbidden: node "n1" is not allowed to modify ownerReferences',
      );
    }
    expect(await change({ status: { capacity: { cpu: '2' } } }, 'n1/status')).toBe('');
  });

  it('has no configSource of the node', async () => {
    const configSource = { configMap: { namespace: 'kube-system', name: 'c', kubeletConfigKey: 'k' } };
    expect(await change({ spec: { configSource } })).toBe(
      'nodes "n1" is forbidden: node "n1" is not allowed to update configSource to a new non-nil configSource',
    );
  });
});

describe('Pods', () => {
  const other = 'pods "theirs" is forbidden: node "n1" can only';

  it('are changed, evicted and deleted by the node that they are bound to', async () => {
    const status = { status: { phase: 'Running' } };
    expect(await answer('PATCH', `${pods}/theirs/status`, status)).toBe(
      `${other} update pod status for pods with spec.nodeName set to itself`,
    );
    expect(await answer('POST', `${pods}/theirs/eviction`, { metadata: { name: 'theirs' } })).toBe(
      'pods "theirs" is forbidden: node n1 can only evict pods with spec.nodeName set to itself',
    );
    expect(await answer('DELETE', `${pods}/theirs`)).toBe(`${other} delete pods with spec.nodeName set to itself`);

    expect(await answer('PATCH', `${pods}/mine/status`, status)).toBe('');
    expect(await answer('PATCH', `${pods}/mine/status`, { metadata: { labels: { app: 'x' } } })).toBe(
      'pods "mine" is forbidden: node "n1" cannot update labels through pod status',
    );
    const claims = [{ name: 'gpu', resourceClaimName: 'stolen' }];
    expect(await answer('PATCH', `${pods}/mine/status`, { status: { resourceClaimStatuses: claims } })).toBe(
      'pods "mine" is forbidden: node "n1" cannot update resource claim statues',
    );
    expect(await answer('POST', `${pods}/mine/eviction`, { metadata: { name: 'mine' } })).toBe('');
    expect(await answer('DELETE', `${pods}/mine?gracePeriodSeconds=0`)).toBe('');
  });

  const mirror = (metadata: object = {}, spec: object = {}) => ({
    metadata: {
      name: 'mirror',
      annotations: { 'kubernetes.io/config.mirror': 'x' },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'n1', uid: own.metadata.uid, controller: true }],
      ...metadata,
    },
    spec: { nodeName: 'n1', containers: [{ name: 'c', image: 'i' }], ...spec },
  });
  const ownerWith = (change: object) => ({
    ownerReferences: [
      { apiVersion: 'v1', kind: 'Node', name: 'n1', uid: own.metadata.uid, controller: true, ...change },
    ],
  });
  const volume = (source: object) => ({ volumes: [{ name: 'v', ...source }] });

  it('are created by a node as mirrors of its own', async () => {
    expect(await answer('POST', pods, mirror())).toBe('');
  });

  it.each<[string, () => object, string]>([
    [
      'without the annotation',
      () => mirror({ annotations: {} }),
      'pod does not have "kubernetes.io/config.mirror" annotation, node "n1" can only create mirror pods',
    ],
    [
      'of another node',
      () => mirror({}, { nodeName: 'n2' }),
      'node "n1" can only create pods with spec.nodeName set to itself',
    ],
    [
      'without an owner',
      () => mirror({ ownerReferences: [] }),
      'node "n1" can only create pods with an owner reference set to itself',
    ],
    [
      'with another owner',
      () => mirror(ownerWith({ name: 'n2' })),
      'node "n1" can only create pods with an owner reference set to itself',
    ],
    [
      'with an owner that is no controller',
      () => mirror(ownerWith({ controller: false })),
      'node "n1" can only create pods with a controller owner reference set to itself',
    ],
    [
      'that blocks the deletion of its owner',
      () => mirror(ownerWith({ blockOwnerDeletion: true })),
      'node "n1" must not set blockOwnerDeletion on an owner reference',
    ],
    ['of an earlier Node', () => mirror(ownerWith({ uid: 'old' })), 'node n1 UID mismatch: expected old got '],
    [
      'with an account',
      () => mirror({}, { serviceAccountName: 'default' }),
      'node "n1" can not create pods that reference serviceaccounts',
    ],
    [
      'with a Secret',
      () => mirror({}, volume({ secret: { secretName: 's' } })),
      'node "n1" can not create pods that reference secrets',
    ],
    [
      'with a ConfigMap',
      () => mirror({}, volume({ configMap: { name: 'c' } })),
      'node "n1" can not create pods that reference configmaps',
    ],
    [
      'with a claim',
      () => mirror({}, volume({ persistentVolumeClaim: { claimName: 'c' } })),
      'node "n1" can not create pods that reference persistentvolumeclaims',
    ],
    [
      'with a device claim',
      () => mirror({}, { resourceClaims: [{ name: 'g', resourceClaimName: 'g' }] }),
      'node "n1" can not create pods that reference resourceclaims',
    ],
    [
      'with a claim that would be made for it',
      () => mirror({}, volume({ ephemeral: { volumeClaimTemplate: { spec: {} } } })),
      'node "n1" can not create pods that reference persistentvolumeclaims (via ephemeral volumes)',
    ],
    [
      'with a volume of a driver',
      () => mirror({}, volume({ csi: { driver: 'd' } })),
      'node "n1" can not create pods that reference csidrivers (via CSI volumes)',
    ],
    [
      'with a token',
      () => mirror({}, volume({ projected: { sources: [{ serviceAccountToken: { path: 't' } }] } })),
      'node "n1" can not create pods that reference serviceaccounts (via projected volumes)',
    ],
  ])('are not created by a node %s', async (_, body, reason) => {
    expect(await answer('POST', pods, body())).toContain(`pods "mirror" is forbidden: ${reason}`);
  });
});

describe('Lease and CSINode', () => {
  const spec = { holderIdentity: 'n1', leaseDurationSeconds: 40 };

  it('are those of the name of the node', async () => {
    expect(await answer('POST', leases, { metadata: { name: 'n1' }, spec })).toBe('');
    expect(await answer('PATCH', `${leases}/n1`, { spec: { leaseDurationSeconds: 50 } })).toBe('');
    expect(await answer('POST', leases, { metadata: { name: 'n2' }, spec })).toBe(
      'leases.coordination.k8s.io "n2" is forbidden: can only access node lease with the same name as the requesting node',
    );
    expect(await answer('POST', csiNodes, { metadata: { name: 'n1' }, spec: { drivers: [] } })).toBe('');
    expect(await answer('POST', csiNodes, { metadata: { name: 'n2' }, spec: { drivers: [] } })).toBe(
      'csinodes.storage.k8s.io "n2" is forbidden: can only access CSINode with the same name as the requesting node',
    );
  });

  it('are not taken from another node', async () => {
    await server.ok('POST', leases, { metadata: { name: 'n2' }, spec });
    expect(await answer('PATCH', `${leases}/n2`, { spec })).toContain(
      'can only access node lease with the same name as the requesting node',
    );
    expect(await answer('DELETE', `${leases}/n2`)).toContain('can only access node lease');
  });
});

describe('a token for a Pod', () => {
  let uids: Record<string, string | undefined>;
  beforeEach(async () => {
    await server.ok('POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'default' } });
    uids = {};
    for (const name of ['mine', 'theirs']) uids[name] = (await server.ok('GET', `${pods}/${name}`)).metadata.uid;
  });
  const request = (boundObjectRef: object | null, audiences?: string[]) =>
    answer('POST', '/api/v1/namespaces/default/serviceaccounts/default/token', {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { ...(boundObjectRef ? { boundObjectRef } : {}), ...(audiences ? { audiences } : {}) },
    });
  const bound = (name: string, uid = uids[name]) => ({ apiVersion: 'v1', kind: 'Pod', name, ...(uid ? { uid } : {}) });
  const denied = (reason: string) => `serviceaccounts "default" is forbidden: ${reason}`;

  it('is made for audiences that the Pod uses', async () => {
    expect(await request(bound('mine'))).toBe('');
    expect(await request(bound('mine'), ['vault'])).toBe('');
    expect(await request(bound('mine'), ['else'])).toBe(
      denied(
        'audience "else" not found in pod spec volume, system:node:n1 is not authorized to request tokens for this audience',
      ),
    );
    expect(await request(bound('mine'), ['vault', 'else'])).toBe(denied('node may only request 0 or 1 audiences'));
  });

  it('is made for an audience that a role grants', async () => {
    const rbac = '/apis/rbac.authorization.k8s.io/v1';
    await server.ok('POST', `${rbac}/clusterroles`, {
      metadata: { name: 'audience' },
      rules: [{ apiGroups: [''], resources: ['else'], verbs: ['request-serviceaccounts-token-audience'] }],
    });
    await server.ok('POST', `${rbac}/clusterrolebindings`, {
      metadata: { name: 'audience' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'audience' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'system:nodes' }],
    });
    expect(await request(bound('mine'), ['else'])).toBe('');
  });

  it('is bound to a Pod of the node', async () => {
    expect(await request(null)).toBe(denied('node requested token not bound to a pod'));
    expect(await request({ apiVersion: 'v1', kind: 'Node', name: 'n1', uid: 'u' })).toBe(
      denied('node requested token not bound to a pod'),
    );
    expect(await request({ apiVersion: 'v1', kind: 'Pod', name: 'mine' })).toBe(
      denied('node requested token with a pod binding without a uid'),
    );
    expect(await request(bound('mine', 'old'))).toBe(
      denied(
        'the UID in the bound object reference (old) does not match the UID in record. The object might have been deleted and then recreated',
      ),
    );
    expect(await request(bound('theirs'))).toBe(
      denied('node requested token bound to a pod scheduled on a different node'),
    );
  });
});

describe('a request for a certificate', () => {
  it.each([
    ['n1', ''],
    ['n2', 'can only create a node CSR with CN=system:node:n1'],
  ])('may name the node itself: %s', async (name, reason) => {
    const subject = { commonName: `system:node:${name}`, organizations: ['system:nodes'] };
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const pem = await createSigningRequest(key, subject);
    const message = await answer('POST', '/apis/certificates.k8s.io/v1/certificatesigningrequests', {
      metadata: { name: 'csr' },
      spec: {
        request: Buffer.from(pem).toString('base64'),
        signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
        usages: ['digital signature', 'client auth'],
      },
    });
    expect(message).toBe(reason && `certificatesigningrequests.certificates.k8s.io "csr" is forbidden: ${reason}`);
  });
});

describe('a claim', () => {
  it('gets its size from a node that mounts it, and nothing else', async () => {
    const claims = '/api/v1/namespaces/default/persistentvolumeclaims';
    await server.ok('POST', claims, {
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    });
    await server.ok('POST', pods, {
      metadata: { name: 'db' },
      spec: {
        nodeName: 'n1',
        containers: [{ name: 'c', image: 'i' }],
        volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }],
      },
    });
    expect(await answer('PATCH', `${claims}/data/status`, { status: { capacity: { storage: '1Gi' } } })).toBe('');
    expect(await answer('PATCH', `${claims}/data/status`, { metadata: { labels: { a: 'b' } } })).toBe(
      'persistentvolumeclaims "data" is forbidden: node "n1" is not allowed to update fields other than status.quantity and status.conditions',
    );
  });
});
