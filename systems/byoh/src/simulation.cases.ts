import assert from 'node:assert/strict';
import { type Client, kinds } from '@tektite/client';
import { defineController, installKinds, Manager, mapped, startSystems } from '@tektite/controller';
import { isConditionTrue, isStatusError } from '@tektite/meta';
import type { Scenario, World } from '@tektite/simulator';
import { decideAgent } from './agent/decide-agent.ts';
import { HostRecord } from './agent/host-record.ts';
import { releasedHost, withoutMachine } from './agent/released-host.ts';
import { ByoCluster } from './kinds/byo-cluster.ts';
import { ByoHost } from './kinds/byo-host.ts';
import { ByoMachine } from './kinds/byo-machine.ts';
import { allKinds } from './kinds/all-kinds.ts';
import { Cluster, clusterApiStubs, Machine } from './kinds/cluster-api.ts';
import { K8sInstallerConfig, K8sInstallerConfigTemplate } from './kinds/k8s-installer-config.ts';
import { byohSystem } from './system.ts';
import { apiVersion, clusterNameLabel } from './wire-names.ts';

const namespace = 'default';
const hosts = ['h1', 'h2'];
const machines = ['m1', 'm2', 'm3'];
const labels = { [clusterNameLabel]: 'c1' };

const ignoreExisting = (error: unknown) => {
  if (!isStatusError(error, 'AlreadyExists')) throw error;
};

/** Agents without a host: they say at once that they did what they would do. */
function instantAgents(client: Client): Manager {
  const manager = new Manager(client, { name: 'agents', graceMs: 0 });
  const done = (type: string) => ({ type, status: 'True' }) as const;
  manager.add(
    defineController({
      name: 'agents',
      kind: ByoHost,
      async reconcile(host) {
        const record = new HostRecord(client, host);
        const step = decideAgent(host, {}, false);
        if (step.type === 'work') {
          await client.create(kinds.Node, { metadata: { name: host.metadata.name ?? '' } }).catch(ignoreExisting);
          await record.mark(done('K8sComponentsInstallationSucceeded'), done('K8sNodeBootstrapSucceeded'));
        } else if (step.type === 'mark') await record.mark(step.condition);
        else if (step.type === 'cleanup') {
          await record.mark(
            ...['K8sComponentsInstallationSucceeded', 'K8sNodeBootstrapSucceeded'].map(
              (type) => ({ type, status: 'False', reason: 'K8sNodeAbsent', severity: 'Info' }) as const,
            ),
          );
          await record.change(withoutMachine);
          await record.change(releasedHost);
        }
      },
    }),
  );
  // Deletes orphans, as the garbage collector does.
  manager.add(
    defineController({
      name: 'collector',
      kind: K8sInstallerConfig,
      sources: [mapped(ByoMachine, (_, own) => own.keys())],
      async reconcile({ metadata }) {
        const [owner] = metadata.ownerReferences ?? [];
        const alive = await client.get(ByoMachine, { namespace, name: owner?.name ?? '' }).catch(() => undefined);
        if (owner && alive?.metadata.uid !== owner.uid)
          await client.delete(K8sInstallerConfig, { namespace, name: metadata.name ?? '' }).catch(() => undefined);
      },
    }),
  );
  manager.add(
    defineController({
      name: 'secret-collector',
      kind: kinds.Secret,
      sources: [mapped(K8sInstallerConfig, (_, own) => own.keys())],
      async reconcile({ metadata }) {
        const [owner] = metadata.ownerReferences ?? [];
        if (!owner) return;
        const alive = await client.get(K8sInstallerConfig, { namespace, name: owner.name }).catch(() => undefined);
        if (alive?.metadata.uid !== owner.uid)
          await client.delete(kinds.Secret, { namespace, name: metadata.name ?? '' }).catch(() => undefined);
      },
    }),
  );
  return manager;
}

async function prepare({ client }: World): Promise<void> {
  await installKinds(client, allKinds);
  for (const stub of clusterApiStubs) await client.create(stub);
  await client.create(kinds.Namespace, { metadata: { name: 'byoh-system' } });
  const infrastructureRef = { apiVersion, kind: 'ByoCluster', name: 'c1' };
  const cluster = await client.create(Cluster, { metadata: { name: 'c1', namespace }, spec: { infrastructureRef } });
  const owner = { apiVersion: cluster.apiVersion, kind: 'Cluster', name: 'c1', uid: cluster.metadata.uid ?? '' };
  await client.create(ByoCluster, { metadata: { name: 'c1', namespace, ownerReferences: [owner] }, spec: {} });
  await client.updateStatus(Cluster, { ...cluster, status: { infrastructureReady: true } });
  await client.create(kinds.Secret, { metadata: { name: 'c1-kubeconfig', namespace }, data: { value: 'e30=' } });
  const spec = { bundleRepo: 'registry.example.com/b', bundleType: 'k8s' };
  await client.create(K8sInstallerConfigTemplate, {
    metadata: { name: 't1', namespace },
    spec: { template: { spec } },
  });
  for (const name of hosts) {
    const host = await client.create(ByoHost, { metadata: { name, namespace }, spec: {} });
    const hostinfo = { osname: 'linux', osimage: 'Ubuntu 20.04.6 LTS', architecture: 'amd64' };
    await client.updateStatus(ByoHost, { ...host, status: { hostinfo } });
  }
  instantAgents(client).start();
}

/** Users who create machines and delete them again, more than there are hosts. */
async function act({ client, random, sleep }: World): Promise<void> {
  for (let i = 0; i < 10; i++) {
    const name = machines[Math.floor(random.next() * machines.length)] ?? '';
    const old = await client.get(ByoMachine, { namespace, name }).catch(() => undefined);
    if (old && !old.metadata.deletionTimestamp) await client.delete(ByoMachine, { namespace, name });
    else if (!old) {
      await client.delete(Machine, { namespace, name }).catch(() => undefined);
      const owner = await client.create(Machine, {
        metadata: { name, namespace, labels },
        spec: {
          version: 'v1.26.6',
          bootstrap: { dataSecretName: `${name}-boot` },
          infrastructureRef: { apiVersion, kind: 'ByoMachine', name },
        },
      });
      const ownerReferences = [{ apiVersion: owner.apiVersion, kind: 'Machine', name, uid: owner.metadata.uid ?? '' }];
      const installerRef = { apiVersion, kind: 'K8sInstallerConfigTemplate', name: 't1' };
      await client.create(ByoMachine, {
        metadata: { name, namespace, labels, ownerReferences },
        spec: { installerRef },
      });
    }
    await sleep(random.next() * 30_000);
  }
}

async function check({ client }: World): Promise<void> {
  const all = (await client.list(ByoMachine)).items;
  const ready = all.filter(({ status }) => status?.ready);
  assert.equal(ready.length, Math.min(all.length, hosts.length), 'machines that are ready');
  // A machine that was deleted has taken its node along.
  assert.equal((await client.list(kinds.Node)).items.length, ready.length, 'nodes');
  const providers = ready.map(({ spec }) => spec?.providerID?.split('/')[2]);
  assert.equal(new Set(providers).size, ready.length, 'hosts in use');
  for (const host of (await client.list(ByoHost)).items) {
    const owner = ready.find(({ spec }) => spec?.providerID?.startsWith(`byoh://${host.metadata.name}/`));
    assert.equal(host.status?.machineRef?.uid, owner?.metadata.uid, `machine of ${host.metadata.name}`);
    assert.equal(host.metadata.labels?.[clusterNameLabel], owner ? 'c1' : undefined, `label of ${host.metadata.name}`);
    if (owner) {
      const secret = await client.get(kinds.Secret, { namespace, name: host.spec?.installationSecret?.name ?? '' });
      const config = await client.get(K8sInstallerConfig, { namespace, name: owner.metadata.name ?? '' });
      assert.equal(secret.metadata.ownerReferences?.[0]?.uid, config.metadata.uid, 'owner of the Secret');
      assert.equal(config.metadata.ownerReferences?.[0]?.uid, owner.metadata.uid, 'owner of the configuration');
      assert.ok(isConditionTrue(owner.status?.conditions as never, 'BYOHostReady'), 'BYOHostReady');
    }
  }
}

/** The manager of hosts, with users who create machines and delete them. */
export const machineScenario: Scenario = {
  prepare,
  async start(client, { client: workload }) {
    const open = async () =>
      Object.assign(Object.create(workload) as Client, {
        close: async () => undefined,
        [Symbol.asyncDispose]: async () => undefined,
      });
    const options = { client, install: false, graceMs: 0, name: 'byoh' };
    // Not waited for: it may be killed before it is up.
    void startSystems([byohSystem({ openWorkload: open })], options).catch(() => undefined);
  },
  act,
  check,
};
