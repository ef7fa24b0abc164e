import assert from 'node:assert/strict';
import { type Client, kinds, mergePatch } from '@tektite/client';
import { installKinds, Manager } from '@tektite/controller';
import { findCondition, type KubeObject } from '@tektite/meta';
import { addBuiltInControllers, type Scenario, type World } from '@tektite/simulator';
import { allKinds } from '../kinds/all-kinds.ts';
import { TektonInstallerSet, TektonPipeline } from '../kinds/kinds.ts';
import { TektonConfig } from '../kinds/tekton-config.ts';
import { TektonHub } from '../kinds/tekton-hub.ts';
import { smallNamespace, smallPayload } from '../small-release/test-support.ts';
import { tektonOperatorSystem } from '../system.ts';

const namespace = smallNamespace;
const widget = { apiVersion: 'tekton.dev/v1', kind: 'Widget' };

const config = (version: string, strategy: string): KubeObject =>
  ({
    apiVersion: 'operator.tekton.dev/v1alpha1',
    kind: 'TektonConfig',
    metadata: { name: 'config' },
    spec: {
      profile: 'lite',
      targetNamespace: namespace,
      pruner: { disabled: true },
      params: [
        { name: 'pipelineVersion', value: version },
        { name: 'upgradeStrategy', value: strategy },
      ],
    },
  }) as unknown as KubeObject;

const readyOf = async (client: Client) => {
  const { status } = await client.get(TektonConfig, { name: 'config' });
  return findCondition(status?.conditions, 'Ready');
};

/** An operator that is killed and cheated during an installation and an upgrade. */
export function upgradeScenario(strategy: string): Scenario {
  return {
    hasServiceAccounts: true,
    restless: ['kube-controller-manager', 'node-1'],
    async prepare(world) {
      await installKinds(world.client, [...allKinds, TektonHub]);
      await addBuiltInControllers(world, { rates: {} });
    },
    async start(client) {
      const { controllers } = tektonOperatorSystem({ version: 'v0.81.1', payloads: [smallPayload()], environment: {} });
      const manager = new Manager(client, { name: 'tekton-operator', graceMs: 0 });
      for (const controller of controllers) manager.add(controller);
      manager.start();
    },
    async act({ client, sleep }: World) {
      await client.create(config('v1.0.0', strategy));
      for (let tries = 0; tries < 600 && (await readyOf(client))?.status !== 'True'; tries++) await sleep(1000);
      await client.create({ ...widget, metadata: { namespace: 'default', name: 'mine' } } as KubeObject);
      const { spec } = config('v2.0.0', strategy) as KubeObject & { spec: object };
      await client.patch(TektonConfig, { name: 'config' }, mergePatch({ spec }));
    },
    async check({ client }) {
      const ready = await readyOf(client);
      if (ready?.status !== 'True') throw new Error(ready?.message);
      assert.equal((await client.get(TektonPipeline, { name: 'pipeline' })).status?.version, 'v2.0.0');
      const sets = (await client.list(TektonInstallerSet)).items.map(({ metadata }) =>
        (metadata.name ?? '').slice(0, -5),
      );
      assert.deepEqual(sets.toSorted(), [
        'pipeline-custom-pipeline-network-policies-',
        'pipeline-main-deployment-',
        'pipeline-main-static-',
      ]);
      for (const { metadata, spec, status } of (await client.list(kinds.Deployment, { namespace })).items) {
        assert.equal(spec?.template.spec?.containers?.[0]?.image, 'i:v2.0.0', `image of ${metadata.name}`);
        assert.equal(status?.availableReplicas, 1, `replicas of ${metadata.name}`);
      }
      const maps = (await client.list(kinds.ConfigMap, { namespace })).items.map(({ metadata }) => metadata.name ?? '');
      assert.deepEqual(maps.filter((name) => name !== 'kube-root-ca.crt').toSorted(), [
        'only-in-v2.0.0',
        'pipelines-info',
      ]);
      // The user's object survives the upgrade.
      await client.get(widget, { namespace: 'default', name: 'mine' });
    },
  };
}
