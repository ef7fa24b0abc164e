import { kinds, mergePatch } from '@tektite/client';
import type { Cluster as ApiPlace } from '@tektite/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TracedScript } from './agent/sandbox/dry-run-sandbox.ts';
import { ByoMachine } from './kinds/byo-machine.ts';
import { Machine } from './kinds/cluster-api.ts';
import { K8sInstallerConfig } from './kinds/k8s-installer-config.ts';
import { eventually, namespace, TestWorld } from './test-support.ts';
import { versionAnnotation } from './wire-names.ts';

/** Cases of a machine that gets a host, on any API server. */
export function provisionCases(open: () => Promise<ApiPlace>): void {
  let world: TestWorld;
  beforeEach(async () => {
    world = new TestWorld(await open());
    await world.manager();
    await world.template();
    await world.cluster('c1');
  }, 60_000);
  afterEach(() => world[Symbol.asyncDispose]());

  describe('a machine', () => {
    it('becomes a node on a free host, and the host is clean again when it goes', async () => {
      const scripts: TracedScript[] = [];
      await world.dryAgent('h1', { onScript: (script) => void scripts.push(script) });
      await eventually(() => world.hostCondition('h1', 'K8sNodeBootstrapSucceeded')).toBe(
        'False WaitingForMachineRefToBeAssigned',
      );
      await world.node('h1');
      await world.machine('m1');
      await eventually(() => world.hostReady('m1')).toBe('True');
      const machine = await world.byoMachine('m1');
      expect(machine.spec?.providerID).toMatch(/^byoh:\/\/h1\/[0-9a-z]{6}$/);
      expect(machine.status).toMatchObject({
        ready: true,
        hostinfo: { osimage: 'Ubuntu 20.04.6 LTS', architecture: 'amd64' },
      });
      expect((await world.client.get(kinds.Node, { name: 'h1' })).spec?.providerID).toBe(machine.spec?.providerID);
      const host = await world.byoHost('h1');
      expect(host.metadata.labels).toMatchObject({
        'cluster.x-k8s.io/cluster-name': 'c1',
        'byoh.infrastructure.cluster.x-k8s.io/byomachine-name': 'default.m1',
      });
      expect(host.metadata.annotations).toMatchObject({
        'byoh.infrastructure.cluster.x-k8s.io/endpointip': '10.0.0.9',
        'byoh.infrastructure.cluster.x-k8s.io/k8sversion': 'v1.26.6',
      });
      expect(host.spec?.installationSecret).toEqual({ apiVersion: 'v1', kind: 'Secret', name: 'm1', namespace });
      expect(host.spec?.bootstrapSecret).toEqual({ kind: 'Secret', name: 'm1-boot', namespace });
      expect(host.spec?.uninstallationScript).toContain('{{.BundleDownloadPath}}');
      expect(host.status?.machineRef).toMatchObject({ kind: 'ByoMachine', name: 'm1', namespace });
      const phases = scripts.map(({ name }) => name);
      expect(phases).toEqual(['install', 'clean', 'bootstrap']);
      expect(scripts[0]?.script).toContain("bundles='/var/lib/byoh/bundles'");

      await world.client.delete(ByoMachine, { namespace, name: 'm1' });
      await eventually(() => world.find(ByoMachine, 'm1')).toBeUndefined();
      await eventually(async () => (await world.byoHost('h1')).metadata.labels ?? {}).toEqual({});
      expect(await world.client.getOrUndefined(kinds.Node, { name: 'h1' })).toBeUndefined();
      const free = await world.byoHost('h1');
      expect(free.spec).toEqual({});
      expect(free.status?.machineRef).toBeUndefined();
      expect(free.metadata.annotations ?? {}).toEqual({});
      expect(scripts.map(({ name }) => name).slice(3)).toEqual([
        'needs-reset',
        'reset',
        'uninstall',
        'restore-files',
        'restore',
        'sentinel',
        'address',
      ]);
      await eventually(() => world.hostCondition('h1', 'K8sNodeBootstrapSucceeded')).toBe(
        'False WaitingForMachineRefToBeAssigned',
      );
      expect(await world.hostCondition('h1', 'K8sComponentsInstallationSucceeded')).toBe('False K8sNodeAbsent');
      await eventually(() => world.events('h1')).toEqual(
        expect.arrayContaining([
          'ByoHostAttachSucceeded',
          'InstallScriptExecutionSucceeded',
          'BootstrapK8sNodeSucceeded',
          'ByoHostReleaseSucceeded',
          'ResetK8sNodeSucceeded',
        ]),
      );
    });

    it('waits for infrastructure, bootstrap data and a host, and says which', async () => {
      await world.cluster('c2', { ready: false });
      await world.machine('m1', { cluster: 'c2', bootstrapSecretName: 'late' });
      await eventually(() => world.hostReady('m1')).toBe('False WaitingForClusterInfrastructure');
      await world.infrastructureReady('c2');
      await eventually(() => world.hostReady('m1')).toBe('False BYOHostsUnavailable');
      await eventually(() => world.events('m1')).toContain('ByoHostSelectionFailed');
      await world.dryAgent('h1');
      await world.node('h1');
      await eventually(() => world.hostReady('m1')).toBe('True');
    });

    it('has its installer config made early, as the contract says', async () => {
      await world.machine('m1');
      await eventually(() => world.find(K8sInstallerConfig, 'm1')).toBeDefined();
      const config = await world.client.get(K8sInstallerConfig, { namespace, name: 'm1' });
      const machine = await world.byoMachine('m1');
      expect(config.metadata).toMatchObject({
        labels: { 'cluster.x-k8s.io/cluster-name': 'c1' },
        annotations: {
          'byoh.infrastructure.cluster.x-k8s.io/k8sversion': 'v1.26.6',
          'cluster.x-k8s.io/cloned-from-name': 't1',
          'cluster.x-k8s.io/cloned-from-groupkind': 'K8sInstallerConfigTemplate.infrastructure.cluster.x-k8s.io',
        },
        ownerReferences: [
          { kind: 'ByoMachine', name: 'm1', uid: machine.metadata.uid, controller: true, blockOwnerDeletion: true },
        ],
      });
      expect(config.status?.ready ?? false).toBe(false);
    });

    it('shares no host: one wins, the other gets it after the release', async () => {
      await world.dryAgent('h1');
      await world.node('h1');
      await Promise.all([world.machine('m1'), world.machine('m2')]);
      const states = async () => [await world.hostReady('m1'), await world.hostReady('m2')].sort();
      await eventually(states).toEqual(['False BYOHostsUnavailable', 'True']);
      const [winner, loser] = (await world.hostReady('m1')) === 'True' ? ['m1', 'm2'] : ['m2', 'm1'];
      await world.client.delete(ByoMachine, { namespace, name: winner ?? '' });
      await eventually(() => world.find(ByoMachine, winner ?? '')).toBeUndefined();
      await world.node('h1');
      await eventually(() => world.hostReady(loser ?? '')).toBe('True');
    });

    it('completes after a pause in the middle, whatever the pause wrote', async () => {
      await world.machine('m1');
      await eventually(() => world.hostReady('m1')).toBe('False BYOHostsUnavailable');
      const pause = (paused: '' | null) =>
        world.client.patch(
          ByoMachine,
          { namespace, name: 'm1' },
          mergePatch({ metadata: { annotations: { 'cluster.x-k8s.io/paused': paused } } }),
        );
      await pause('');
      await eventually(() => world.hostReady('m1')).toBe('False ClusterOrResourcePaused');
      await world.dryAgent('h1');
      await world.node('h1');
      await pause(null);
      await eventually(() => world.hostReady('m1')).toBe('True');
    });

    it('does not take a host that the default installer has nothing for, and says so', async () => {
      const facts = { info: { osname: 'linux', osimage: 'Gentoo Linux 2.15', architecture: 'amd64' }, network: [] };
      await world.dryAgent('h1', { facts });
      await world.machine('m1');
      const message = async () => (await world.byoMachine('m1')).status?.conditions?.[0]?.message;
      await eventually(message).toContain(
        'h1: UnsupportedOS: No k8s support for OS: "Gentoo Linux 2.15" is none of Ubuntu 20.04*',
      );
      expect(await world.hostReady('m1')).toBe('False BYOHostsUnavailable');
      await world.client.create(kinds.ConfigMap, {
        metadata: { name: 'byoh-installer-registry', namespace: 'byoh-system' },
        data: { rows: '- {os: "Gentoo Linux 2*", arch: [amd64], kubernetes: ["v1.26.*"], bundleOs: Gentoo_2}' },
      });
      await world.node('h1');
      await eventually(() => world.hostReady('m1')).toBe('True');
    });

    it('shows why the installer rejects its host, and recovers when that is resolved', async () => {
      await world.template('bad', { bundleRepo: 'registry.example.com/b', bundleType: 'rpm' });
      await world.dryAgent('h1');
      await world.machine('m1', {
        installer: {
          apiVersion: K8sInstallerConfig.group + '/v1beta1',
          kind: 'K8sInstallerConfigTemplate',
          name: 'bad',
        },
      });
      await eventually(async () => (await world.byoMachine('m1')).status?.failureReason).toBe('InvalidConfiguration');
      const { status } = await world.byoMachine('m1');
      expect(status?.conditions?.[0]).toMatchObject({
        type: 'BYOHostReady',
        reason: 'InstallationSecretNotAvailable',
        severity: 'Error',
        message: 'InvalidConfiguration: bundleType "rpm" is not known; there is k8s',
      });
      await eventually(() => world.events('m1')).toContain('InstallerConfigFailed');
      expect(await world.find(kinds.Secret, 'm1')).toBeUndefined();
      await world.client.patch(
        K8sInstallerConfig,
        { namespace, name: 'm1' },
        mergePatch({ spec: { bundleType: 'k8s' } }),
      );
      await world.node('h1');
      await eventually(() => world.hostReady('m1')).toBe('True');
      expect((await world.byoMachine('m1')).status?.failureReason).toBeUndefined();
    });

    it('names a template that does not exist, and goes on when it does', async () => {
      await world.dryAgent('h1');
      await world.node('h1');
      await world.machine('m1', {
        installer: {
          apiVersion: `${K8sInstallerConfig.group}/v1beta1`,
          kind: 'K8sInstallerConfigTemplate',
          name: 'late',
        },
      });
      const message = async () => (await world.byoMachine('m1')).status?.conditions?.[0]?.message;
      await eventually(message).toBe('K8sInstallerConfigTemplate late cannot be found');
      await world.template('late');
      await eventually(() => world.hostReady('m1')).toBe('True');
    });

    it('takes a version that is corrected before it is installed', async () => {
      await world.machine('m1', { version: 'v9.9.9' });
      const config = () => world.find(K8sInstallerConfig, 'm1');
      await eventually(async () => (await config())?.metadata.annotations?.[versionAnnotation]).toBe('v9.9.9');
      await world.client.patch(Machine, { namespace, name: 'm1' }, mergePatch({ spec: { version: 'v1.26.6' } }));
      await eventually(async () => (await config())?.metadata.annotations?.[versionAnnotation]).toBe('v1.26.6');
      await world.dryAgent('h1');
      await world.node('h1');
      await eventually(() => world.hostReady('m1')).toBe('True');
      const { name = '' } = (await world.byoHost('h1')).spec?.installationSecret ?? {};
      const { data = {} } = await world.client.get(kinds.Secret, { namespace, name });
      expect(Buffer.from(data['install'] ?? '', 'base64').toString()).toContain(':v1.26.6');
      expect((await world.byoHost('h1')).metadata.annotations?.[versionAnnotation]).toBe('v1.26.6');
    });

    it('keeps its bootstrap data when Cluster API gives it the name of the machine', async () => {
      await world.dryAgent('h1');
      await world.node('h1');
      await world.machine('m1', { bootstrapSecretName: 'm1', bootstrap: '#cloud-config\nruncmd: ["true"]\n' });
      await eventually(() => world.hostReady('m1')).toBe('True');
      const boot = await world.client.get(kinds.Secret, { namespace, name: 'm1' });
      expect(Object.keys(boot.data ?? {}).sort()).toEqual(['format', 'value']);
      expect((await world.byoHost('h1')).spec?.installationSecret?.name).toBe('m1-install');
    });

    it('reports a failing bootstrap, is reset, and retries without another installation', async () => {
      const phases: string[] = [];
      let broken = true;
      const onScript = ({ name }: TracedScript) => {
        phases.push(name);
        return name === 'bootstrap' && broken ? 7 : undefined;
      };
      await world.dryAgent('h1', { onScript });
      await world.node('h1');
      await world.machine('m1');
      await eventually(() => world.hostReady('m1')).toBe('False CloudInitExecutionFailed');
      expect((await world.byoMachine('m1')).status?.conditions?.[0]?.message).toContain(
        'runcmd[0] ended with exit code 7',
      );
      broken = false;
      await eventually(() => world.hostReady('m1')).toBe('True');
      expect(phases.filter((name) => name === 'install')).toHaveLength(1);
      expect(phases).toContain('reset');
    });

    it('reports a failing installation, which is undone and retried', async () => {
      const phases: string[] = [];
      let broken = true;
      const onScript = ({ name }: TracedScript) => {
        phases.push(name);
        return name === 'install' && broken ? 1 : undefined;
      };
      await world.dryAgent('h1', { onScript });
      await world.node('h1');
      await world.machine('m1');
      await eventually(() => world.hostReady('m1')).toBe('False K8sComponentsInstallationFailed');
      expect(phases.slice(0, 2)).toEqual(['install', 'uninstall']);
      broken = false;
      await eventually(() => world.hostReady('m1')).toBe('True');
    });

    it('takes the host that its selector asks for', async () => {
      await world.dryAgent('h1', { labels: { role: 'worker' } });
      await world.dryAgent('h2', { labels: { role: 'control-plane' } });
      for (const name of ['h1', 'h2']) await world.node(name);
      await world.machine('m1', { selector: { matchLabels: { role: 'control-plane' } } });
      await world.machine('m2', {
        selector: { matchExpressions: [{ key: 'role', operator: 'In', values: ['worker'] }] },
      });
      await eventually(async () => [await world.hostReady('m1'), await world.hostReady('m2')]).toEqual([
        'True',
        'True',
      ]);
      expect((await world.byoMachine('m1')).spec?.providerID).toContain('byoh://h2/');
      expect((await world.byoMachine('m2')).spec?.providerID).toContain('byoh://h1/');
    });
  });
}
