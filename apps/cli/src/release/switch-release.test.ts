import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, kinds, mergePatch } from '@tektite/client';
import { type RunningSystems, startSystems } from '@tektite/controller';
import type { Condition, KubeObject } from '@tektite/meta';
import { folderPayload, objectPayload, type PayloadSource, tektonOperatorSystem } from '@tektite/tekton-operator';
import { type VirtualClock, virtualClock } from '@tektite/testkit';
import { startSimulatedCluster } from '@tektite/testkit/cluster';
import { expect, it } from 'vitest';
import { programIn } from '../catalog/installations.ts';
import { repository } from '../test-support.ts';
import { chainsRelease } from './chains-release.ts';
import { pipelinesRelease } from './pipelines-release.ts';
import { resultsRelease } from './results-release.ts';
import { triggersRelease } from './triggers-release.ts';

const releases = join(repository, '../shared/data/payload');
const namespace = 'tekton-pipelines';
const program = () => programIn('example.com/tektite:1');
const own = objectPayload([pipelinesRelease, triggersRelease, chainsRelease, resultsRelease].map((of) => of(program)));

/** Files are read in real time, in which a virtual clock is far ahead: they are read before. */
async function upstream(): Promise<PayloadSource> {
  const folder = folderPayload(releases);
  const loaded = new Map<string, Awaited<ReturnType<PayloadSource['load']>>>();
  const newest = { 'tekton-pipeline': 'v1.15.0', 'tekton-trigger': 'v0.37.0', 'tekton-chain': 'v0.29.2' } as const;
  for (const [name, version] of Object.entries(newest)) loaded.set(name, await folder.load(name, version));
  return {
    ...folder,
    versions: async (name) => (loaded.has(name) ? [newest[name as keyof typeof newest]] : []),
    load: async (name, version) => loaded.get(name) ?? folder.load(name, version),
  };
}

/** Waits for something that needs files as well as timers. */
async function throughTime<T>(clock: VirtualClock, work: Promise<T>): Promise<T> {
  let isSettled = false;
  const settled = () => void (isSettled = true);
  work.then(settled, settled);
  while (!isSettled) await clock.advance(100);
  return work;
}

const config = { apiVersion: 'operator.tekton.dev/v1alpha1', kind: 'TektonConfig' };
const task = { apiVersion: 'tekton.dev/v1', kind: 'Task' };
const listener = { apiVersion: 'triggers.tekton.dev/v1beta1', kind: 'EventListener' };

/** The data that users and components have written. */
async function createData(client: Client): Promise<void> {
  const metadata = { namespace: 'default', name: 'mine' };
  await client.create({ ...task, metadata, spec: { steps: [{ name: 'a', image: 'a' }] } } as unknown as KubeObject);
  const run = { ...task, kind: 'PipelineRun', metadata, spec: { pipelineRef: { name: 'p' } } };
  await client.create(run as unknown as KubeObject);
  await client.create({ ...listener, metadata, spec: { triggers: [{ triggerRef: 't' }] } } as unknown as KubeObject);
  const data = { 'cosign.key': Buffer.from('private').toString('base64') };
  await client.patch(kinds.Secret, { namespace, name: 'signing-secrets' }, mergePatch({ data }));
}

/** The identities of all that has to stay. */
async function dataOf(client: Client): Promise<readonly unknown[]> {
  const mine = { namespace: 'default', name: 'mine' };
  const kept = [task, { ...task, kind: 'PipelineRun' }, listener].map((kind) => client.get(kind, mine));
  const { data } = await client.get(kinds.Secret, { namespace, name: 'signing-secrets' });
  const archive = await client.get(kinds.PersistentVolumeClaim, { namespace, name: 'tekton-results-data' });
  expect(archive.metadata.deletionTimestamp).toBeUndefined();
  return [...(await Promise.all(kept)).map(({ metadata }) => metadata.uid), data, archive.metadata.uid];
}

it.skipIf(!existsSync(releases))(
  "components keep their data when upstream's releases replace those of this program, and on the way back (from ../shared, skipped where that is absent)",
  { timeout: 120_000 },
  async () => {
    const files = await upstream();
    const clock = virtualClock();
    const plane = await throughTime(clock, startSimulatedCluster({ clock }));
    const { client } = plane;
    const operatorClient = plane.clientFor({ name: 'tekton-operator', groups: ['system:masters'] });
    let running: RunningSystems | undefined;
    const start = async (payloads: readonly PayloadSource[]) => {
      if (running) await clock.until(running.stop());
      const environment = { IMAGE_JOB_PRUNER_TKN: 'tkn:latest' };
      const system = tektonOperatorSystem({ version: 'v0.81.1', payloads, environment });
      const service = { namespace: 'tekton-operator', name: 'tekton-operator-webhook' };
      const webhooks = { host: plane.server.localWebhooks, service };
      running = await clock.until(startSystems([system], { client: operatorClient, graceMs: 0, webhooks }));
    };
    const imageOf = async (name: string) => {
      const found = await client.getOrUndefined(kinds.Deployment, { namespace, name });
      return found?.spec?.template.spec?.containers?.[0]?.image;
    };
    const isReady = async () => {
      const { status } = await client.get(config, { name: 'config' });
      const { conditions = [] } = (status ?? {}) as { readonly conditions?: readonly Condition[] };
      return conditions.find(({ type }) => type === 'Ready')?.status === 'True';
    };
    const controllers = ['tekton-pipelines-controller', 'tekton-triggers-controller', 'tekton-chains-controller'];
    const untilRun = async (image: RegExp) => {
      for (let second = 0; second < 900; second++) {
        const images = await Promise.all(controllers.map((name) => imageOf(name)));
        if ((await isReady()) && images.every((each) => each !== undefined && image.test(each))) return;
        await clock.advance(1000);
      }
      const { status } = await client.get(config, { name: 'config' });
      throw new Error(`not ready: ${JSON.stringify(status)}`);
    };
    try {
      await start([own]);
      const spec = { profile: 'basic', targetNamespace: namespace, pruner: { disabled: true } };
      await client.create({ ...config, metadata: { name: 'config' }, spec } as unknown as KubeObject);
      await untilRun(/^example\.com\/tektite:1$/);
      await createData(client);
      const data = await dataOf(client);

      await start([files, own]);
      await untilRun(/tektoncd/);
      expect(await imageOf('tekton-pipelines-webhook')).toMatch(/tektoncd/);
      expect(await dataOf(client)).toEqual(data);

      await start([own]);
      await untilRun(/^example\.com\/tektite:1$/);
      expect(await imageOf('tekton-pipelines-webhook')).toBeUndefined();
      expect(await dataOf(client)).toEqual(data);
    } finally {
      if (running) await clock.until(running.stop());
      await throughTime(clock, plane.close());
    }
  },
);
