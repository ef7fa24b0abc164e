import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, kinds, mergePatch } from '@tektite/client';
import { definitionsOf, startSystems } from '@tektite/controller';
import { Informer } from '@tektite/controller/cache';
import { isStatusError, type KubeObject } from '@tektite/meta';
import { SimulatedRuntime, startNode } from '@tektite/node';
import type { TaskRun, TaskRunSpec } from '@tektite/pipelines';
import type { Pod } from '@tektite/schema/kubernetes';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { pipelines } from './pipelines.ts';

const namespace = 'default';
const kind = { apiVersion: 'tekton.dev/v1', kind: 'TaskRun' };

/** The behaviours of the containers of a run, by name. */
type Behaviours = Readonly<
  Record<string, { readonly runMs?: number; readonly exitCode?: number; readonly terminationMessage?: string }>
>;

const quick = { runMs: 20 };
const prepared: Behaviours = { prepare: quick, 'place-scripts': quick };

export interface TaskRunPlace {
  readonly connect: () => Promise<Client>;
  /** A server that takes empty texts for null: 1.20, compiled with a newer Go than it was made for. */
  readonly isOld?: boolean;
}

/** TaskRuns on any API server: the controller, and a node whose containers are timers. */
export function taskRunCases({ connect, isOld = false }: TaskRunPlace): void {
  describe('a TaskRun', () => {
    let client: Client;
    const stops: (() => Promise<unknown>)[] = [];

    beforeAll(async () => {
      client = await connect();
      const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace, name: 'default' } };
      await client.create(kinds.ServiceAccount, account).catch(() => undefined);
      if (isOld) await installOnOldServer(client);
      const running = await startSystems([pipelines], { client, graceMs: 0, install: !isOld });
      stops.push(() => running.stop());
      const dataDir = await mkdtemp(join(tmpdir(), 'tektite-task-runs-'));
      stops.push(() => rm(dataDir, { recursive: true, force: true }));
      const node = await startNode({ client, runtime: new SimulatedRuntime(), name: 'here', dataDir });
      stops.push(async () => node[Symbol.asyncDispose]());
      stops.push(bindAll(client));
    });

    afterAll(async () => {
      for (let stop = stops.pop(); stop; stop = stops.pop()) await stop();
    });

    async function create(name: string, spec: TaskRunSpec, containers: Behaviours): Promise<void> {
      const annotations = { 'tektite.dev/simulate': JSON.stringify({ containers: { ...prepared, ...containers } }) };
      await client.create({ ...kind, metadata: { namespace, name, annotations }, spec } as KubeObject);
    }

    const get = (name: string) => client.get<TaskRun>(kind, { namespace, name });

    /** The run when the reason of its condition is that. */
    async function until(name: string, reason: string): Promise<TaskRun> {
      const read = async () => (await get(name)).status?.conditions?.[0]?.reason;
      await expect.poll(read, { timeout: 20_000 }).toBe(reason);
      return get(name);
    }

    const step = { name: 'a', image: 'busybox', script: 'echo hi' };

    it('runs to its end, with its results and the labels of its Task', async () => {
      const metadata = { namespace, name: 'greet', labels: { team: 'blue' } };
      const spec = {
        params: [{ name: 'who' }],
        steps: [{ ...step, args: ['$(params.who)'] }],
        results: [{ name: 'r' }],
      };
      await client.create({ apiVersion: 'tekton.dev/v1', kind: 'Task', metadata, spec } as KubeObject);
      const terminationMessage = JSON.stringify([{ key: 'r', value: 'hello', type: 1 }]);
      const params = [{ name: 'who', value: 'you' }];
      await create('whole', { taskRef: { name: 'greet' }, params }, { 'step-a': { runMs: 500, terminationMessage } });
      const { status, metadata: after } = await until('whole', 'Succeeded');
      expect(status).toMatchObject({
        podName: 'whole-pod',
        results: [{ name: 'r', type: 'string', value: 'hello' }],
        steps: [{ name: 'a', container: 'step-a', terminated: { exitCode: 0 } }],
        taskSpec: { steps: [{ args: ['you'] }] },
      });
      expect(after.labels).toMatchObject({ team: 'blue', 'tekton.dev/task': 'greet' });
      const pod = await client.get(kinds.Pod, { namespace, name: 'whole-pod' });
      expect(pod.metadata.annotations?.['tekton.dev/ready']).toBe('READY');
      expect(pod.metadata.labels).toMatchObject({ team: 'blue', 'tekton.dev/taskRun': 'whole' });
    });

    // Between two attempts the name of the Pod is empty.
    it.skipIf(isOld)('is retried, each time in a new Pod', async () => {
      await create('again', { taskSpec: { steps: [step] }, retries: 1 }, { 'step-a': { ...quick, exitCode: 3 } });
      const { status } = await until('again', 'StepFailed');
      expect(status).toMatchObject({ podName: 'again-pod-retry1', retriesStatus: [{ podName: 'again-pod' }] });
      expect(status?.conditions?.[0]?.message).toBe('"step-a" exited with code 3: Error');
    });

    it('is cancelled, and its Pod goes', async () => {
      await create('endless', { taskSpec: { steps: [step] } }, { 'step-a': {} });
      await until('endless', 'Running');
      await client.patch(kind, { namespace, name: 'endless' }, mergePatch({ spec: { status: 'TaskRunCancelled' } }));
      const { status } = await until('endless', 'TaskRunCancelled');
      expect(status?.steps?.[0]).toMatchObject({ terminated: { exitCode: 1, reason: 'TaskRunCancelled' } });
      const pod = () => client.get(kinds.Pod, { namespace, name: 'endless-pod' }).catch(() => undefined);
      await expect
        .poll(async () => (await pod())?.metadata.deletionTimestamp ?? 'gone', { timeout: 20_000 })
        .toBeTruthy();
    });

    it('fails when its timeout expires', async () => {
      await create('slow', { taskSpec: { steps: [step] }, timeout: '2s' }, { 'step-a': {} });
      const { status } = await until('slow', 'TaskRunTimeout');
      expect(status?.conditions?.[0]?.message).toContain('TaskRun "slow" failed to finish within "2s"');
    });

    it('has its sidecars stopped when its steps are done', async () => {
      const sidecars = [{ name: 's', image: 'busybox', command: ['sleep'], args: ['1d'] }];
      const behaviours = { 'step-a': { runMs: 500 }, 'sidecar-s': {} };
      await create('beside', { taskSpec: { steps: [step], sidecars } }, behaviours);
      await until('beside', 'Succeeded');
      const message = async () => (await get('beside')).status?.sidecars?.[0]?.terminated?.message;
      await expect.poll(message, { timeout: 40_000 }).toBe('Sidecar container successfully stopped by nop image');
    }, 60_000);
  });
}

/** Definitions without empty defaults, which would be refused. */
async function installOnOldServer(client: Client): Promise<void> {
  const definitions = definitionsOf(pipelines.kinds);
  for (const definition of definitions)
    await client.create(withoutDefaults(definition) as unknown as KubeObject).catch(ignoreExisting);
  for (const object of pipelines.objects ?? []) await client.create(object).catch(ignoreExisting);
  for (const { group, version, plural } of pipelines.kinds)
    await vi.waitFor(() => client.request({ method: 'GET', path: `/apis/${group}/${version}/${plural}` }), 20_000);
}

function ignoreExisting(error: unknown): void {
  if (!isStatusError(error, 'AlreadyExists')) throw error;
}

function withoutDefaults(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDefaults);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key, item]) => key !== 'default' || item !== '');
  return Object.fromEntries(kept.map(([key, item]) => [key, withoutDefaults(item)]));
}

/** A scheduler where there is only one place to go. */
function bindAll(client: Client): () => Promise<unknown> {
  const informer = new Informer<Pod, Pod>(client, kinds.Pod);
  const bind = ({ metadata, spec }: Pod) => {
    const { name = '' } = metadata;
    if (spec?.nodeName) return;
    const target = { apiVersion: 'v1', kind: 'Node', name: 'here' };
    const binding = { apiVersion: 'v1', kind: 'Binding', metadata: { namespace, name }, target };
    client.createSubresource(kinds.Pod, { namespace, name }, 'binding', binding).catch(() => undefined);
  };
  informer.addHandler({ added: bind });
  informer.start();
  return () => informer.stop();
}
