import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, kinds, openClient } from '@tektite/client';
import type { Condition, DynamicObject, KubeObject } from '@tektite/meta';
import { expect, it } from 'vitest';
import { repository, type RunningCommand, Scratch } from '../test-support.ts';

const upstream = join(repository, '../shared/data/payload/tekton-pipeline/v1.15.0/release.yaml');
const absent = !existsSync(upstream) || spawnSync('kubectl', ['version', '--client']).status !== 0;
const namespace = 'tekton-pipelines';
const pipelineRuns = { apiVersion: 'tekton.dev/v1', kind: 'PipelineRun' };
const taskRuns = { apiVersion: 'tekton.dev/v1', kind: 'TaskRun' };

function kubectl(kubeconfig: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync('kubectl', ['--kubeconfig', kubeconfig, ...args], { encoding: 'utf8' });
  expect(`${status} ${stderr.replaceAll(/^Warning: .*\n/gm, '')}`).toBe('0 ');
  return stdout;
}

/** The fields of an installation of Pipelines that processes and servers read. */
async function installed(client: Client): Promise<unknown> {
  const all = [
    kinds.Deployment,
    kinds.Service,
    kinds.MutatingWebhookConfiguration,
    kinds.ValidatingWebhookConfiguration,
    kinds.CustomResourceDefinition,
  ];
  const lists = await Promise.all(all.map((kind) => client.list<KubeObject>(kind)));
  const objects = lists.flatMap(({ items }) => items as readonly (DynamicObject & { webhooks?: unknown })[]);
  return Object.fromEntries(
    objects.map(({ kind, metadata, spec, webhooks }) => [`${kind} ${metadata.name}`, spec ?? webhooks]),
  );
}

const owner = ({ apiVersion, kind, metadata: { name = '', uid = '' } }: KubeObject) => [
  { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true },
];

/** A PipelineRun whose first Task runs, as upstream's controller leaves it. */
async function createHalfDone(client: Client): Promise<void> {
  const startTime = new Date(Date.now() - 5000).toISOString().replace(/\.\d+Z/, 'Z');
  const running = (message: string) => ({
    startTime,
    conditions: [{ type: 'Succeeded', status: 'Unknown', reason: 'Running', message, lastTransitionTime: startTime }],
    provenance: { featureFlags: { coschedule: 'workspaces', enableAPIFields: 'beta', maxResultSize: 4096 } },
  });
  const taskSpec = { steps: [{ name: 'work', image: 'busybox', script: 'true', computeResources: {} }] };
  const embedded = { metadata: {}, spec: null, ...taskSpec };
  const pipelineSpec = {
    tasks: [
      { name: 'first', taskSpec: embedded },
      { name: 'second', runAfter: ['first'], taskSpec: embedded },
    ],
  };
  const write = async (object: object, status: object): Promise<KubeObject> => {
    const made = await client.create(object as KubeObject);
    const left = await client.updateStatus(object as typeof taskRuns, { ...made, status });
    expect(left['status']).toEqual(status);
    return left;
  };
  const labels = { 'tekton.dev/pipeline': 'half' };
  const run = await write(
    {
      ...pipelineRuns,
      metadata: { namespace: 'default', name: 'half', labels },
      spec: { pipelineSpec, taskRunTemplate: { serviceAccountName: 'default' }, timeouts: { pipeline: '1h0m0s' } },
    },
    {
      ...running('Tasks Completed: 0 (Failed: 0, Cancelled 0), Incomplete: 2, Skipped: 0'),
      pipelineSpec,
      childReferences: [{ ...taskRuns, name: 'half-first', pipelineTaskName: 'first' }],
    },
  );
  const childLabels = {
    ...labels,
    'app.kubernetes.io/managed-by': 'tekton-pipelines',
    'tekton.dev/memberOf': 'tasks',
    'tekton.dev/pipelineRun': 'half',
    'tekton.dev/pipelineRunUID': run.metadata.uid,
    'tekton.dev/pipelineTask': 'first',
  };
  const taskRun = await write(
    {
      ...taskRuns,
      metadata: { namespace: 'default', name: 'half-first', labels: childLabels, ownerReferences: owner(run) },
      spec: { taskSpec, serviceAccountName: 'default', timeout: '1h0m0s' },
    },
    {
      ...running('Not all Steps in the Task have finished executing'),
      podName: 'half-first-pod',
      taskSpec,
      steps: [{ container: 'step-work', name: 'work', running: { startedAt: startTime } }],
    },
  );
  const podLabels = {
    ...childLabels,
    'tekton.dev/taskRun': 'half-first',
    'tekton.dev/taskRunUID': taskRun.metadata.uid,
  };
  await client.create(kinds.Pod, {
    metadata: {
      namespace: 'default',
      name: 'half-first-pod',
      labels: podLabels as Record<string, string>,
      annotations: { 'tekton.dev/ready': 'READY', 'tektite.dev/simulate': '{"runMs":1000}' },
      ownerReferences: owner(taskRun),
    },
    spec: { restartPolicy: 'Never', containers: [{ name: 'step-work', image: 'busybox' }] },
  } as never);
}

/** The process that a Deployment starts, on this machine. Nothing here leads from a Service to it: it serves no webhooks. */
async function startProcess(scratch: Scratch, client: Client, kubeconfig: string): Promise<RunningCommand> {
  const { spec } = await client.get(kinds.Deployment, { namespace, name: 'tekton-pipelines-controller' });
  const args = spec?.template.spec?.containers?.[0]?.args ?? [];
  const own = args.map((each) => each.replace('$(SYSTEM_NAMESPACE)', namespace).replace(':9090', '127.0.0.1:0'));
  own[own.indexOf('--webhook-port') + 1] = '0';
  return scratch.start([...own, '--kubeconfig', kubeconfig], /controllers started/);
}

it.skipIf(absent)(
  'takes over from a release of upstream, whose runs go on, and gives back (from ../shared, skipped where that or kubectl is absent)',
  { timeout: 120_000 },
  async () => {
    using scratch = new Scratch();
    await using up = await scratch.up('--systems', '', '--runtime', 'simulated');
    await using client = await openClient({ kubeconfig: up.kubeconfig });
    kubectl(up.kubeconfig, 'apply', '-f', upstream);
    const before = await installed(client);
    await createHalfDone(client);

    const { out, err } = scratch.tektite(['deploy', 'pipelines', '--takeover']);
    expect(err).toBe('');
    kubectl(up.kubeconfig, 'apply', '-f', scratch.write('ours.yaml', out));
    const { items: deployments } = await client.list(kinds.Deployment);
    const replicas = deployments.map(({ metadata, spec }) => `${metadata.name}: ${spec?.replicas}`);
    expect(replicas.sort()).toEqual([
      'tekton-events-controller: 0',
      'tekton-pipelines-controller: 2',
      'tekton-pipelines-remote-resolvers: 0',
      'tekton-pipelines-webhook: 0',
    ]);

    await using running = await startProcess(scratch, client, up.kubeconfig);
    const end = async () => {
      const { status } = await client.get(pipelineRuns, { namespace: 'default', name: 'half' });
      const { conditions = [] } = (status ?? {}) as { conditions?: readonly Condition[] };
      return conditions.map(({ reason }) => reason);
    };
    await expect.poll(end, { timeout: 60_000 }).toEqual(['Succeeded']);
    const names = async (kind: object) =>
      (await client.list(kind as typeof taskRuns, { namespace: 'default' })).items.map(({ metadata }) => metadata.name);
    expect(await names(taskRuns)).toEqual(['half-first', 'half-second']);
    expect(await names(kinds.Pod)).toEqual(['half-first-pod', 'half-second-pod']);
    // Upstream's processes wait for this one to give them back, and this one for theirs.
    const leases = (await client.list(kinds.Lease, { namespace })).items.map(({ metadata }) => metadata.name);
    for (const each of ['pipelinerun', 'taskrun', 'resolutionrequest'])
      expect(leases).toContain(
        `tekton-pipelines-controller.github.com.tektoncd.pipeline.pkg.reconciler.${each}.reconciler.00-of-01`,
      );
    await running.stop('SIGKILL');

    kubectl(up.kubeconfig, 'apply', '-f', upstream);
    expect(await installed(client)).toEqual(before);
  },
);
