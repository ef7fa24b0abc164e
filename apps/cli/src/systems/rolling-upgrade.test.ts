import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, kinds, openClient } from '@tektite/client';
import type { Condition, DynamicObject, KubeObject } from '@tektite/meta';
import { freePorts } from '@tektite/testkit';
import { request } from 'undici';
import { expect, it, onTestFinished } from 'vitest';
import { type RunningCommand, Scratch } from '../test-support.ts';

const runs = Number(process.env['TEKTITE_RUNS'] ?? 20);
const namespace = 'default';
const pipelineRuns = { apiVersion: 'tekton.dev/v1', kind: 'PipelineRun' };
const taskRuns = { apiVersion: 'tekton.dev/v1', kind: 'TaskRun' };
const patience = { timeout: 180_000, interval: 200 };

interface Replica {
  readonly running: RunningCommand;
  readonly statusUrl: string;
  readonly webhookPort: number;
}

/** As a Service: new connections go to a replica that was ready at the last probe, and open ones stay where they are. */
async function startService(replicas: () => readonly Replica[]): Promise<{ readonly port: number }> {
  let ready: readonly Replica[] = [];
  let next = 0;
  const stop = new AbortController();
  const probe = async () => {
    while (!stop.signal.aborted) {
      const states = await Promise.all(replicas().map((each) => isReady(each)));
      ready = replicas().filter((_, index) => states[index]);
      await delay(200);
    }
  };
  const server = createServer((socket) => {
    const target = ready[next++ % ready.length];
    if (!target) return void socket.destroy();
    const out = connect(target.webhookPort, '127.0.0.1');
    socket.on('error', () => out.destroy()).on('close', () => out.destroy());
    out.on('error', () => socket.destroy()).on('close', () => socket.destroy());
    socket.pipe(out).pipe(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const probing = probe();
  onTestFinished(async () => {
    stop.abort();
    server.close();
    await probing;
  });
  return { port: (server.address() as AddressInfo).port };
}

const isReady = ({ statusUrl }: Pick<Replica, 'statusUrl'>) =>
  request(`${statusUrl}/readyz`).then(
    async ({ statusCode, body }) => {
      await body.dump();
      return statusCode === 200;
    },
    () => false,
  );

const timing = ['lease-duration=3s', 'renew-deadline=2s', 'retry-period=1s'].map((each) => `--leader-elect-${each}`);

async function startReplica(scratch: Scratch, kubeconfig: string, service: number): Promise<Replica> {
  const [status = 0, webhookPort = 0] = await freePorts(2);
  const cluster = ['--systems', 'pipelines', '--kubeconfig', kubeconfig, '--kube-api-qps', '0'];
  const webhooks = ['--webhook-port', String(webhookPort), '--webhook-url', `https://127.0.0.1:${service}`];
  const ports = ['--status-address', `127.0.0.1:${status}`, '--shutdown-delay-duration', '1s'];
  const running = scratch.spawn(['controller', ...cluster, ...webhooks, ...ports, ...timing]);
  onTestFinished(() => void running.stop('SIGKILL'));
  const replica = { running, webhookPort, statusUrl: `http://127.0.0.1:${status}` };
  await expect.poll(() => isReady(replica), patience).toBe(true);
  return replica;
}

/** Two Tasks, one after the other. */
function pipelineRun(name: string, runMs: number): KubeObject {
  const metadata = { annotations: { 'tektite.dev/simulate': JSON.stringify({ runMs }) } };
  const taskSpec = { metadata, steps: [{ name: 'work', image: 'bash', script: 'true' }] };
  const tasks = [
    { name: 'first', taskSpec },
    { name: 'second', runAfter: ['first'], taskSpec },
  ];
  return { ...pipelineRuns, metadata: { namespace, name }, spec: { pipelineSpec: { tasks } } } as KubeObject;
}

/** Creates runs at a steady pace until the signal is aborted, at least as many as are asked for. Throws when one is not accepted. */
async function createRuns(client: Client, signal: AbortSignal): Promise<number> {
  const pending: Promise<unknown>[] = [];
  while (!signal.aborted || pending.length < runs) {
    const index = pending.length;
    pending.push(client.create(pipelineRun(`run-${index}`, 200 + (index % 7) * 200)));
    await delay(Math.min(250, 6000 / runs));
  }
  await Promise.all(pending);
  return pending.length;
}

const succeeded = ({ status }: DynamicObject) =>
  (status as { conditions?: readonly Condition[] } | undefined)?.conditions?.find(({ type }) => type === 'Succeeded');

it(`replacing all replicas loses nothing of ${runs} PipelineRuns or more, and no request to webhooks fails`, {
  timeout: 300_000,
}, async () => {
  using scratch = new Scratch();
  await using up = await scratch.up('--systems', '', '--runtime', 'simulated');
  await using client = await openClient({ kubeconfig: up.kubeconfig });
  let replicas: readonly Replica[] = [];
  const { port } = await startService(() => replicas);
  const add = async () => {
    const replica = await startReplica(scratch, up.kubeconfig, port);
    replicas = [...replicas, replica];
  };
  await add();
  await add();

  const upgraded = new AbortController();
  const creating = createRuns(client, upgraded.signal);
  for (const old of replicas) {
    await add();
    await delay(500);
    const { code } = await old.running.stop('SIGTERM');
    expect(code).toBe(0);
    replicas = replicas.filter((each) => each !== old);
  }
  upgraded.abort();
  const created = await creating;

  const ended = async () =>
    (await client.list(pipelineRuns, { namespace })).items.map((run) => succeeded(run)?.status ?? 'Unknown');
  await expect.poll(ended, patience).toEqual(Array.from({ length: created }, () => 'True'));
  const { items: children } = await client.list(taskRuns, { namespace });
  expect(children).toHaveLength(2 * created);
  expect(children.filter((each) => succeeded(each)?.status !== 'True')).toEqual([]);
  const { items: pods } = await client.list(kinds.Pod, { namespace });
  expect(pods).toHaveLength(2 * created);
});
