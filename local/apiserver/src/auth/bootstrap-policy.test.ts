import { describe, expect, it } from 'vitest';
import { TestServer } from '../test-support.ts';

const rbac = '/apis/rbac.authorization.k8s.io/v1';
const signing = 'system:certificates.k8s.io:certificatesigningrequests';

describe('a new cluster', () => {
  it('has the roles that kubeadm binds for nodes that join', async () => {
    await using server = await TestServer.start();
    const rulesOf = async (name: string) => (await server.ok('GET', `${rbac}/clusterroles/${name}`)).rules;
    expect(await rulesOf('system:node-bootstrapper')).toEqual([
      {
        apiGroups: ['certificates.k8s.io'],
        resources: ['certificatesigningrequests'],
        verbs: ['create', 'get', 'list', 'watch'],
      },
    ]);
    for (const which of ['nodeclient', 'selfnodeclient'])
      expect(await rulesOf(`${signing}:${which}`)).toEqual([
        {
          apiGroups: ['certificates.k8s.io'],
          resources: [`certificatesigningrequests/${which}`],
          verbs: ['create'],
        },
      ]);
    expect(await rulesOf('system:kubelet-api-admin')).toContainEqual({
      apiGroups: [''],
      resources: [
        'nodes/configz',
        'nodes/healthz',
        'nodes/log',
        'nodes/metrics',
        'nodes/pods',
        'nodes/proxy',
        'nodes/stats',
      ],
      verbs: ['*'],
    });
  });

  it('gives kube-proxy its role, and the role of nodes to none: the Node authorizer grants less', async () => {
    await using server = await TestServer.start();
    const proxier = await server.ok('GET', `${rbac}/clusterrolebindings/system:node-proxier`);
    expect(proxier.subjects).toEqual([
      { kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'system:kube-proxy' },
    ]);
    const node = await server.ok('GET', `${rbac}/clusterrolebindings/system:node`);
    expect(node).not.toHaveProperty('subjects');
    expect(node.roleRef).toMatchObject({ name: 'system:node' });
  });
});
