import { type Client, kinds, mergePatch, ignoreNotFound } from '@tektite/client';
import { defineController, installKinds, Manager, type RunningSystems, startSystems } from '@tektite/controller';
import { findCondition, type KubeObject } from '@tektite/meta';
import type { Cluster } from '@tektite/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allKinds } from '../kinds/all-kinds.ts';
import { TektonInstallerSet, TektonPipeline } from '../kinds/kinds.ts';
import { TektonConfig, type TektonConfigSpec } from '../kinds/tekton-config.ts';
import { TektonHub } from '../kinds/tekton-hub.ts';
import { smallNamespace as namespace, smallPayload } from '../small-release/test-support.ts';
import { tektonOperatorSystem } from '../system.ts';

/** Stands in for what a cluster does besides serving its API: Deployments become available, and sets that were deleted go. */
function smallCluster(client: Client): Manager {
  const manager = new Manager(client, { name: 'small-cluster', graceMs: 0 });
  const available = [{ type: 'Available', status: 'True', reason: 'A', message: '' }];
  manager.add(
    defineController({
      name: 'deployments',
      kind: kinds.Deployment,
      reconcile: async (deployment, { writeStatus }) => {
        const replicas = deployment.spec?.replicas ?? 1;
        const observedGeneration = deployment.metadata.generation ?? 0;
        const counts = { replicas, updatedReplicas: replicas, availableReplicas: replicas, readyReplicas: replicas };
        if (deployment.status?.observedGeneration === observedGeneration) return;
        await writeStatus(deployment, { ...counts, observedGeneration, conditions: available });
      },
    }),
  );
  manager.add(
    defineController({
      name: 'foreground-deletion',
      kind: TektonInstallerSet,
      reconcile: async ({ metadata }) => {
        const { name = '', deletionTimestamp, finalizers = [] } = metadata;
        if (!deletionTimestamp || finalizers.join() !== 'foregroundDeletion') return;
        await client
          .patch(TektonInstallerSet, { name }, mergePatch({ metadata: { finalizers: [] } }))
          .catch(ignoreNotFound);
      },
    }),
  );
  return manager;
}

/** There is no webhook here that sets defaults: only required fields are set. */
const spec = (version: string): TektonConfigSpec => ({
  profile: 'lite',
  targetNamespace: namespace,
  pruner: { disabled: true },
  params: [{ name: 'pipelineVersion', value: version }],
});

/** The operator against any API server: its controllers alone, without its webhooks. */
export function operatorCases(
  start: () => Promise<Cluster>,
  install: (client: Client) => Promise<unknown> = (client) => installKinds(client, [...allKinds, TektonHub]),
): void {
  describe('the operator', { timeout: 120_000 }, () => {
    let cluster: Cluster;
    let client: Client;
    let others: Manager;
    let running: RunningSystems;
    const eventually = <T>(read: () => Promise<T>) => expect.poll(read, { timeout: 60_000, interval: 100 });
    const ready = async () => {
      const { status } = await client.get(TektonConfig, { name: 'config' });
      const condition = findCondition(status?.conditions, 'Ready');
      return condition?.status === 'True' ? 'Ready' : condition?.message;
    };
    const image = async () => {
      const deployment = await client.get(kinds.Deployment, { namespace, name: 'tekton-pipelines-controller' });
      return deployment.spec?.template.spec?.containers?.[0]?.image;
    };

    beforeAll(async () => {
      cluster = await start();
      client = cluster.client;
      await install(client);
      others = smallCluster(client).start();
      const system = tektonOperatorSystem({ version: 'v0.81.1', payloads: [smallPayload()], environment: {} });
      running = await startSystems([system], { client, graceMs: 0, install: false });
    }, 120_000);
    afterAll(async () => {
      await running?.stop();
      await others?.stop();
      await cluster?.close();
    });

    it('installs what a TektonConfig says', async () => {
      await client.create(TektonConfig, { metadata: { name: 'config' }, spec: spec('v1.0.0') } as never);
      await eventually(ready).toBe('Ready');
      expect(await image()).toBe('i:v1.0.0');
      expect((await client.get(TektonPipeline, { name: 'pipeline' })).status?.version).toBe('v1.0.0');
    });

    it('recreates deleted objects', async () => {
      const key = { namespace, name: 'tekton-pipelines-webhook' };
      const before = (await client.get(kinds.Deployment, key)).metadata.uid;
      await client.delete(kinds.Deployment, key, { propagationPolicy: 'Background' });
      const uid = async () => (await client.get(kinds.Deployment, key).catch(() => undefined))?.metadata.uid ?? before;
      await eventually(uid).not.toBe(before);
      await eventually(ready).toBe('Ready');
    });

    it('upgrades, and loses no data over it', async () => {
      const widget = { apiVersion: 'tekton.dev/v1', kind: 'Widget' };
      await client.create({ ...widget, metadata: { namespace: 'default', name: 'mine' } } as KubeObject);
      await client.patch(TektonConfig, { name: 'config' }, mergePatch({ spec: spec('v2.0.0') }));
      await eventually(() => image().catch(() => undefined)).toBe('i:v2.0.0');
      await eventually(ready).toBe('Ready');
      expect(await client.get(widget, { namespace: 'default', name: 'mine' })).toBeDefined();
    });

    it('leaves no set behind', async () => {
      await client.delete(TektonConfig, { name: 'config' });
      await eventually(async () => (await client.list(TektonConfig)).items.length).toBe(0);
      expect((await client.list(TektonInstallerSet)).items).toEqual([]);
      const definition = () => client.get(kinds.CustomResourceDefinition, { name: 'widgets.tekton.dev' });
      await expect(definition()).rejects.toMatchObject({ reason: 'NotFound' });
    });
  });
}
