import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ByoCluster,
  byohSystem,
  ByoMachine,
  Cluster,
  dryRunSandbox,
  K8sInstallerConfigTemplate,
  Machine,
  startAgent,
} from '@tektite/byoh';
import { type Client, kinds } from '@tektite/client';
import { startSystems } from '@tektite/controller';
import { sleep, systemClock } from '@tektite/meta';
import { type ControlPlane, startControlPlane } from '@tektite/testkit';
import { printTable } from '../table.ts';

const namespace = 'default';
const apiVersion = 'infrastructure.cluster.x-k8s.io/v1beta1';
const labels = { 'cluster.x-k8s.io/cluster-name': 'c1' };
const facts = {
  info: { osname: 'linux', osimage: 'Ubuntu 20.04.6 LTS', architecture: 'amd64' },
  network: [],
  defaultInterface: 'eth0',
};

/** Many hosts with agents that only pretend, and a machine for each: until all are nodes, and what they cost afterwards. */
export async function benchByoh({ quick }: { quick: boolean }): Promise<void> {
  const count = quick ? 50 : 500;
  const alive = setInterval(() => undefined, 60_000);
  const folder = mkdtempSync(join(tmpdir(), 'tektite-bench-'));
  const ending: (() => Promise<unknown>)[] = [];
  try {
    const plane = await startControlPlane();
    ending.push(() => plane.close());
    const user = { name: 'byoh-manager', groups: ['system:masters'] };
    const running = await startSystems([byohSystem({ openWorkload: async () => plane.clientFor(user) })], {
      client: plane.clientFor(user),
      webhooks: { host: plane.server.localWebhooks, service: { namespace, name: 'byoh' } },
    });
    ending.push(() => running.stop());
    const memory = used();
    const began = performance.now();
    await prepare(plane.client);
    const agents = await Promise.all(Array.from({ length: count }, (_, i) => startHost(plane, `host-${i}`, folder)));
    for (const agent of agents) ending.push(() => agent.stop());
    const registered = performance.now();
    await Promise.all(Array.from({ length: count }, (_, i) => createMachine(plane.client, `machine-${i}`)));
    await allReady(plane.client, count);
    const ready = performance.now();
    const ok = printTable(`${count} hosts with agents that only pretend`, [
      { what: 'until all have registered', value: (registered - began) / 1000, unit: 's' },
      { what: 'machines that become ready', value: count / ((ready - registered) / 1000), unit: 'a second' },
      {
        what: 'until all machines are ready',
        value: (ready - registered) / 1000,
        unit: 's',
        target: { value: 120, better: 'less' },
      },
      { what: 'memory for each host: agent, manager and server', value: (used() - memory) / count / 1024, unit: 'KiB' },
      ...(await steadyState(plane, count)),
    ]);
    process.exitCode = ok ? 0 : 1;
  } finally {
    for (let end = ending.pop(); end; end = ending.pop()) await end();
    rmSync(folder, { recursive: true, force: true });
    clearInterval(alive);
  }
}

async function startHost(plane: ControlPlane, name: string, folder: string) {
  const client = plane.clientFor({ name: `byoh:host:${name}`, groups: ['byoh:hosts', 'system:authenticated'] });
  await plane.client.create(kinds.Node, { metadata: { name } });
  const home = { name: `byoh-host-${name}`, namespace: 'byoh-system' };
  await plane.client.create(kinds.ConfigMap, { metadata: home, data: { namespace } });
  const sandbox = dryRunSandbox({ facts, checksSyntax: false });
  return startAgent({ client, name, namespace, stateFolder: join(folder, name), sandbox, heartbeatMs: 10_000 });
}

async function prepare(client: Client): Promise<void> {
  const infrastructureRef = { apiVersion, kind: 'ByoCluster', name: 'c1', namespace };
  const cluster = await client.create(Cluster, { metadata: { name: 'c1', namespace }, spec: { infrastructureRef } });
  const owner = { apiVersion: cluster.apiVersion, kind: 'Cluster', name: 'c1', uid: cluster.metadata.uid ?? '' };
  await client.create(ByoCluster, { metadata: { name: 'c1', namespace, ownerReferences: [owner] }, spec: {} });
  await client.updateStatus(Cluster, { ...cluster, status: { infrastructureReady: true } });
  await client.create(kinds.Secret, { metadata: { name: 'c1-kubeconfig', namespace }, stringData: { value: '{}' } });
  await client.create(kinds.Secret, {
    metadata: { name: 'boot', namespace },
    stringData: { value: '#cloud-config\nruncmd: ["true"]\n' },
  });
  const spec = { bundleRepo: 'registry.example.com/bundles', bundleType: 'k8s' };
  await client.create(K8sInstallerConfigTemplate, {
    metadata: { name: 't1', namespace },
    spec: { template: { spec } },
  });
}

async function createMachine(client: Client, name: string): Promise<void> {
  const owner = await client.create(Machine, {
    metadata: { name, namespace, labels },
    spec: {
      version: 'v1.26.6',
      bootstrap: { dataSecretName: 'boot' },
      infrastructureRef: { apiVersion, kind: 'ByoMachine', name },
    },
  });
  await client.create(ByoMachine, {
    metadata: {
      name,
      namespace,
      labels,
      ownerReferences: [{ apiVersion: owner.apiVersion, kind: 'Machine', name, uid: owner.metadata.uid ?? '' }],
    },
    spec: { installerRef: { apiVersion, kind: 'K8sInstallerConfigTemplate', name: 't1', namespace } },
  });
}

async function allReady(client: Client, count: number): Promise<void> {
  for (;;) {
    const { items } = await client.list(ByoMachine, { namespace });
    if (items.filter(({ status }) => status?.ready).length === count) return;
    await sleep(systemClock, 100);
  }
}

/** Requests to an idle control plane: heartbeats, and the reconciles of the manager that follow. */
async function steadyState(plane: ControlPlane, count: number) {
  await sleep(systemClock, 12_000);
  const revision = async () =>
    Number((await plane.client.list(kinds.ConfigMap, { namespace })).metadata.resourceVersion);
  const before = await revision();
  const seconds = 20;
  await sleep(systemClock, seconds * 1000);
  const writes = (await revision()) - before;
  return [
    {
      what: 'writes while nothing happens, heartbeat every 10 s',
      value: writes / seconds,
      unit: 'a second',
      reference: count / 10,
    },
  ];
}

function used(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
