import { type Client, kinds, mergePatch } from '@tektite/client';
import { Informer } from '@tektite/controller/cache';
import type { KubeObject } from '@tektite/meta';
import { afterEach, describe, expect, it } from 'vitest';
import { keys } from '../installer-set/set-keys.ts';
import { TektonInstallerSet, TektonPipeline, TektonTrigger } from '../kinds/kinds.ts';
import { TektonConfig } from '../kinds/tekton-config.ts';
import {
  conditionOf,
  eventually,
  find,
  hasReleases,
  type OperatorCluster,
  operatorCluster,
  realReleases,
  tektonConfig,
  untilReady,
} from '../test-support.ts';

const namespace = 'tekton-pipelines';
const old = { 'tekton-pipeline': 'v1.14.1', 'tekton-trigger': 'v0.36.0' };
const task = { apiVersion: 'tekton.dev/v1', kind: 'Task' };

/** Objects of users that must survive an upgrade. */
async function createUserData(client: Client): Promise<void> {
  const metadata = { namespace: 'default', name: 'mine' };
  const spec = { steps: [{ name: 'a', image: 'a' }] };
  await client.create({ ...task, metadata, spec } as unknown as KubeObject);
  await client.create({
    ...task,
    kind: 'PipelineRun',
    metadata,
    spec: { pipelineRef: { name: 'p' } },
  } as unknown as KubeObject);
  const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  await client.create(kinds.PersistentVolumeClaim, { metadata: { namespace, name: 'data' }, spec: claim });
}

async function expectUserData(client: Client): Promise<void> {
  const key = { namespace: 'default', name: 'mine' };
  expect(await client.get(task, key)).toMatchObject({ spec: { steps: [{ name: 'a' }] } });
  expect(await client.get({ ...task, kind: 'PipelineRun' }, key)).toBeDefined();
}

describe.runIf(hasReleases)('a new version of the operator', { timeout: 240_000 }, () => {
  let cluster: OperatorCluster;
  afterEach(() => cluster?.[Symbol.asyncDispose]());
  const mainSets = async () =>
    (await cluster.client.list(TektonInstallerSet, { labelSelector: `${keys.type}=main` })).items.map(
      ({ metadata }) => metadata.uid ?? '',
    );
  const image = async (name: string) =>
    (await cluster.client.get(kinds.Deployment, { namespace, name })).spec?.template.spec?.containers?.[0]?.image;

  async function start(spec: object = {}): Promise<Client> {
    cluster = await operatorCluster({ payloads: [realReleases(old)] });
    const { client } = cluster;
    await client.create(tektonConfig({ profile: 'basic', ...spec }));
    await untilReady(cluster);
    await createUserData(client);
    expect((await client.get(TektonPipeline, { name: 'pipeline' })).status?.version).toBe('v1.14.1');
    return client;
  }

  it('replaces what the old one installed, and says so meanwhile', async () => {
    const client = await start();
    const before = await mainSets();
    const said = new Set<string>();
    await using states = new Informer(client, TektonPipeline);
    states.addHandler({
      modified: (object) => {
        const { conditions = [] } = object.status ?? {};
        for (const { message = '' } of conditions) said.add(message);
      },
    });
    await states.start().synced();
    await cluster.restart({ version: 'v0.82.0', payloads: [realReleases()] });
    await eventually(cluster, async () => {
      const config = await client.get(TektonConfig, { name: 'config' });
      const isNew = config.status?.annotations?.['operator.tekton.dev/post-upgrade-version'] === 'v0.82.0';
      return isNew && (await conditionOf(client, TektonConfig, 'config'))?.status === 'True';
    });
    expect([...said].some((message) => /upgrade pending/i.test(message))).toBe(true);
    const after = await mainSets();
    expect(after).toHaveLength(4);
    expect(after.filter((uid) => before.includes(uid))).toEqual([]);
    expect((await client.get(TektonPipeline, { name: 'pipeline' })).status?.version).toBe('v1.15.0');
    expect((await client.get(TektonTrigger, { name: 'trigger' })).status?.version).toBe('v0.37.0');
    const config = await client.get(TektonConfig, { name: 'config' });
    expect(config.metadata.labels).toMatchObject({ [keys.releaseVersion]: 'v0.82.0' });
    expect(config.status).toMatchObject({
      version: 'v0.82.0',
      annotations: { 'operator.tekton.dev/pre-upgrade-version': 'v0.82.0' },
    });
    for (const type of ['PreUpgrade', 'PostUpgrade'])
      expect((await conditionOf(client, TektonConfig, 'config', type))?.status).toBe('True');
    await expectUserData(client);
    expect(await find(client, kinds.PersistentVolumeClaim as never, 'data', namespace)).toBeDefined();
  });

  it('replaces in place on request, and nothing is ever missing', async () => {
    const client = await start({ params: [{ name: 'upgradeStrategy', value: 'rolling' }] });
    const before = await mainSets();
    const deployment = async () => client.get(kinds.Deployment, { namespace, name: 'tekton-pipelines-controller' });
    const { uid } = (await deployment()).metadata;
    await cluster.restart({ version: 'v0.82.0', payloads: [realReleases()] });
    await eventually(cluster, async () => {
      expect((await deployment()).metadata.uid).toBe(uid);
      return (await image('tekton-pipelines-controller'))?.includes('v1.15.0') ?? false;
    });
    await untilReady(cluster);
    expect((await mainSets()).toSorted()).toEqual(before.toSorted());
    await expectUserData(client);
  });

  it('keeps a component at the release that is pinned', async () => {
    const client = await start({ params: [{ name: 'pipelineVersion', value: 'v1.14.1' }] });
    await cluster.restart({ version: 'v0.82.0', payloads: [realReleases()] });
    await eventually(
      cluster,
      async () => (await client.get(TektonTrigger, { name: 'trigger' })).status?.version === 'v0.37.0',
    );
    await untilReady(cluster);
    expect((await client.get(TektonPipeline, { name: 'pipeline' })).status?.version).toBe('v1.14.1');
    await client.patch(TektonConfig, { name: 'config' }, mergePatch({ spec: { params: [] } }));
    await eventually(
      cluster,
      async () => (await client.get(TektonPipeline, { name: 'pipeline' })).status?.version === 'v1.15.0',
    );
    await untilReady(cluster);
    await client.patch(
      TektonConfig,
      { name: 'config' },
      mergePatch({ spec: { params: [{ name: 'pipelineVersion', value: 'v9.9.9' }] } }),
    );
    const message = async () => (await conditionOf(client, TektonConfig, 'config'))?.message ?? '';
    await eventually(cluster, async () => (await message()).includes('there is no release v9.9.9 of tekton-pipeline'));
  });

  it('moves a component to another namespace, and loses no data over it', async () => {
    cluster = await operatorCluster();
    const { client } = cluster;
    const spec = { targetNamespace: 'first' };
    await client.create(TektonPipeline, { metadata: { name: 'pipeline' }, spec } as never);
    await untilReady(cluster, TektonPipeline, 'pipeline');
    const metadata = { namespace: 'default', name: 'mine' };
    await client.create({ ...task, metadata, spec: { steps: [{ name: 'a', image: 'a' }] } } as unknown as KubeObject);
    await client.patch(TektonPipeline, { name: 'pipeline' }, mergePatch({ spec: { targetNamespace: 'second' } }));
    const moved = () => find(client, kinds.Deployment as never, 'tekton-pipelines-controller', 'second');
    await eventually(cluster, async () => (await moved()) !== undefined);
    await untilReady(cluster, TektonPipeline, 'pipeline');
    expect(await find(client, kinds.Deployment as never, 'tekton-pipelines-controller', 'first')).toBeUndefined();
    expect(await client.get(task, metadata)).toBeDefined();
    const binding = await client.get(kinds.ClusterRoleBinding, { name: 'tekton-pipelines-controller-cluster-access' });
    expect(binding.subjects).toMatchObject([{ namespace: 'second' }]);
    await eventually(cluster, async () => (await find(client, kinds.Namespace as never, 'first')) === undefined);
  });
});
