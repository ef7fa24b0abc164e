import { describe, expect, it } from 'vitest';
import { hasReleases, kinds, operatorCluster, readyOf, tektonConfig, untilReady } from './test-support.ts';
import { TektonConfig, TektonInstallerSet, TektonPipeline } from '@tektite/tekton-operator';

describe.runIf(hasReleases)('a TektonConfig', () => {
  it('installs everything', { timeout: 120_000 }, async () => {
    await using cluster = await operatorCluster();
    await cluster.client.create(tektonConfig({ profile: 'lite' }));
    await cluster.clock.advance(30_000);
    for (const p of (await cluster.client.list(kinds.Pod)).items) console.log(p.metadata.name, p.spec?.nodeName, JSON.stringify(p.status).slice(0, 900));
    for (const p of (await cluster.client.list(kinds.Event)).items.slice(-20)) console.log(p.reason, p.message);
    console.log(await readyOf(cluster.client, TektonConfig, 'config'), TektonInstallerSet.kind, TektonPipeline.kind, untilReady.name);
    expect(1).toBe(1);
  });
});
