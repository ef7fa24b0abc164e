import { kinds } from '@tektite/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TektonConfig } from '../kinds/tekton-config.ts';
import {
  hasReleases,
  type OperatorCluster,
  operatorCluster,
  realReleases,
  settings,
  tektonConfig,
  untilReady,
} from '../test-support.ts';
import { type ComponentPlan, planTektonConfig } from './plan-config.ts';

const timeout = 240_000;

describe.runIf(hasReleases)('a plan of a TektonConfig', { timeout }, () => {
  let cluster: OperatorCluster;
  beforeAll(async () => {
    cluster = await operatorCluster({ payloads: [realReleases({ 'tekton-pipeline': 'v1.14.1' })] });
    await cluster.client.create(tektonConfig({ profile: 'basic', chain: { disabled: true } }));
    await untilReady(cluster);
  }, timeout);
  afterAll(() => cluster?.[Symbol.asyncDispose]());

  const options = {
    version: 'v0.81.1',
    environment: settings,
    payloads: [realReleases({ 'tekton-pipeline': 'v1.14.1' })],
  };
  async function plan(spec: object, more: object = {}): Promise<readonly ComponentPlan[]> {
    const live = await cluster.client.get(TektonConfig, { name: 'config' });
    return planTektonConfig(cluster.client, { ...live, spec: { ...live.spec, ...spec } } as typeof live, {
      ...options,
      ...more,
    });
  }
  const fates = (plans: readonly ComponentPlan[]) => plans.map(({ kind, fate }) => `${kind} ${fate}`);

  it('of what is there says that nothing happens', async () => {
    expect(fates(await plan({}))).toEqual(['TektonPipeline unchanged', 'TektonTrigger unchanged']);
  });

  it('of another setting names the ConfigMap', async () => {
    const live = await cluster.client.get(TektonConfig, { name: 'config' });
    const [pipeline] = await plan({ pipeline: { ...live.spec?.pipeline, coschedule: 'disabled' } });
    expect(pipeline?.objects).toEqual([
      { object: { kind: 'ConfigMap', namespace: 'tekton-pipelines', name: 'feature-flags' }, fate: 'changed' },
    ]);
  });

  it('of more replicas says which Pods are recreated', async () => {
    const live = await cluster.client.get(TektonConfig, { name: 'config' });
    const performance = { 'disable-ha': false, replicas: 2 };
    const [pipeline] = await plan({ pipeline: { ...live.spec?.pipeline, performance } });
    const restarted = pipeline?.objects.filter(({ fate }) => fate === 'restarted').map(({ object }) => object.name);
    expect(restarted).toEqual(['tekton-pipelines-controller', 'tekton-pipelines-remote-resolvers']);
  });

  it('of another profile says what goes and what comes', async () => {
    const [, trigger] = await plan({ profile: 'lite' });
    expect(trigger).toMatchObject({ kind: 'TektonTrigger', fate: 'deleted' });
    expect(trigger?.objects.map(({ object }) => object.kind)).toContain('CustomResourceDefinition');
    const all = await plan({ profile: 'all' });
    expect(fates(all)).toContain('TektonDashboard created');
    expect(all.find(({ kind }) => kind === 'TektonDashboard')?.version).toBe('v0.71.0');
  });

  it('of a newer release says what is replaced, and what was not there before', async () => {
    const newer = { payloads: [realReleases()] };
    const [replaced] = await plan({}, newer);
    expect(replaced?.version).toBe('v1.15.0');
    expect(new Set(replaced?.objects.map(({ fate }) => fate))).toContain('replaced');
    expect(
      replaced?.objects.filter(({ object, fate }) => object.kind === 'CustomResourceDefinition' && fate === 'replaced'),
    ).toEqual([]);
    const [rolling] = await plan({ params: [{ name: 'upgradeStrategy', value: 'rolling' }] }, newer);
    expect(new Set(rolling?.objects.map(({ fate }) => fate))).not.toContain('replaced');
  });

  it('says which release is missing, and changes nothing itself', async () => {
    const before = await cluster.client.list(kinds.ConfigMap);
    const result = (await plan({ result: { disabled: false, is_external_db: false } })).find(
      ({ kind }) => kind === 'TektonResult',
    );
    expect(result?.problem).toContain('there is no release of tekton-results');
    expect((await cluster.client.list(kinds.ConfigMap)).items).toEqual(before.items);
  });
});
