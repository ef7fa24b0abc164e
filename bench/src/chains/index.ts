import { setTimeout as wait } from 'node:timers/promises';
import { chainsSystem, TaskRun } from '@tektite/chains';
import { type Client, kinds, mergePatch } from '@tektite/client';
import { startCluster } from '@tektite/cluster';
import { startSystems } from '@tektite/controller';
import { pipelinesSystem } from '@tektite/pipelines';
import { images } from '../one-step.ts';
import { printTable } from '../table.ts';

const namespace = 'default';
const time = '2026-01-02T03:04:05Z';
const digest = (letter: string) => `sha256:${letter.repeat(64)}`;

/** The status of a TaskRun that has built an image. */
const status = {
  startTime: time,
  completionTime: time,
  conditions: [{ type: 'Succeeded', status: 'True', reason: 'Succeeded', lastTransitionTime: time }],
  podName: 'build-pod',
  taskSpec: { steps: [{ name: 'build', image: 'registry.test/builder', script: 'make image' }] },
  steps: [
    {
      name: 'build',
      container: 'step-build',
      imageID: `registry.test/builder@${digest('b')}`,
      terminated: { exitCode: 0, reason: 'Completed', startedAt: time, finishedAt: time },
    },
  ],
  results: [
    { name: 'CHAINS-GIT_URL', type: 'string', value: 'https://git.example/shop' },
    { name: 'CHAINS-GIT_COMMIT', type: 'string', value: '7fd1a60b01f91b314f59955a4e4d4e80d8edf11d' },
    { name: 'IMAGE_URL', type: 'string', value: 'registry.test/shop' },
    { name: 'IMAGE_DIGEST', type: 'string', value: digest('a') },
  ],
};

/** Completed TaskRuns that wait, signed by a process that starts: what it costs, with its API server in the same process. */
export async function benchChains({ quick }: { quick: boolean }): Promise<void> {
  const alive = setInterval(() => undefined, 60_000);
  const count = quick ? 300 : 2000;
  const { configure: _, ...pipelines } = pipelinesSystem({ images });
  const cluster = await startCluster({ systems: [{ ...pipelines, controllers: [], webhooks: [] }] });
  const { client } = cluster;
  await client.create(kinds.Namespace, { metadata: { name: 'tekton-chains' } });
  // Images are not signed here: that is requests to their registry.
  const settings = { 'artifacts.taskrun.storage': 'tekton', 'artifacts.oci.storage': '' };
  await client.create(kinds.ConfigMap, {
    metadata: { namespace: 'tekton-chains', name: 'chains-config' },
    data: settings,
  });
  const warm = await sign(client, 'warm', 50);
  await warm.stop();
  const { stop, cpuMs, seconds } = await sign(client, 'run', count);
  await stop();
  await cluster.close();
  clearInterval(alive);
  const met = printTable(`${count} completed TaskRuns, signed`, [
    {
      what: 'CPU for each run, API server included',
      value: cpuMs / count,
      unit: 'ms',
      target: { value: 10, better: 'less' },
    },
    { what: 'signed', value: count / seconds, unit: 'runs/s' },
  ]);
  process.exitCode = met ? 0 : 1;
}

async function sign(client: Client, prefix: string, count: number) {
  for (let index = 0; index < count; index++) {
    const name = `${prefix}-${index}`;
    await client.create(TaskRun, { metadata: { namespace, name }, spec: { taskSpec: status.taskSpec } } as never);
    await client.patchStatus(TaskRun, { namespace, name }, mergePatch({ status }));
  }
  const cpu = process.cpuUsage();
  const started = performance.now();
  const running = await startSystems([chainsSystem({ generatesKey: true })], { client, install: false });
  while (!(await areSigned(client, prefix, count))) await wait(20);
  const { user, system } = process.cpuUsage(cpu);
  const seconds = (performance.now() - started) / 1000;
  return { cpuMs: (user + system) / 1000, seconds, stop: () => running.stop() };
}

/** The last one, and then all: asking for all of them again and again would be measured, too. */
async function areSigned(client: Client, prefix: string, count: number): Promise<boolean> {
  const isSigned = ({ metadata }: TaskRun) => metadata.annotations?.['chains.tekton.dev/signed'] === 'true';
  const last = await client.get(TaskRun, { namespace, name: `${prefix}-${count - 1}` });
  if (!isSigned(last)) return false;
  const { items } = await client.list(TaskRun, { namespace });
  return items.every((run) => isSigned(run));
}
