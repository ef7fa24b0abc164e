import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kinds } from '@tektite/client';
import { isStatusError, systemClock } from '@tektite/meta';
import { clientObjects, HostRuntime, startNode, StoreImageService } from '@tektite/node';
import { ImageStore } from '@tektite/oci';
import { freePorts, startRealControlPlane } from '@tektite/testkit';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { version } from '../release/make-release.mjs';

/**
 * Manifests of `tektite deploy` on a real kube-apiserver: Pods of the images run on a node of this machine, with the rights that are printed.
 * No controllers of Kubernetes run there, so that the test creates the Pods of Deployments and binds those of TaskRuns.
 */
const bin = join(import.meta.dirname, '../../apps/cli/bin/tektite.js');
const images = join(inject('release'), 'first/images');
const image = (name) => `tektite.dev/${name}:${version}`;
const folder = mkdtempSync(join(tmpdir(), 'tektite-on-cluster-'));
const stops = [];
let cluster;
let replicas = 0;
const kills = Number(process.env.TEKTITE_KILLS ?? 1);
let client;

beforeAll(async () => {
  stops.push(async () => rmSync(folder, { recursive: true, force: true }));
  cluster = await startRealControlPlane({ serviceAccounts: true });
  stops.push(() => cluster.close());
  ({ client } = cluster);
  const { port } = await cluster.https();
  const store = await ImageStore.open({ folder: join(folder, 'store') });
  stops.push(() => store[Symbol.asyncDispose]());
  for (const name of ['tektite', 'entrypoint', 'shell']) await store.load(join(images, `${name}-${version}.oci.tar`));
  await startedNode(store, port);
  await prepareNamespace('default');
  await create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace: 'default', name: 'default' } });
  stops.push(bindPods());
});

afterAll(async () => {
  for (let stop = stops.pop(); stop; stop = stops.pop()) await stop();
});

async function startedNode(store, port) {
  const dataDir = join(folder, 'node');
  const service = new StoreImageService({ store, objects: clientObjects(client), clock: systemClock });
  const runtime = new HostRuntime({
    directory: join(folder, 'runtime'),
    hide: [folder],
    usesImages: true,
    onNotice: () => {},
  });
  const node = await startNode({
    client,
    name: 'here',
    runtime,
    images: service,
    dataDir,
    api: { host: '127.0.0.1', port },
    address: '127.0.0.1',
  });
  stops.push(() => node[Symbol.asyncDispose]());
}

/** Creates the objects that controllers of Kubernetes put into every namespace, and that Pods wait for. */
async function prepareNamespace(namespace) {
  const { config } = await cluster.https();
  await create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const data = { 'ca.crt': config.certificateAuthority };
  await create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name: 'kube-root-ca.crt' }, data });
}

async function create(object) {
  await client.create(object).catch((error) => {
    if (!isStatusError(error, 'AlreadyExists')) throw error;
  });
}

/** A scheduler where there is only one place to go. */
function bindPods() {
  let running = true;
  const loop = (async () => {
    while (running) {
      const { items } = await client.list(kinds.Pod, { fieldSelector: 'spec.nodeName=' }).catch(() => ({ items: [] }));
      for (const { metadata } of items) {
        const { namespace, name } = metadata;
        const binding = {
          apiVersion: 'v1',
          kind: 'Binding',
          metadata: { namespace, name },
          target: { kind: 'Node', name: 'here' },
        };
        await client.createSubresource(kinds.Pod, { namespace, name }, 'binding', binding).catch(() => {});
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  })();
  return async () => {
    running = false;
    await loop;
  };
}

/** The server is 1.20, compiled with a newer Go than it was made for: it takes empty texts for null. */
function withoutDefaults(value) {
  if (Array.isArray(value)) return value.map(withoutDefaults);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key, item]) => key !== 'default' || item !== '');
  return Object.fromEntries(kept.map(([key, item]) => [key, withoutDefaults(item)]));
}

/** Installs a system; the Pod of its Deployment takes the place of a ReplicaSet's. */
async function install(system, values) {
  const file = join(folder, `${system}.json`);
  writeFileSync(file, JSON.stringify(values));
  const args = ['deploy', system, '--image', image('tektite'), '--values', file, '-o', 'json'];
  const { stdout, stderr, status } = spawnSync(process.execPath, [bin, ...args], { encoding: 'utf8', maxBuffer: 1e9 });
  expect([status, stderr]).toEqual([0, '']);
  const { items } = JSON.parse(stdout);
  for (const object of items)
    await create(object.kind === 'CustomResourceDefinition' ? withoutDefaults(object) : object);
  const { metadata, spec } = items.find(({ kind }) => kind === 'Deployment');
  await prepareNamespace(metadata.namespace);
  return { namespace: metadata.namespace, name: metadata.name, template: spec.template };
}

/** Replicas share the ports of this machine: each has its own, and a proxy in front of the webhooks, as a Service is. */
async function startReplica({ namespace, name, template, ports }, index) {
  const [status, webhook] = ports[index];
  const own = JSON.stringify(template).replaceAll('9090', String(status)).replaceAll('8443', String(webhook));
  const pod = { namespace, name: `${name}-${index}-${replicas++}` };
  const { metadata, spec } = JSON.parse(own);
  await client.create(kinds.Pod, { metadata: { ...metadata, ...pod }, spec });
  await expect.poll(() => isReady(pod), patience).toBe('True');
  return { ...pod, index, status };
}

async function startProxy(targets) {
  const server = createServer((socket) => {
    const next = ([target, ...others]) => {
      if (target === undefined) return socket.destroy();
      const out = connect(target, '127.0.0.1');
      const failed = () => next(others);
      out.once('error', failed);
      out.once('connect', () => {
        out.off('error', failed).on('error', () => {});
        out.once('close', () => socket.destroy());
        socket.once('close', () => out.destroy());
        socket.pipe(out).pipe(socket);
      });
    };
    socket.on('error', () => {});
    next(targets);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stops.push(async () => server.close());
  return server.address().port;
}

/** The program of a Pod, by its arguments. */
function processOf({ status }) {
  const found = readdirSync('/proc').find((pid) => {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      return words[0] === '/usr/local/bin/node' && words.includes(`:${status}`);
    } catch {
      return false;
    }
  });
  return Number(found);
}

/** The Pod that reconciles TaskRuns. */
async function leaderOf(pods) {
  const { items } = await client.list(kinds.Lease, { namespace: pods[0].namespace });
  const lease = items.find(({ metadata }) => /taskrun/.test(metadata.name));
  return pods.find(({ name }) => lease?.spec.holderIdentity.includes(name));
}

const podsOf = async (run) =>
  (await client.list(kinds.Pod, { namespace: 'default', labelSelector: `tekton.dev/taskRun=${run}` })).items;

const isReady = async (pod) =>
  (await client.get(kinds.Pod, pod)).status?.conditions?.find(({ type }) => type === 'Ready')?.status;

const patience = { timeout: 60_000, interval: 100 };
const runKind = (kind) => ({ apiVersion: 'tekton.dev/v1', kind });

async function ended(kind, name) {
  const read = async () => {
    const { status } = await client.get(runKind(kind), { namespace: 'default', name });
    return status?.conditions?.[0]?.status;
  };
  await expect.poll(read, patience).toMatch(/True|False/);
  return (await client.get(runKind(kind), { namespace: 'default', name })).status;
}

const begin = (kind, name, spec) => client.create({ ...runKind(kind), metadata: { namespace: 'default', name }, spec });

const run = async (kind, name, spec) => {
  await begin(kind, name, spec);
  return ended(kind, name);
};

const say = (name, script, more = {}) => ({ name, image: image('shell'), script, ...more });

describe('Pipelines, installed on a real kube-apiserver', () => {
  let deployment;
  let pods;

  it('is ready on a node of its own', async () => {
    const free = await freePorts(4);
    const ports = [free.slice(0, 2), free.slice(2)];
    const webhooks = await startProxy(ports.map(([, webhook]) => webhook));
    deployment = await install('pipelines', {
      entrypointImage: image('entrypoint'),
      shellImage: image('shell'),
      podDisruptionBudget: false,
      extraArgs: ['--webhook-url', `https://127.0.0.1:${webhooks}`],
    });
    deployment.ports = ports;
    pods = [await startReplica(deployment, 0)];
  });

  it('runs a Task with a script, a parameter and a result', async () => {
    const status = await run('TaskRun', 'greet', {
      params: [{ name: 'who', value: 'cluster' }],
      taskSpec: {
        params: [{ name: 'who' }],
        results: [{ name: 'greeting' }],
        steps: [say('greet', '#!/bin/sh\nset -e\nprintf "hello %s" "$(params.who)" > $(results.greeting.path)\n')],
      },
    });
    expect(status.conditions[0]).toMatchObject({ status: 'True', reason: 'Succeeded' });
    expect(status.results).toEqual([{ name: 'greeting', type: 'string', value: 'hello cluster' }]);
  });

  it('passes results from task to task of a Pipeline', async () => {
    const status = await run('PipelineRun', 'chain', {
      pipelineSpec: {
        results: [{ name: 'answer', value: '$(tasks.last.results.out)' }],
        tasks: [
          {
            name: 'first',
            taskSpec: { results: [{ name: 'out' }], steps: [say('a', 'printf 41 > $(results.out.path)')] },
          },
          {
            name: 'last',
            params: [{ name: 'in', value: '$(tasks.first.results.out)' }],
            taskSpec: {
              params: [{ name: 'in' }],
              results: [{ name: 'out' }],
              steps: [
                say('b', 'printf $(($(params.in) + 1)) > $(results.out.path)', { workingDir: '/workspace/deep' }),
              ],
            },
          },
        ],
      },
    });
    expect(status.conditions[0]).toMatchObject({ status: 'True' });
    expect(status.results).toEqual([{ name: 'answer', value: '42' }]);
  });

  it('reports the step that failed, and stops the sidecar beside it', async () => {
    const status = await run('TaskRun', 'fails', {
      taskSpec: {
        sidecars: [{ name: 'waits', image: image('shell'), command: ['sleep', '600'] }],
        steps: [say('fine', 'true'), say('bad', 'exit 3'), say('never', 'true')],
      },
    });
    expect(status.conditions[0]).toMatchObject({ status: 'False', reason: 'StepFailed' });
    expect(status.steps.map(({ terminated }) => terminated.exitCode)).toEqual([0, 3, 1]);
    const sidecar = async () => {
      const pod = await client.get(kinds.Pod, { namespace: 'default', name: status.podName });
      return pod.spec.containers.find(({ name }) => name === 'sidecar-waits').image;
    };
    await expect.poll(sidecar, patience).toBe(image('entrypoint'));
  });

  it('rejects what its webhooks find', async () => {
    const spec = { taskSpec: { steps: [{ name: 'no-image', script: 'true' }] }, timeout: '-1s' };
    await expect(run('TaskRun', 'wrong', spec)).rejects.toThrow(/-1s should be >= 0/);
  });

  it(`goes on within seconds when its leader is killed, and creates nothing twice (${kills} kills)`, async () => {
    pods.push(await startReplica(deployment, 1));
    const delays = [];
    for (let kill = 0; kill < kills; kill++) {
      const leader = await leaderOf(pods);
      const name = `after-kill-${kill}`;
      process.kill(processOf(leader), 'SIGKILL');
      const killedAt = Date.now();
      const taskSpec = { steps: [say('s', 'true')] };
      // A connection to the webhooks of the one that died may be reported once.
      const created = () => begin('TaskRun', name, { taskSpec }).catch(String);
      await expect.poll(created, { ...patience, interval: 20 }).toMatchObject({ kind: 'TaskRun' });
      await expect.poll(async () => (await podsOf(name)).length, { ...patience, interval: 50 }).toBe(1);
      delays.push(Date.now() - killedAt);
      expect((await ended('TaskRun', name)).conditions[0]).toMatchObject({ status: 'True' });
      expect(await podsOf(name)).toHaveLength(1);
      await client.delete(kinds.Pod, leader, { gracePeriodSeconds: 0 });
      pods = [...pods.filter((pod) => pod !== leader), await startReplica(deployment, leader.index)];
    }
    if (process.env.TEKTITE_KILLS) console.log(`Pods after ${delays.sort((a, b) => a - b).join(', ')} ms`);
    // The lease is three seconds; the rest is for a busy machine.
    expect(Math.max(...delays)).toBeLessThan(10_000);
  }, 1_200_000);

  it.each(['byoh', 'chains', 'tekton-operator', 'triggers'])('has %s beside it, which is ready', async (system) => {
    const free = await freePorts(2);
    const more = await install(system, {
      podDisruptionBudget: false,
      extraArgs: ['--webhook-url', `https://127.0.0.1:${free[1]}`],
    });
    more.ports = [free];
    await startReplica(more, 0);
  });

  it('does with its printed rights all that it did', async () => {
    const stranger = cluster.clientFor({ name: 'system:serviceaccount:default:stranger', groups: [] });
    await expect(stranger.list(kinds.Secret)).rejects.toThrow('forbidden');
    expect(await cluster.denials()).toContainEqual(expect.stringContaining('default:stranger may not list'));
    // Servers before 1.28 do not have these reviews, and byoh does without.
    const own = /serviceaccount:(?!default).*(?<!selfsubjectreviews)$/;
    expect((await cluster.denials()).filter((line) => own.test(line))).toEqual([]);
  });
});
