import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, loadConfig, mergePatch, openClient } from '@tektite/client';
import { type Condition, type DynamicObject, isStatusError, type KubeObject, seededRandom } from '@tektite/meta';
import { parseFirstYaml } from '@tektite/schema/yaml';
import { freePorts } from '@tektite/testkit';
import { expect, it } from 'vitest';
import { repository, type RunningCommand, Scratch } from '../test-support.ts';

const kills = Number(process.env['TEKTITE_KILLS'] ?? 10);
const seed = Number(process.env['TEKTITE_SEED'] ?? 1);
/** Real processes take longer: CI runs simulated ones. */
const runtime = process.env['TEKTITE_RUNTIME'] ?? 'simulated';
const namespace = 'default';
const tekton = 'tekton.dev/v1';
const infrastructure = 'infrastructure.cluster.x-k8s.io/v1beta1';
const clusterApi = 'cluster.x-k8s.io/v1beta1';
const example = join(repository, 'examples/connectors');
const signals: readonly NodeJS.Signals[] = ['SIGKILL', 'SIGKILL', 'SIGKILL', 'SIGTERM', 'SIGINT'];

/** A run of two tasks, one of which may be tried again. Its containers take that long. */
function pipelineRun(name: string, runMs: number): KubeObject {
  const steps = [{ name: 'work', image: 'bash', script: `sleep ${runMs / 1000}` }];
  const metadata = { annotations: { 'tektite.dev/simulate': JSON.stringify({ runMs }) } };
  const tasks = [
    { name: 'first', retries: 1, taskSpec: { metadata, steps } },
    { name: 'second', runAfter: ['first'], taskSpec: { metadata, steps } },
  ];
  return {
    apiVersion: tekton,
    kind: 'PipelineRun',
    metadata: { namespace, name },
    spec: { pipelineSpec: { tasks } },
  } as KubeObject;
}

const tektonConfig = {
  apiVersion: 'operator.tekton.dev/v1alpha1',
  kind: 'TektonConfig',
  metadata: { name: 'config' },
  spec: { profile: 'lite', targetNamespace: 'tekton-pipelines' },
} as KubeObject;

const kinds = {
  connector: { apiVersion: 'operator.connectors.alauda.io/v1alpha1', kind: 'Connector' },
  config: { apiVersion: 'operator.tekton.dev/v1alpha1', kind: 'TektonConfig' },
  machine: { apiVersion: infrastructure, kind: 'ByoMachine' },
};

const conditionOf = (object: DynamicObject, type: string) =>
  ((object.status as { conditions?: readonly Condition[] } | undefined)?.conditions ?? []).find(
    (each) => each.type === type,
  )?.status;

const soon = <T>(read: () => T) => expect.poll(read, { timeout: 90_000, interval: 500 });

/** The condition of the only object of its kind. */
async function first(client: Client, apiVersion: string, kind: string, type: string): Promise<string | undefined> {
  const [only] = (await client.list({ apiVersion, kind })).items;
  return only && conditionOf(only, type);
}

/** Retries while the server cannot ask a webhook about it, or lost a race. */
async function soonDone(write: () => Promise<unknown>): Promise<void> {
  const done = async () => {
    try {
      await write();
      return true;
    } catch (error) {
      if (isStatusError(error, 'InternalError') || isStatusError(error, 'Conflict')) return false;
      throw error;
    }
  };
  await soon(done).toBe(true);
}

/** A host, and a machine that wants one. */
async function createMachine(client: Client, kubeconfig: string): Promise<void> {
  const labels = { 'cluster.x-k8s.io/cluster-name': 'c1' };
  const make = (object: object) => client.create(object as KubeObject);
  await make({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'boot', namespace },
    stringData: { value: '#cloud-config\nruncmd:\n- kubeadm join\n' },
  });
  await make({
    apiVersion: infrastructure,
    kind: 'K8sInstallerConfigTemplate',
    metadata: { name: 'k8s', namespace },
    spec: { template: { spec: { bundleRepo: 'registry.example.com/byoh', bundleType: 'k8s' } } },
  });
  const infrastructureRef = { apiVersion: infrastructure, kind: 'ByoCluster', name: 'c1' };
  await make({
    apiVersion: clusterApi,
    kind: 'Cluster',
    metadata: { name: 'c1', namespace },
    spec: { infrastructureRef },
  });
  await client.patchStatus(
    { apiVersion: clusterApi, kind: 'Cluster' },
    { namespace, name: 'c1' },
    mergePatch({ status: { infrastructureReady: true } }),
  );
  const machine = await make({
    apiVersion: clusterApi,
    kind: 'Machine',
    metadata: { name: 'm1', namespace, labels },
    spec: {
      clusterName: 'c1',
      version: 'v1.26.6',
      bootstrap: { dataSecretName: 'boot' },
      infrastructureRef: { apiVersion: infrastructure, kind: 'ByoMachine', name: 'm1' },
    },
  });
  const value = readFileSync(kubeconfig).toString('base64');
  await make({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'c1-kubeconfig', namespace }, data: { value } });
  await ensureNode(client);
  await make(byoMachine(machine.metadata.uid));
}

/** The Node that kubeadm would make. A machine that is deleted takes it along. */
async function ensureNode(client: Client): Promise<void> {
  const node = { apiVersion: 'v1', kind: 'Node' };
  if (!(await client.getOrUndefined(node, { name: 'h1' })))
    await client.create({ ...node, metadata: { name: 'h1' } } as KubeObject);
}

function byoMachine(machineUid: string | undefined): KubeObject {
  return {
    apiVersion: infrastructure,
    kind: 'ByoMachine',
    metadata: {
      name: 'm1',
      namespace,
      labels: { 'cluster.x-k8s.io/cluster-name': 'c1' },
      ownerReferences: [{ apiVersion: clusterApi, kind: 'Machine', name: 'm1', uid: machineUid }],
    },
    spec: { installerRef: { apiVersion: infrastructure, kind: 'K8sInstallerConfigTemplate', name: 'k8s' } },
  } as KubeObject;
}

/** Gives the controllers of Connectors, of the Tekton Operator and of hosts work: a change of each in every round. */
async function changeAll(client: Client, round: number): Promise<void> {
  const { connector, config, machine } = kinds;
  await soonDone(() =>
    client.patch(connector, { namespace, name: 'guestbook' }, mergePatch({ spec: { labels: { round: `r${round}` } } })),
  );
  const pipeline = { 'default-timeout-minutes': 60 + round };
  await soonDone(() => client.patch(config, { name: 'config' }, mergePatch({ spec: { pipeline } })));
  const current = await client.getOrUndefined(machine, { namespace, name: 'm1' });
  if (!current) await ensureMachine(client);
  else if (!current.metadata.deletionTimestamp) await client.delete(machine, { namespace, name: 'm1' });
}

/** The machine may still be on its way out. */
async function ensureMachine(client: Client): Promise<void> {
  const owner = await client.get({ apiVersion: clusterApi, kind: 'Machine' }, { namespace, name: 'm1' });
  await soonDone(() => client.create(byoMachine(owner.metadata.uid)));
}

async function bootstrapFile(client: Client, scratch: Scratch, kubeconfig: string): Promise<string> {
  const { server, certificateAuthority = '' } = await loadConfig({ kubeconfig });
  const kind = { apiVersion: infrastructure, kind: 'BootstrapKubeconfig' };
  const spec = {
    apiserver: server,
    'certificate-authority-data': Buffer.from(certificateAuthority).toString('base64'),
  };
  await client.create({ ...kind, metadata: { name: 'b', namespace }, spec } as KubeObject);
  const data = async () => {
    const { status } = await client.get(kind, { namespace, name: 'b' });
    return (status as { bootstrapKubeconfigData?: string } | undefined)?.bootstrapKubeconfigData;
  };
  await expect.poll(data, { timeout: 30_000 }).toBeDefined();
  const file = join(scratch.path, 'bootstrap.conf');
  writeFileSync(file, (await data()) ?? '');
  return file;
}

/** All objects of all kinds, each in one version. */
async function everything(client: Client): Promise<readonly DynamicObject[]> {
  const all = new Map<string, DynamicObject>();
  for (const { group, version, kind, verbs } of (await client.discovery.all()).resources) {
    if (!verbs.includes('list')) continue;
    const apiVersion = group === '' ? version : `${group}/${version}`;
    for (const object of (await client.list({ apiVersion, kind })).items) {
      const { uid = '' } = object.metadata;
      if (!all.has(uid)) all.set(uid, { ...object, kind });
    }
  }
  return [...all.values()];
}

it(`all systems lose and repeat no work when tektite up is ended at random moments (${kills} times, seed ${seed})`, {
  timeout: 180_000 + kills * 10_000,
}, async () => {
  using scratch = new Scratch();
  const random = seededRandom(seed);
  const pick = (below: number) => Math.floor(random.next() * below);
  const data = join(scratch.path, 'data');
  const kubeconfig = join(data, 'kubeconfig');
  const [port] = await freePorts(1);
  const args = ['up', '--data-dir', data, '--port', String(port), '--runtime', runtime];
  args.push('--payload', join(example, 'kodata'), '--systems', 'pipelines,tekton-operator,connectors,byoh');
  const start = () => scratch.start(args, /Ctrl-C/, { VERSION: 'v1.0.0' });
  const created: string[] = [];
  const outputs: string[] = [];
  let lastChange = 0;
  let agent: RunningCommand | undefined;
  try {
    for (let round = 0; round <= kills; round++) {
      const up = scratch.spawn(args, { VERSION: 'v1.0.0' });
      try {
        // Some are ended while they start.
        const isUp = round === 0 || pick(4) > 0;
        if (isUp) await up.said(/Ctrl-C/);
        if (isUp) {
          await using client = await openClient({ kubeconfig });
          if (round === 0) {
            // The Pipelines that it installs have webhooks of the same names, which the next start takes back.
            await client.create(
              parseFirstYaml(readFileSync(join(example, 'connector.yaml'), 'utf8'))?.value as unknown as KubeObject,
            );
            await client.create(tektonConfig);
            const bootstrap = await bootstrapFile(client, scratch, kubeconfig);
            agent = await scratch.start(
              [
                'agent',
                '--bootstrap-kubeconfig',
                bootstrap,
                '--config',
                join(scratch.path, 'h1/config'),
                '--state-dir',
                join(scratch.path, 'h1/state'),
                '--name',
                'h1',
                '--sandbox',
                'dry-run',
                '--os-image',
                'Ubuntu 20.04.6 LTS',
                '--metricsbindaddress',
                '0',
              ],
              /"msg":"running"/,
            );
            await createMachine(client, kubeconfig);
            await soon(() => first(client, 'operator.tekton.dev/v1alpha1', 'TektonConfig', 'Ready')).toBe('True');
          }
          for (let i = 0; i < 3 && round > 0; i++) {
            const name = `run-${round}-${i}`;
            const run = pipelineRun(name, pick(800));
            // The webhook that the operator installs may start again as well, and answers later.
            await soonDone(() => client.create(run));
            created.push(name);
          }
          if (round > 0) {
            await changeAll(client, round);
            lastChange = round;
          }
        }
        await delay(pick(isUp ? 1500 : 2500));
      } finally {
        if (round < kills) await up.stop(signals[pick(signals.length)]);
        else await up.stop();
        outputs.push(up.output);
      }
    }
    await using last = await start();
    await using client = await openClient({ kubeconfig });
    const runs = async () => (await client.list({ apiVersion: tekton, kind: 'PipelineRun' }, { namespace })).items;
    await soon(async () => (await runs()).filter((run) => conditionOf(run, 'Succeeded') === 'Unknown').length).toBe(0);
    await soon(() => first(client, 'operator.connectors.alauda.io/v1alpha1', 'Connector', 'Ready')).toBe('True');
    await soon(() => first(client, 'operator.tekton.dev/v1alpha1', 'TektonConfig', 'Ready')).toBe('True');
    if (!(await client.getOrUndefined(kinds.machine, { namespace, name: 'm1' }))) await ensureMachine(client);
    await soon(async () => {
      await ensureNode(client);
      return first(client, infrastructure, 'ByoMachine', 'BYOHostReady');
    }).toBe('True');
    const deployment = { apiVersion: 'apps/v1', kind: 'Deployment' };
    const rounds = async () =>
      (await client.list(deployment, { namespace })).items.map(({ metadata }) => metadata.labels?.['round']);
    await soon(async () => new Set(await rounds())).toEqual(new Set([`r${lastChange}`]));
    const timeout = async () => {
      const defaults = { namespace: 'tekton-pipelines', name: 'config-defaults' };
      return (await client.get({ apiVersion: 'v1', kind: 'ConfigMap' }, defaults))['data'];
    };
    await soon(timeout).toMatchObject({ 'default-timeout-minutes': String(60 + lastChange) });

    const all = await everything(client);
    const uids = new Set(all.map(({ metadata }) => metadata.uid));
    const name = ({ kind, metadata }: DynamicObject) => `${kind} ${metadata.name}`;
    expect((await runs()).map(({ metadata }) => metadata.name)).toEqual(expect.arrayContaining(created));
    expect(all.filter(({ metadata }) => metadata.deletionTimestamp).map(name), 'stuck').toEqual([]);
    for (const kind of ['TektonConfig', 'TektonPipeline', 'Connector', 'ByoMachine', 'ByoHost'])
      expect(all.filter((each) => each.kind === kind).map(name), 'duplicates').toHaveLength(1);
    const isOrphan = ({ metadata }: DynamicObject) =>
      (metadata.ownerReferences ?? []).some(({ uid }) => !uids.has(uid));
    expect(all.filter(isOrphan).map(name), 'orphans').toEqual([]);
    const ownedBy = ({ metadata }: DynamicObject, kind: string) =>
      all.filter(
        (each) => each.kind === kind && each.metadata.ownerReferences?.some(({ uid }) => uid === metadata.uid),
      );
    for (const run of await runs()) {
      const tasks = ownedBy(run, 'TaskRun').map(({ metadata }) => metadata.labels?.['tekton.dev/pipelineTask']);
      expect(new Set(tasks).size, name(run)).toBe(tasks.length);
      for (const taskRun of ownedBy(run, 'TaskRun')) {
        const { retriesStatus = [] } = taskRun.status as { retriesStatus?: readonly unknown[] };
        expect(ownedBy(taskRun, 'Pod').length, name(taskRun)).toBe(1 + retriesStatus.length);
      }
    }
    await last.stop();
    outputs.push(last.output);
    expect(outputs.filter((text) => /\n {4}at |internal error|storage is closed/.test(text))).toEqual([]);
  } finally {
    await agent?.stop('SIGKILL');
  }
});
