import type { DynamicObject } from '@tektite/meta';
import { describe, expect, it } from 'vitest';
import type { InstallerConfig } from '../../installer/decide-installer.ts';
import type { ByoHost } from '../../kinds/byo-host.ts';
import type { ByoMachine } from '../../kinds/byo-machine.ts';
import type { Cluster, Machine } from '../../kinds/cluster-api.ts';
import { decideMachine, type MachineSnapshot } from './decide.ts';

const apiVersion = 'infrastructure.cluster.x-k8s.io/v1beta1';
const labels = { 'cluster.x-k8s.io/cluster-name': 'c1' };
const finalizers = ['byomachine.infrastructure.cluster.x-k8s.io'];
const paused = { 'cluster.x-k8s.io/paused': '' };
const cleanup = { 'byoh.infrastructure.cluster.x-k8s.io/unregistering': '' };
const installerRef = { apiVersion, kind: 'K8sInstallerConfigTemplate', name: 't1' };

function machine(more: { metadata?: object; spec?: object; status?: object } = {}): ByoMachine {
  return {
    apiVersion,
    kind: 'ByoMachine',
    metadata: { name: 'm1', namespace: 'default', uid: 'u1', labels, finalizers, ...more.metadata },
    spec: { installerRef, ...more.spec },
    ...(more.status ? { status: more.status } : {}),
  } as ByoMachine;
}
function host(name: string, more: { metadata?: object; spec?: object; status?: object } = {}): ByoHost {
  return {
    apiVersion,
    kind: 'ByoHost',
    metadata: { name, namespace: 'default', ...more.metadata },
    ...(more.spec ? { spec: more.spec } : {}),
    status: { hostinfo: { osimage: 'Ubuntu' }, ...more.status },
  } as ByoHost;
}
const machineRef = { apiVersion, kind: 'ByoMachine', namespace: 'default', name: 'm1', uid: 'u1' };
const own = { labels: { ...labels, 'byoh.infrastructure.cluster.x-k8s.io/byomachine-name': 'default.m1' } };
const attached = host('h1', { metadata: own, status: { machineRef } });
const owner = {
  apiVersion: 'cluster.x-k8s.io/v1beta1',
  kind: 'Machine',
  metadata: { name: 'm1' },
  spec: { version: 'v1.26.6+x.1', bootstrap: { dataSecretName: 'boot' } },
} as Machine;
const cluster = {
  apiVersion: 'cluster.x-k8s.io/v1beta1',
  kind: 'Cluster',
  metadata: { name: 'c1' },
  spec: { controlPlaneEndpoint: { host: '10.0.0.9', port: 6443 } },
  status: { infrastructureReady: true },
} as Cluster;
const config = (status: object = {}): InstallerConfig =>
  ({ apiVersion, kind: 'K8sInstallerConfig', metadata: { name: 'm1' }, status }) as InstallerConfig;
const template = { apiVersion, kind: 'K8sInstallerConfigTemplate', metadata: { name: 't1' } } as DynamicObject;

const usual: MachineSnapshot = {
  machine: machine(),
  owner,
  cluster,
  byoCluster: undefined,
  attached: undefined,
  hosts: () => [host('h2'), host('h1')],
  config: config(),
  template: undefined,
  waitsForCleanup: false,
  now: Date.parse('2026-01-01T00:00:00Z'),
};
const decide = (change: Partial<MachineSnapshot> = {}) => decideMachine({ ...usual, ...change });
const conditionOf = ({ machine: { status } }: ReturnType<typeof decide>) => status?.conditions?.[0];
const bad = (type: string, reason: string, message: string) => ({
  conditions: [{ type, status: 'False', severity: 'Error', reason, message, lastTransitionTime: '' }],
});

describe('a machine', () => {
  it('takes the first free host by name, and opens the gate for the installer', () => {
    const decision = decide();
    expect(decision.host).toMatchObject({
      metadata: {
        name: 'h1',
        ...own,
        annotations: {
          'byoh.infrastructure.cluster.x-k8s.io/endpointip': '10.0.0.9',
          'byoh.infrastructure.cluster.x-k8s.io/k8sversion': 'v1.26.6',
          'byoh.infrastructure.cluster.x-k8s.io/bundle-registry': '',
        },
      },
      spec: { bootstrapSecret: { kind: 'Secret', namespace: 'default', name: 'boot' } },
      status: { machineRef },
    });
    expect(decision.claims).toEqual(host('h1'));
    expect(conditionOf(decision)).toMatchObject({
      status: 'False',
      reason: 'InstallationSecretNotAvailable',
      severity: 'Info',
    });
    expect(decision.machine.status?.hostinfo).toEqual({ osimage: 'Ubuntu' });
    expect(decision.next).toEqual({ type: 'again', afterMs: 10_000 });
    expect(decision.events.map(({ about, reason, message }) => [about, reason, message])).toEqual([
      ['host', 'ByoHostAttachSucceeded', 'Attached to ByoMachine m1'],
      ['machine', 'ByoHostAttachSucceeded', 'Attached ByoHost h1'],
    ]);
  });

  it.each<[string, Partial<MachineSnapshot>, string, object]>([
    [
      'rests while it is paused',
      { machine: machine({ metadata: { annotations: paused } }) },
      'ClusterOrResourcePaused',
      { type: 'done' },
    ],
    [
      'rests while it is paused, also when it is to be deleted',
      { machine: machine({ metadata: { annotations: paused, deletionTimestamp: 'now' } }), attached },
      'ClusterOrResourcePaused',
      { type: 'done' },
    ],
    [
      'rests while its Cluster is paused',
      { cluster: { ...cluster, spec: { paused: true } } },
      'ClusterOrResourcePaused',
      { type: 'done' },
    ],
    [
      'waits for the infrastructure',
      { cluster: { ...cluster, status: {} } },
      'WaitingForClusterInfrastructure',
      { type: 'done' },
    ],
    [
      'knows where newer versions of Cluster API say that',
      { cluster: { ...cluster, status: { initialization: { infrastructureProvisioned: true } } } },
      'InstallationSecretNotAvailable',
      { type: 'again' },
    ],
    ['waits for bootstrap data', { owner: { ...owner, spec: {} } }, 'WaitingForBootstrapDataSecret', { type: 'done' }],
    ['waits for a host', { hosts: () => [] }, 'BYOHostsUnavailable', { type: 'again' }],
    [
      'opens the gate again that a pause has closed',
      {
        attached,
        machine: machine({
          status: {
            conditions: [
              { type: 'BYOHostReady', status: 'False', reason: 'ClusterOrResourcePaused', lastTransitionTime: '' },
            ],
          },
        }),
      },
      'InstallationSecretNotAvailable',
      { type: 'again' },
    ],
    [
      'does not believe a config that is ready without a Secret',
      { attached, config: config({ ready: true }) },
      'InstallationSecretNotAvailable',
      { type: 'fail' },
    ],
    [
      'shows what went wrong on the host',
      {
        attached: host('h1', {
          metadata: own,
          spec: { installationSecret: { name: 's' } },
          status: {
            machineRef,
            ...bad('K8sComponentsInstallationSucceeded', 'K8sComponentsInstallationFailed', 'no disk'),
          },
        }),
      },
      'K8sComponentsInstallationFailed',
      { type: 'done' },
    ],
  ])('%s', (_, change, reason, next) => {
    const decision = decide(change);
    expect(conditionOf(decision)?.reason).toBe(reason);
    expect(decision.next).toMatchObject(next);
  });

  it('sets the installation secret of the host when the scripts are ready', () => {
    const installationSecret = { name: 's', namespace: 'default' };
    const decision = decide({ attached, config: config({ ready: true, installationSecret }) });
    expect(decision.host?.spec?.installationSecret).toEqual(installationSecret);
    expect(decision.next).toEqual({ type: 'done' });
  });

  it('shows what the installer says, once as an event, and clears it when it is resolved', () => {
    const failure = { failureReason: 'UnsupportedOS', failureMessage: 'no' };
    const first = decide({ attached, config: config(failure) });
    expect(first.machine.status).toMatchObject(failure);
    expect(conditionOf(first)).toMatchObject({
      severity: 'Error',
      reason: 'InstallationSecretNotAvailable',
      message: 'UnsupportedOS: no',
    });
    expect(first.events.map(({ reason }) => reason)).toEqual(['InstallerConfigFailed']);
    const again = decide({ attached, config: config(failure), machine: first.machine });
    expect(again.events).toEqual([]);
    const after = decide({
      attached,
      machine: first.machine,
      config: config({ ready: true, installationSecret: { name: 's' } }),
    });
    expect(after.machine.status?.failureReason).toBeUndefined();
  });

  it('has its config made from the template, before anything else is ready', () => {
    const early = { config: undefined, cluster: { ...cluster, status: {} } };
    expect(decide({ ...early, template })).toMatchObject({ createConfig: true, next: { type: 'done' } });
    expect(decide(early)).toMatchObject({
      createConfig: false,
      next: { type: 'fail', error: 'K8sInstallerConfigTemplate t1 cannot be found' },
    });
    expect(decide(early).machine.status?.conditions?.[0]).toMatchObject({
      severity: 'Error',
      message: 'K8sInstallerConfigTemplate t1 cannot be found',
    });
  });

  it('has its config made again for another version, until scripts run on the host', () => {
    const made = config({ ready: true, installationSecret: { name: 's' } });
    const annotations = { 'byoh.infrastructure.cluster.x-k8s.io/k8sversion': 'v1.25.0' };
    const outdated = { ...made, metadata: { ...made.metadata, annotations } };
    const withHost = (conditions: readonly object[]) =>
      decide({
        config: outdated,
        attached: host('h1', {
          metadata: { ...own, annotations },
          spec: { installationSecret: { name: 's' } },
          status: { machineRef, conditions },
        }),
      });
    const type = 'K8sComponentsInstallationSucceeded';
    const renewed = withHost([{ type, status: 'False', reason: 'K8sComponentsInstallationFailed' }]);
    expect(renewed).toMatchObject({ deletesConfig: true, next: { type: 'again' } });
    expect(renewed.host?.spec?.installationSecret).toBeUndefined();
    expect(Object.values(renewed.host?.metadata.annotations ?? {})).toEqual(['v1.26.6']);
    expect(withHost([{ type, status: 'False', reason: 'K8sComponentsInstalling' }]).deletesConfig).toBeUndefined();
    expect(withHost([{ type, status: 'True' }]).deletesConfig).toBeUndefined();
  });

  it('gives its host back when it goes, and waits for it only with the option', () => {
    const going = machine({ metadata: { deletionTimestamp: 'now' } });
    const decision = decide({ machine: going, attached });
    expect(decision.host?.metadata.annotations).toEqual(cleanup);
    expect(decision.next).toEqual({ type: 'release' });
    expect(decision.events.map(({ message }) => message)).toEqual(['ByoHost Released by m1', 'Released ByoHost h1']);
    expect(decide({ machine: going }).next).toEqual({ type: 'release' });
    const cleaning = host('h1', { metadata: { ...own, annotations: cleanup }, status: { machineRef } });
    expect(decide({ machine: going, attached: cleaning, waitsForCleanup: true })).toMatchObject({
      next: { type: 'again' },
      events: [],
    });
    const longGone = machine({ metadata: { deletionTimestamp: '2025-12-31T23:00:00Z' } });
    expect(decide({ machine: longGone, attached: cleaning, waitsForCleanup: true }).next).toEqual({ type: 'release' });
  });

  it('gives back a second host that it claimed when the answer to the first claim was lost', () => {
    const second = host('h2', { metadata: own });
    for (const each of [machine(), machine({ metadata: { deletionTimestamp: 'now' } })]) {
      const { releases = [] } = decide({ machine: each, attached, surplus: [second] });
      expect(releases.map(({ before, after }) => [before, after.metadata.annotations])).toEqual([[second, cleanup]]);
    }
    expect(decide({ attached }).releases).toBeUndefined();
  });

  it('wakes its host when it is no longer paused, and completes the machineRef of a claimed host', () => {
    const sleeping = host('h1', { metadata: { ...own, annotations: paused } });
    const decision = decide({ attached: sleeping });
    expect(decision.host?.metadata.annotations).toEqual({});
    expect(decision.host?.status?.machineRef).toEqual(machineRef);
    expect(
      decide({ attached: sleeping, machine: machine({ metadata: { deletionTimestamp: 'now' } }) }).host?.metadata
        .annotations,
    ).toEqual(cleanup);
  });

  it('reads its node once the host is one, and rests when it is ready', () => {
    const good = (type: string) => ({ type, status: 'True', lastTransitionTime: '' });
    const done = host('h1', {
      metadata: own,
      spec: { installationSecret: { name: 's' } },
      status: { machineRef, conditions: [good('K8sNodeBootstrapSucceeded')] },
    });
    expect(decide({ attached: done }).next).toEqual({ type: 'node' });
    const ready = machine({
      spec: { providerID: 'byoh://h1/abc' },
      status: { ready: true, conditions: [good('BYOHostReady')] },
    });
    expect(decide({ attached: done, machine: ready }).next).toEqual({ type: 'done' });
  });

  it.each<[string, ByoHost, string]>([
    ['belongs to another cluster', host('h1', { metadata: { labels } }), 'it belongs to the cluster c1'],
    ['is being deleted', host('h1', { metadata: { deletionTimestamp: 'now' } }), 'it is being deleted'],
    ['is paused', host('h1', { metadata: { annotations: paused } }), 'it is paused'],
    ['is being cleaned up', host('h1', { metadata: { annotations: cleanup } }), 'it is being cleaned up'],
    [
      'is marked',
      host('h1', { metadata: { labels: { 'byoh.infrastructure.cluster.x-k8s.io/unschedulable': '' } } }),
      'it is marked as unschedulable',
    ],
    ['has a silent agent', host('h1', { status: bad('HostAgentAlive', 'HeartbeatStale', '') }), 'its agent is silent'],
  ])('does not take a host that %s', (_, candidate, why) => {
    const decision = decide({ hosts: () => [candidate] });
    expect(decision.host).toBeUndefined();
    expect(conditionOf(decision)?.message).toBe(`h1: ${why}`);
  });
});
