import { kinds, mergePatch } from '@tektite/client';
import { afterEach, describe, expect, it } from 'vitest';
import { TektonPipeline } from '../kinds/kinds.ts';
import { TektonConfig } from '../kinds/tekton-config.ts';
import type { PayloadSource } from '../payload/payload-source.ts';
import {
  conditionOf,
  eventually,
  hasReleases,
  type OperatorCluster,
  operatorCluster,
  realReleases,
  tektonConfig,
  untilReady,
} from '../test-support.ts';

const namespace = 'tekton-pipelines';

/** The newest release, in which the controller of Pipelines cannot start. */
function brokenRelease(): PayloadSource {
  const source = realReleases();
  return {
    ...source,
    load: async (folder, version) => {
      const manifest = await source.load(folder, version);
      if (folder !== 'tekton-pipeline' || version !== 'v1.15.0') return manifest;
      return manifest.transform(function breakController(draft) {
        if (draft.kind !== 'Deployment' || draft.metadata.name !== 'tekton-pipelines-controller') return;
        const { spec } = draft as unknown as { spec: { template: { metadata: { annotations?: object } } } };
        spec.template.metadata.annotations = { 'tektite.dev/simulate': JSON.stringify({ startError: 'no such file' }) };
      });
    },
  };
}

describe.runIf(hasReleases)('an upgrade that fails', { timeout: 240_000 }, () => {
  let cluster: OperatorCluster;
  afterEach(() => cluster?.[Symbol.asyncDispose]());
  const image = async () => {
    const deployment = await cluster.client.get(kinds.Deployment, { namespace, name: 'tekton-pipelines-controller' });
    return deployment.spec?.template.spec?.containers?.[0]?.image ?? '';
  };

  it.each(['rolling', 'recreate'])('is undone when that is wanted, with the strategy %s', async (strategy) => {
    const params = [
      { name: 'upgradeStrategy', value: strategy },
      { name: 'rollbackOnFailure', value: 'true' },
    ];
    cluster = await operatorCluster({ payloads: [realReleases({ 'tekton-pipeline': 'v1.14.1' })] });
    const { client } = cluster;
    await client.create(tektonConfig({ profile: 'lite', params }));
    await untilReady(cluster);
    await cluster.restart({ version: 'v0.82.0', payloads: [brokenRelease()] });
    const message = async () => (await conditionOf(client, TektonPipeline, 'pipeline'))?.message ?? '';
    await eventually(cluster, async () => (await message()).includes('rolled back to v1.14.1'), 900);
    expect(await message()).toContain('the upgrade to v1.15.0 failed');
    expect(await message()).toContain('Controller: tekton-pipelines-controller deployment not ready');
    expect((await client.get(TektonPipeline, { name: 'pipeline' })).status?.version).toBe('v1.14.1');
    expect(await image()).toContain('v1.14.1');
    const available = async () =>
      (await client.get(kinds.Deployment, { namespace, name: 'tekton-pipelines-controller' })).status
        ?.availableReplicas;
    await eventually(cluster, async () => (await available()) === 1);
    expect((await conditionOf(client, TektonConfig, 'config'))?.message).toContain('rolled back to v1.14.1');
    // It stays so, however long nothing changes; then another try is made.
    await cluster.clock.advance(1_200_000);
    expect(await image()).toContain('v1.14.1');
    await cluster.restart({ version: 'v0.82.1', payloads: [realReleases()] });
    await eventually(cluster, async () => (await image()).includes('v1.15.0'));
    await untilReady(cluster);
    expect((await client.get(TektonPipeline, { name: 'pipeline' })).status?.annotations ?? {}).toEqual({});
  });

  it('reports the failure, and retries, without automatic rollback', async () => {
    cluster = await operatorCluster({ payloads: [brokenRelease()] });
    const { client } = cluster;
    await client.create(tektonConfig({ profile: 'lite' }));
    const message = async () => (await conditionOf(client, TektonConfig, 'config'))?.message ?? '';
    await eventually(cluster, async () =>
      (await message()).includes('tekton-pipelines-controller deployment not ready'),
    );
    expect(await message()).toMatch(/^Components not in ready state: TektonPipeline: Installer set not ready: /);
    await client.patch(
      TektonConfig,
      { name: 'config' },
      mergePatch({ spec: { params: [{ name: 'pipelineVersion', value: 'v1.14.1' }] } }),
    );
    await untilReady(cluster);
  });
});
