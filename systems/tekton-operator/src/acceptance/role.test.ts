import { kinds, mergePatch, type Transport } from '@tektite/client';
import { clusterRoleFor, namespaceRoleFor } from '@tektite/controller';
import type { KubeObject } from '@tektite/meta';
import type { ControlPlane } from '@tektite/testkit';
import { describe, expect, it } from 'vitest';
import { TektonConfig } from '../kinds/tekton-config.ts';
import { tektonOperatorSystem } from '../system.ts';
import { eventually, hasReleases, operatorCluster, tektonConfig, untilReady } from '../test-support.ts';

const namespace = 'tekton-operator';
const account = { name: 'system:serviceaccount:tekton-operator:tekton-operator', groups: ['system:authenticated'] };

/** Gives the operator's account what the system prints. */
async function grant(plane: ControlPlane): Promise<void> {
  const { client } = plane;
  const system = tektonOperatorSystem({ version: 'v0.81.1', payloads: [], environment: {} });
  await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } } as KubeObject);
  const subjects = [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: account.name }];
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  const roles = [
    clusterRoleFor(system, 'operator'),
    namespaceRoleFor(system, { namespace, name: 'operator', webhookService: 'tekton-operator-webhook' }),
  ];
  for (const role of roles) {
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: role.kind, name: 'operator' };
    await client.create(role as KubeObject);
    await client.create({
      apiVersion,
      kind: `${role.kind}Binding`,
      metadata: role.metadata,
      roleRef,
      subjects,
    } as KubeObject);
  }
}

/** The operator's requests, once it has its rights; those that were denied are written down. */
function asAccount(plane: ControlPlane, denied: string[]): Transport {
  const inner = plane.transport(account);
  const ready = grant(plane);
  return {
    close: () => inner.close(),
    request: async (request) => {
      await ready;
      const answer = await inner.request(request);
      if (answer.status === 403) denied.push(`${request.method} ${request.path}`);
      return answer;
    },
    watch: async (request) => {
      await ready;
      return inner.watch(request);
    },
    stream: (request) => inner.stream(request),
  };
}

describe.runIf(hasReleases)('with the rights that it prints', { timeout: 240_000 }, () => {
  it('the operator installs all components, changes them and removes them', async () => {
    const denied: string[] = [];
    await using cluster = await operatorCluster({
      operatorClient: (plane) => plane.clientFor(asAccount(plane, denied), { clock: plane.clock }),
    });
    await cluster.client.create(tektonConfig());
    await untilReady(cluster);
    const spec = {
      pipeline: { performance: { replicas: 2, buckets: 2 } },
      targetNamespaceMetadata: { labels: { a: 'b' } },
    };
    await cluster.client.patch(TektonConfig, { name: 'config' }, mergePatch({ spec }));
    const deployment = { namespace: 'tekton-pipelines', name: 'tekton-pipelines-controller' };
    await eventually(
      cluster,
      async () => (await cluster.client.get(kinds.Deployment, deployment)).spec?.replicas === 2,
    );
    await cluster.client.delete(TektonConfig, { name: 'config' });
    await eventually(cluster, async () => (await cluster.client.list(TektonConfig)).items.length === 0);
    expect([...new Set(denied)]).toEqual([]);
  });
});
