import { type Client, kinds, mergePatch } from '@tektite/client';
import { installKinds } from '@tektite/controller';
import { controllerReference, type KubeObject, sleep, systemClock } from '@tektite/meta';
import type { Cluster as ApiPlace } from '@tektite/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startAgent } from './agent/start-agent.ts';
import { dryRunSandbox } from './agent/sandbox/dry-run-sandbox.ts';
import { grant, ownAccess } from './host/host-access.ts';
import { homeName } from './host/host-home.ts';
import { BootstrapKubeconfig } from './kinds/bootstrap-kubeconfig.ts';
import { ByoHost } from './kinds/byo-host.ts';
import { eventually, namespace, TestWorld, ubuntu } from './test-support.ts';
import { machineNameLabel } from './wire-names.ts';

const tenant = 'tenant-b';
const { signal } = new AbortController();
const rbac = 'rbac.authorization.k8s.io';

/** From a bootstrap token to the rights of a host, and no further, on any API server. */
export function enrolmentCases(open: () => Promise<ApiPlace>): void {
  let world: TestWorld;
  beforeEach(async () => {
    world = new TestWorld(await open());
    await world.client.create(kinds.Namespace, { metadata: { name: tenant } });
  }, 60_000);
  afterEach(() => world[Symbol.asyncDispose]());

  const bootstrapKubeconfig = (where: string) => world.bootstrapKubeconfig(where);
  const ask = (host: string, where: string, csr?: string) => world.ask(host, where, csr);

  async function isApproved(csr: string): Promise<boolean> {
    const { status } = await world.client.get(kinds.CertificateSigningRequest, { name: csr });
    return status?.conditions?.some(({ type }) => type === 'Approved') ?? false;
  }

  async function approveByHand(csr: string): Promise<void> {
    const found = await world.client.get(kinds.CertificateSigningRequest, { name: csr });
    const conditions = [{ type: 'Approved', status: 'True' as const, reason: 'ByHand', message: 'a person did it' }];
    const next = { ...found, status: { ...found.status, conditions } };
    await world.client.update(kinds.CertificateSigningRequest, next, { subresource: 'approval' });
  }

  const register = (client: Client, name: string, where: string) =>
    client.create(ByoHost, { metadata: { name, namespace: where }, spec: {} });

  /** Succeeds once the manager has granted the rights. */
  const canRegister = (name: string, where: string) =>
    eventually(async () => {
      try {
        await register(world.agentClient(name), name, where);
        return 'registered';
      } catch (error) {
        return (error as Error).message;
      }
    }).toBe('registered');

  async function agentIn(name: string, where: string) {
    const client = world.agentClient(name);
    const sandbox = dryRunSandbox({ facts: ubuntu });
    const agent = await startAgent({
      client,
      name,
      namespace: where,
      stateFolder: world.folder(),
      sandbox,
      heartbeatMs: 1000,
    });
    world.onEnd(() => agent.stop());
  }

  const homeOf = async (host: string) =>
    (await world.client.get(kinds.ConfigMap, { namespace: 'byoh-system', name: homeName(host) })).data?.['namespace'];
  const setHome = (host: string, where: string) =>
    world.client.patch(
      kinds.ConfigMap,
      { namespace: 'byoh-system', name: homeName(host) },
      mergePatch({ data: { namespace: where } }),
    );

  /** Roles as an earlier version or a careless administrator has them: all hosts may do everything to hosts and Leases. */
  async function grantTooMuch(name: string): Promise<void> {
    const metadata = { name };
    const rules = [
      { apiGroups: ['infrastructure.cluster.x-k8s.io'], resources: ['byohosts', 'byohosts/status'], verbs: ['*'] },
      { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create'] },
      { apiGroups: ['certificates.k8s.io'], resources: ['certificatesigningrequests'], verbs: ['*'] },
    ];
    const roleRef = { apiGroup: rbac, kind: 'ClusterRole', name };
    const subjects = [{ apiGroup: rbac, kind: 'Group', name: 'byoh:hosts' }];
    await world.client.create({ apiVersion: `${rbac}/v1`, kind: 'ClusterRole', metadata, rules } as KubeObject);
    await world.client.create({
      apiVersion: `${rbac}/v1`,
      kind: 'ClusterRoleBinding',
      metadata,
      roleRef,
      subjects,
    } as KubeObject);
  }

  describe('a bootstrap token', () => {
    beforeEach(() => world.manager());

    it('says which namespace its hosts belong to, in its groups and in its kubeconfig', async () => {
      await bootstrapKubeconfig(tenant);
      const { groups } = await world.bearer('hosts', tenant);
      expect(groups).toEqual(
        expect.arrayContaining(['system:bootstrappers:byoh', `system:bootstrappers:byoh:${tenant}`]),
      );
      const { status } = await world.client.get(BootstrapKubeconfig, { namespace: tenant, name: 'hosts' });
      const { contexts } = JSON.parse(status?.bootstrapKubeconfigData ?? '') as { contexts: { context: object }[] };
      expect(contexts[0]?.context).toMatchObject({ namespace: tenant });
    });

    it('of an earlier version gets its namespace while it is good', async () => {
      await bootstrapKubeconfig(tenant);
      const { name } = await world.bearer('hosts', tenant);
      const key = { namespace: 'kube-system', name: `bootstrap-token-${name.slice('system:bootstrap:'.length)}` };
      const data = { 'auth-extra-groups': Buffer.from('system:bootstrappers:byoh').toString('base64') };
      await world.client.patch(kinds.Secret, key, mergePatch({ data }));
      await world.client.patch(
        BootstrapKubeconfig,
        { namespace: tenant, name: 'hosts' },
        mergePatch({ metadata: { labels: { seen: 'again' } } }),
      );
      await eventually(async () => (await world.bearer('hosts', tenant)).groups).toContain(
        `system:bootstrappers:byoh:${tenant}`,
      );
      expect((await world.bearer('hosts', tenant)).name).toBe(name);
    });
  });

  describe('a host that registers with a token', () => {
    it('enters the namespace of the token, and no other', { timeout: 60_000 }, async () => {
      await world.manager();
      await bootstrapKubeconfig(namespace);
      await ask('h1', namespace);
      await eventually(() => isApproved('byoh-csr-h1')).toBe(true);
      await canRegister('h1', namespace);
      const client = world.agentClient('h1');
      await expect(register(client, 'h1', tenant)).rejects.toThrow('forbidden');
      const lease = { metadata: { name: 'kube-controller-manager', namespace: 'kube-system' } };
      await expect(client.create(kinds.Lease, lease)).rejects.toThrow('forbidden');
      await expect(client.list(kinds.CertificateSigningRequest)).rejects.toThrow('forbidden');
    });

    it('enters no other even if a role allows it', { timeout: 60_000 }, async () => {
      await world.manager();
      await grantTooMuch('too-much');
      await world.dryAgent('h1');
      const client = world.agentClient('h1');
      const denial = 'byoh:host:h1 cannot create/update resource h1 in the namespace tenant-b, which is not its own';
      await expect(register(client, 'h1', tenant)).rejects.toThrow(denial);
      await expect(register(world.agentClient('unknown'), 'unknown', namespace)).rejects.toThrow(
        'which is not its own',
      );
    });

    it('has its name alone, also when a token of another namespace asks for it at the same time', {
      timeout: 60_000,
    }, async () => {
      await world.manager();
      for (const where of [namespace, tenant]) await bootstrapKubeconfig(where);
      const other = 'byoh-csr-h1-0123456789';
      await Promise.all([ask('h1', namespace), ask('h1', tenant, other)]);
      const approved = async () => [await isApproved('byoh-csr-h1'), await isApproved(other)].filter(Boolean).length;
      await eventually(approved).toBe(1);
      const winner = (await isApproved(other)) ? tenant : namespace;
      expect(await homeOf('h1')).toBe(winner);
      await canRegister('h1', winner);
      // The name outlives the host: its certificate does, too.
      await world.client.delete(ByoHost, { namespace: winner, name: 'h1' });
      const loser = winner === tenant ? namespace : tenant;
      await ask('h1', loser, 'byoh-csr-h1-9876543210');
      await ask('h2', loser);
      await eventually(() => isApproved('byoh-csr-h2')).toBe(true);
      expect(await isApproved('byoh-csr-h1-9876543210')).toBe(false);
      expect(await homeOf('h1')).toBe(winner);
    });

    it('gets its rights after a person approved it, where people approve', { timeout: 60_000 }, async () => {
      await world.manager({ manualCsrApproval: true });
      await bootstrapKubeconfig(tenant);
      await ask('h1', tenant);
      await expect(register(world.agentClient('h1'), 'h1', tenant)).rejects.toThrow('forbidden');
      expect(await isApproved('byoh-csr-h1')).toBe(false);
      await approveByHand('byoh-csr-h1');
      await canRegister('h1', tenant);
      await expect(register(world.agentClient('h1'), 'h1', namespace)).rejects.toThrow('forbidden');
    });

    it('gets them when the manager died after the approval, and when they were deleted', {
      timeout: 60_000,
    }, async () => {
      const first = await world.manager({ manualCsrApproval: true });
      await bootstrapKubeconfig(tenant);
      await ask('h1', tenant);
      await first.stop();
      await approveByHand('byoh-csr-h1');
      await world.manager();
      await canRegister('h1', tenant);
      for (const kind of [kinds.RoleBinding, kinds.Role])
        await world.client.delete(kind as typeof kinds.Role, { namespace: tenant, name: 'byoh-host-h1' });
      const client = world.agentClient('h1');
      await eventually(async () =>
        client.get(ByoHost, { namespace: tenant, name: 'h1' }).then(
          () => 'read',
          () => 'denied',
        ),
      ).toBe('read');
    });

    it('loses all rights when its record names no namespace', { timeout: 60_000 }, async () => {
      await world.manager();
      await world.dryAgent('h1');
      const client = world.agentClient('h1');
      const read = async () =>
        client.get(ByoHost, { namespace, name: 'h1' }).then(
          () => 'read',
          () => 'denied',
        );
      expect(await read()).toBe('read');
      await setHome('h1', '');
      await eventually(read).toBe('denied');
      await expect(register(client, 'h1', namespace)).rejects.toThrow('forbidden');
      await setHome('h1', namespace);
      await eventually(read).toBe('read');
    });

    it('renews a heartbeat that the manager made for it, and that is deleted with it', {
      timeout: 60_000,
    }, async () => {
      await world.manager();
      await world.dryAgent('h1');
      await eventually(() => world.hostCondition('h1', 'HostAgentAlive')).toBe('True');
      const lease = await world.client.get(kinds.Lease, { namespace, name: 'byoh-host-h1' });
      const { uid } = (await world.byoHost('h1')).metadata;
      expect(lease.metadata.ownerReferences).toMatchObject([{ kind: 'ByoHost', name: 'h1', uid }]);
    });
  });

  describe('a machine', () => {
    it('does not take a host of another namespace that carries its label', { timeout: 60_000 }, async () => {
      await world.manager();
      await world.template();
      await world.cluster('c1');
      await world.dryAgent('intruder', { namespace: tenant });
      await world.dryAgent('h1');
      await world.node('h1');
      const label = mergePatch({ metadata: { labels: { [machineNameLabel]: `${namespace}.m1` } } });
      const key = { namespace: tenant, name: 'intruder' };
      const client = world.agentClient('intruder');
      await expect(client.patch(ByoHost, key, label)).rejects.toThrow(
        `byoh:host:intruder cannot set label ${machineNameLabel} of intruder`,
      );
      // As if the webhook had let it pass.
      await world.client.patch(ByoHost, key, label);
      await world.machine('m1');
      await eventually(() => world.hostReady('m1')).toBe('True');
      expect((await world.byoMachine('m1')).spec?.providerID).toContain('//h1/');
      for (const name of ['m1', 'm1-boot'])
        await expect(client.get(kinds.Secret, { namespace, name })).rejects.toThrow('forbidden');
    });
  });

  describe('hosts of an earlier version', () => {
    /** A ByoHost with the Role that the earlier version made for it. */
    async function oldHost(name: string, where: string): Promise<void> {
      const owner = controllerReference(await register(world.client, name, where));
      const { role, binding } = ownAccess(name, where);
      const metadata = { ...role.metadata, ownerReferences: [owner] };
      const rules = (role.rules ?? []).filter(({ resourceNames = [] }) => resourceNames.length > 0);
      await grant(world.client, { role: { ...role, metadata, rules }, binding: { ...binding, metadata } }, signal);
    }

    it('keep working in their namespace, and lose what they took elsewhere', { timeout: 60_000 }, async () => {
      await installKinds(world.client, [ByoHost]);
      await grantTooMuch('byoh-hosts');
      await oldHost('h1', namespace);
      // Creation times are whole seconds.
      await sleep(systemClock, 1100);
      await oldHost('h1', tenant);
      await world.manager();
      const client = world.agentClient('h1');
      const elsewhere = async () =>
        client.get(ByoHost, { namespace: tenant, name: 'h1' }).then(
          () => 'read',
          () => 'denied',
        );
      await eventually(elsewhere).toBe('denied');
      expect(await homeOf('h1')).toBe(namespace);
      await expect(register(client, 'h2', tenant)).rejects.toThrow('forbidden');
      await expect(client.list(kinds.CertificateSigningRequest)).rejects.toThrow('forbidden');
      await agentIn('h1', namespace);
      await eventually(() => world.hostCondition('h1', 'HostAgentAlive')).toBe('True');
    });
  });
}
