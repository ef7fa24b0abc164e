import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Client, keyOf, kinds } from '@tektite/client';
import { injectNamespace, loadManifest, type Manifest } from '@tektite/manifest';
import { type DynamicObject, hasOwner, isStatusError, sleep, systemClock } from '@tektite/meta';
import { type Cluster, startControlPlane, type VirtualClock, virtualClock } from '@tektite/testkit';
import { startSimulatedCluster } from '@tektite/testkit/cluster';
import { describe, expect, it } from 'vitest';
import type { InstallerDialect } from './dialect.ts';
import { connectorsDialect, connectorsHash, tektonDialect } from './dialects/test-support.ts';
import { removeSet } from './remove-set.ts';
import { TestSet } from './test-support.ts';

const run = promisify(execFile);
const payload = new URL('../../../../shared/data/payload/', import.meta.url).pathname;
const hasKubectl = await run('kubectl', ['version', '--client']).then(
  () => true,
  () => false,
);
const hashes = [connectorsHash, 'operator.tekton.dev/last-applied-hash'];
const kept = ['CustomResourceDefinition', 'Namespace'];
const dialects: readonly (readonly [string, InstallerDialect])[] = [
  ['tekton', tektonDialect],
  ['connectors', connectorsDialect],
];
const fileOf = (path: string) => `${payload}${path}/release.yaml`;
const release = (path: string): Promise<Manifest> => loadManifest({ kind: 'path', path: fileOf(path) });
const objectsOf = async (path: string) => (await release(path)).objects;

/** Runs a set as a controller would, until it is ready. */
async function untilReady(set: TestSet, clock: VirtualClock): Promise<void> {
  for (let turn = 0; turn < 300; turn++) {
    const report = await clock.until(set.run());
    if (report.ready && report.result.type === 'done') return;
    await clock.advance(1_000);
    // Folders of Pods are made in the time of the machine.
    await sleep(systemClock, 10);
  }
  throw new Error(`it did not become ready: ${set.condition('Ready')}`);
}

/** As its finalizer and the garbage collector would. */
async function untilRemoved(set: TestSet, clock: VirtualClock): Promise<void> {
  for (let turn = 0; turn < 60; turn++) {
    if ((await removeSet(set.client, set, set.dialect)).done) break;
    await clock.advance(1_000);
  }
  await set.client.delete(set.self, keyOf(set.self), { propagationPolicy: 'Foreground' });
  await clock.advance(10_000);
}

async function live(client: Client, object: DynamicObject): Promise<DynamicObject | undefined> {
  try {
    return await client.get(object, keyOf(object));
  } catch (error) {
    if (isStatusError(error, 'NotFound')) return undefined;
    throw error;
  }
}

const readAll = async (client: Client, objects: readonly DynamicObject[]) =>
  (await Promise.all(objects.map((object) => live(client, object)))).map((object) => object && shown(object));

/** An object without what the server, a tool or a controller wrote for itself. */
function shown({ status: _, metadata, ...rest }: DynamicObject): unknown {
  const { name, namespace, labels, annotations = {} } = metadata;
  const tools = [...hashes, 'kubectl.kubernetes.io/last-applied-configuration', 'deployment.kubernetes.io/revision'];
  const own = Object.entries(annotations).filter(([key]) => !tools.includes(key));
  const text = JSON.stringify(
    { ...rest, metadata: { name, namespace, labels, annotations: Object.fromEntries(own) } },
    // Addresses are the server's choice.
    (key, value: unknown) => (key === 'clusterIP' || key === 'clusterIPs' ? undefined : value),
  );
  return JSON.parse(text);
}

async function kubectlApply(cluster: Cluster, paths: readonly string[]): Promise<void> {
  const { config } = await cluster.https();
  const { clientCertificate } = (await config.credentials?.current()) ?? {};
  const encode = (text = '') => Buffer.from(text).toString('base64');
  const folder = await mkdtemp(join(tmpdir(), 'tektite-kubectl-'));
  try {
    const server = { server: config.server, 'certificate-authority-data': encode(config.certificateAuthority) };
    const user = {
      'client-certificate-data': encode(clientCertificate?.certificate),
      'client-key-data': encode(clientCertificate?.key),
    };
    const kubeconfig = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'c', cluster: server }],
      users: [{ name: 'u', user }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    };
    const path = join(folder, 'config');
    await writeFile(path, JSON.stringify(kubeconfig));
    const env = { PATH: process.env['PATH'], HOME: folder, KUBECONFIG: path };
    for (const each of paths) await run('kubectl', ['apply', '-f', fileOf(each)], { env, maxBuffer: 1e8 });
  } finally {
    await rm(folder, { recursive: true });
  }
}

describe.skipIf(!existsSync(payload))('the Tekton release (from ../shared, skipped where that is absent)', () => {
  it.skipIf(!hasKubectl).each([
    ['tekton-pipeline', 'v1.14.1', 'v1.15.0'],
    ['tekton-pipeline', 'v1.15.0', 'v1.14.1'],
    ['tekton-trigger', 'v0.36.0', 'v0.37.0'],
  ])(
    'is what kubectl makes of the same files (%s from %s to %s; skipped where kubectl is absent)',
    async (component, before, after) => {
      const [first, second] = [`${component}/${before}`, `${component}/${after}`];
      // Triggers are in the namespace that Pipelines bring, and kubectl does not wait for their definitions.
      const base = component === 'tekton-pipeline' ? [] : ['tekton-pipeline/v1.15.0'];
      const again = component === 'tekton-pipeline' ? [] : [first];
      await using theirs = await startControlPlane();
      await kubectlApply(theirs, [...base, ...again]).catch(() => undefined);
      await kubectlApply(theirs, [first, second]);
      for (const [, dialect] of dialects) {
        const clock = virtualClock();
        await using cluster = await startSimulatedCluster({ clock });
        for (const path of base)
          await untilReady(await TestSet.create(cluster.client, dialect, 'base', await objectsOf(path)), clock);
        const set = await TestSet.create(cluster.client, dialect, 'release', await objectsOf(first));
        await untilReady(set, clock);
        expect((await set.run()).changes).toEqual([]);
        set.objects = await objectsOf(second);
        await untilReady(set, clock);
        expect((await set.run()).changes).toEqual([]);
        expect(await readAll(cluster.client, set.objects)).toEqual(await readAll(theirs.client, set.objects));
      }
    },
    120_000,
  );

  it.each(dialects)(
    'is replaced by a new set without a loss of definitions and what users made of them (%s)',
    async (_name, dialect) => {
      const clock = virtualClock();
      await using cluster = await startSimulatedCluster({ clock });
      const { client } = cluster;
      const old = await TestSet.create(client, dialect, 'old', await objectsOf('tekton-pipeline/v1.14.1'));
      await untilReady(old, clock);
      const task: DynamicObject = {
        apiVersion: 'tekton.dev/v1',
        kind: 'Task',
        metadata: { namespace: 'default', name: 'mine' },
      };
      const mine = await client.create({ ...task, spec: { steps: [{ name: 's', image: 'busybox' }] } });
      const definition = await client.get(kinds.CustomResourceDefinition, { name: 'tasks.tekton.dev' });
      await untilRemoved(old, clock);
      const left = await Promise.all(old.objects.map((object) => live(client, object)));
      expect([...new Set(left.flatMap((object) => object?.kind ?? []))].toSorted()).toEqual(kept);
      expect((await client.list(kinds.Pod)).items).toEqual([]);
      expect((await client.list(kinds.ReplicaSet)).items).toEqual([]);

      const fresh = await TestSet.create(client, dialect, 'fresh', await objectsOf('tekton-pipeline/v1.15.0'));
      await untilReady(fresh, clock);
      expect((await live(client, task))?.metadata.uid).toBe(mine.metadata.uid);
      const now = await client.get(kinds.CustomResourceDefinition, { name: 'tasks.tekton.dev' });
      expect(now.metadata.uid).toBe(definition.metadata.uid);
      expect(JSON.stringify(now.metadata.labels)).toContain('v1.15.0');
      const owned = await Promise.all(fresh.objects.map((object) => live(client, object)));
      for (const object of owned.filter((each) => each && !kept.includes(each.kind) && !each.kind.includes('Webhook')))
        expect(hasOwner(object as DynamicObject, fresh.self)).toBe(true);
    },
    60_000,
  );

  it('moves to another namespace, and leaves nothing but the namespace behind', async () => {
    const clock = virtualClock();
    await using cluster = await startSimulatedCluster({ clock });
    const { client } = cluster;
    const manifest = await release('tekton-pipeline/v1.15.0');
    const namespaced = manifest.filter(({ metadata }) => metadata.namespace !== 'tekton-pipelines-resolvers');
    const set = await TestSet.create(client, connectorsDialect, 'moving', namespaced.objects);
    await untilReady(set, clock);
    const before = set.objects;
    set.objects = namespaced.transform(injectNamespace('ci')).objects;
    await untilReady(set, clock);
    await clock.advance(10_000);
    const was = before.filter(({ metadata }) => metadata.namespace === 'tekton-pipelines');
    expect(was.length).toBeGreaterThan(20);
    expect((await Promise.all(was.map((object) => live(client, object)))).filter(Boolean)).toEqual([]);
    expect((await client.list(kinds.Pod)).items.map(({ metadata }) => metadata.namespace)).toEqual(['ci', 'ci', 'ci']);
    expect(
      await live(client, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'tekton-pipelines' } }),
    ).toBeDefined();
    const binding = await client.get(kinds.ClusterRoleBinding, { name: 'tekton-pipelines-controller-cluster-access' });
    expect(binding.subjects?.map(({ namespace }) => namespace)).toEqual(['ci']);
    expect((await set.run()).changes).toEqual([]);
  }, 60_000);
});
