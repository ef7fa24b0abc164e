import { existsSync } from 'node:fs';
import type { Transport } from '@tektite/client';
import { startSystems } from '@tektite/controller';
import { applyManifest, isDefinition, loadManifest, Manifest, not, waitForObjects } from '@tektite/manifest';
import { findCondition, type KubeObject, sleep, systemClock } from '@tektite/meta';
import { folderPayload, TektonConfig, tektonOperatorSystem } from '@tektite/tekton-operator';
import { virtualClock } from '@tektite/testkit';
import { startSimulatedCluster } from '@tektite/testkit/cluster';
import { printTable } from '../table.ts';

/** Release files of Tekton, beside the repository. */
const releases = new URL('../../../../shared/data/payload/', import.meta.url).pathname;
const components = [
  ['tekton-pipeline', 'v1.15.0'],
  ['tekton-trigger', 'v0.37.0'],
  ['tekton-chain', 'v0.29.2'],
  ['tekton-dashboard', 'v0.71.0'],
] as const;

const config = {
  apiVersion: 'operator.tekton.dev/v1alpha1',
  kind: 'TektonConfig',
  metadata: { name: 'config' },
  spec: {
    profile: 'all',
    targetNamespace: 'tekton-pipelines',
    result: { disabled: true },
    platforms: { kubernetes: { pipelinesAsCode: { enable: false } } },
  },
} as KubeObject;
const environment = { IMAGE_JOB_PRUNER_TKN: 'tkn' };
const service = { namespace: 'tekton-operator', name: 'tekton-operator-webhook' };

/** How long it takes until a whole Tekton is ready, and what it costs when nothing happens any more. */
export async function benchTektonOperator(): Promise<void> {
  if (!existsSync(releases)) {
    console.error('releases of Tekton: ../shared is absent; there is nothing to measure with');
    return;
  }
  // Everything here is in one process, which would end where nothing but its own promises keep it.
  const alive = setInterval(() => undefined, 60_000);
  const reference = await applyTime();
  const installed = await installTime();
  const rest = await restingCalls();
  clearInterval(alive);
  const ok = printTable('a TektonConfig with Pipelines, Triggers, Chains and the Dashboard, on a simulated node', [
    {
      what: 'until it is Ready, against applying the same files and waiting',
      value: installed,
      unit: 's',
      reference,
      target: { value: 30, better: 'less' },
    },
    {
      what: 'writes in ten minutes in which nothing happens',
      value: rest.writes,
      unit: '',
      target: { value: 0, better: 'less' },
    },
    { what: 'reads of reconcilers in that time', value: rest.reads, unit: '', target: { value: 0, better: 'less' } },
  ]);
  process.exitCode = ok ? 0 : 1;
}

/** The lower bound for an operator: the files applied, and waited for. */
async function applyTime(): Promise<number> {
  const cluster = await startSimulatedCluster();
  try {
    const files: Manifest[] = [];
    for (const [folder, version] of components)
      files.push(await loadManifest({ kind: 'path', path: `${releases}${folder}/${version}`, recursive: true }));
    const all = new Manifest()
      .append(...files)
      .withoutDuplicates(({ kind, metadata }) => `${kind}/${metadata.namespace}/${metadata.name}`);
    const began = performance.now();
    await applyManifest(cluster.client, all.filter(isDefinition()));
    const report = await applyManifest(cluster.client, all.filter(not(isDefinition())));
    const deployments = report.results.map(({ reference }) => reference).filter(({ kind }) => kind === 'Deployment');
    await waitForObjects(cluster.client, deployments, { timeoutMs: 60_000 });
    return (performance.now() - began) / 1000;
  } finally {
    await cluster.close();
  }
}

async function installTime(): Promise<number> {
  const cluster = await startSimulatedCluster();
  const system = tektonOperatorSystem({ version: 'v0.81.1', payloads: [folderPayload(releases)], environment });
  const running = await startSystems([system], {
    client: cluster.clientFor({ name: 'operator', groups: ['system:masters'] }),
    webhooks: { host: cluster.server.localWebhooks, service },
  });
  try {
    const began = performance.now();
    await cluster.client.create(config);
    while (!(await isReady(cluster))) await sleep(systemClock, 50);
    return (performance.now() - began) / 1000;
  } finally {
    await running.stop();
    await cluster.close();
  }
}

async function isReady({
  client,
}: Pick<Awaited<ReturnType<typeof startSimulatedCluster>>, 'client'>): Promise<boolean> {
  const { status } = await client.get(TektonConfig, { name: 'config' });
  return findCondition(status?.conditions, 'Ready')?.status === 'True';
}

/**
 * Ten minutes of virtual time. Leases, and the check of webhooks once a minute, belong to the runtime and do not count.
 */
async function restingCalls(): Promise<{ readonly writes: number; readonly reads: number }> {
  const clock = virtualClock();
  const opening = startSimulatedCluster({ clock });
  const cluster = await passing(clock, opening);
  const calls = { writes: 0, reads: 0 };
  const client = cluster.clientFor(counted(cluster.transport(), calls));
  const system = tektonOperatorSystem({ version: 'v0.81.1', payloads: [folderPayload(releases)], environment });
  const running = await passing(
    clock,
    startSystems([system], { client, graceMs: 0, webhooks: { host: cluster.server.localWebhooks, service } }),
  );
  await cluster.client.create(config);
  while (!(await isReady(cluster))) await clock.advance(1000);
  await clock.advance(60_000);
  Object.assign(calls, { writes: 0, reads: 0 });
  await clock.advance(600_000);
  const found = { ...calls };
  await passing(clock, running.stop());
  await passing(clock, cluster.close());
  return found;
}

function counted(transport: Transport, calls: { writes: number; reads: number }): Transport {
  return {
    request(request) {
      const isRuntime = /\/leases|webhookconfigurations/.test(request.path);
      if (!isRuntime) calls[request.method === 'GET' ? 'reads' : 'writes']++;
      return transport.request(request);
    },
    stream: (request) => transport.stream(request),
    watch: (request) => transport.watch(request),
    close: () => transport.close(),
  };
}

/** Lets virtual time pass while something is done that needs files too. */
async function passing<T>(clock: ReturnType<typeof virtualClock>, work: Promise<T>): Promise<T> {
  let isSettled = false;
  const settled = () => void (isSettled = true);
  work.then(settled, settled);
  while (!isSettled) await clock.advance(100);
  return work;
}
