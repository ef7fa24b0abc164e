import { kinds, mergePatch } from '@tektite/client';
import type { KubeObject } from '@tektite/meta';
import type { Cluster as ApiPlace } from '@tektite/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BootstrapKubeconfig } from './kinds/bootstrap-kubeconfig.ts';
import { ByoHost } from './kinds/byo-host.ts';
import { ByoMachine, ByoMachineTemplate } from './kinds/byo-machine.ts';
import { eventually, namespace, TestWorld } from './test-support.ts';

/** Cases of attacks between hosts, and of administrators on hosts, on any API server. */
export function securityCases(open: () => Promise<ApiPlace>): void {
  let world: TestWorld;
  beforeEach(async () => {
    world = new TestWorld(await open());
    await world.manager();
  }, 60_000);
  afterEach(() => world[Symbol.asyncDispose]());

  describe('a host', () => {
    it('reads the Secrets of its own machine, and no others', { timeout: 60_000 }, async () => {
      await world.template();
      await world.cluster('c1');
      for (const name of ['h1', 'h2']) {
        await world.dryAgent(name);
        await world.node(name);
      }
      await world.machine('m1');
      await world.machine('m2');
      await eventually(async () => [await world.hostReady('m1'), await world.hostReady('m2')]).toEqual([
        'True',
        'True',
      ]);
      const own = (await world.byoMachine('m1')).spec?.providerID?.includes('//h1/') ? 'm1' : 'm2';
      const other = own === 'm1' ? 'm2' : 'm1';
      const client = world.agentClient('h1');
      const read = (name: string, where = namespace) => client.get(kinds.Secret, { namespace: where, name });
      expect((await read(`${own}-boot`)).metadata.name).toBe(`${own}-boot`);
      expect((await read(own)).metadata.name).toBe(own);
      await expect(read(`${other}-boot`)).rejects.toThrow('forbidden');
      await expect(read(other)).rejects.toThrow('forbidden');
      await expect(read('c1-kubeconfig')).rejects.toThrow('forbidden');
      await expect(client.list(kinds.Secret, { namespace })).rejects.toThrow('forbidden');
      await expect(client.list(ByoHost, { namespace })).rejects.toThrow('forbidden');
      await expect(client.get(ByoHost, { namespace, name: 'h2' })).rejects.toThrow('forbidden');
      // A machine that goes takes the right to read its Secrets along, once the garbage is collected.
      const roles = (await world.client.list(kinds.Role, { namespace })).items.filter(
        ({ metadata }) => metadata.name === 'byoh-secrets-h1',
      );
      expect(roles[0]?.metadata.ownerReferences?.[0]).toMatchObject({ kind: 'ByoMachine', name: own });
    });

    it('writes its own host alone, and chooses nothing that others assign to it', { timeout: 60_000 }, async () => {
      for (const name of ['a', 'ab']) await world.dryAgent(name);
      const client = world.agentClient('a');
      const patch = (name: string, body: object, subresource?: string) =>
        client.patch(ByoHost, { namespace, name }, mergePatch(body), subresource ? { subresource } : {});
      const label = { metadata: { labels: { mine: 'yes' } } };
      await patch('a', label);
      await expect(patch('ab', label)).rejects.toThrow('forbidden');
      await expect(patch('ab', { status: { hostinfo: { osname: 'x' } } }, 'status')).rejects.toThrow('forbidden');
      await expect(client.delete(ByoHost, { namespace, name: 'ab' })).rejects.toThrow('forbidden');
      const secret = { bootstrapSecret: { name: 'c1-kubeconfig', namespace } };
      await expect(patch('a', { spec: secret })).rejects.toThrow('byoh:host:a cannot set spec.bootstrapSecret of a');
      const machineRef = { kind: 'ByoMachine', name: 'm1', namespace };
      await expect(patch('a', { status: { machineRef } }, 'status')).rejects.toThrow('cannot set status.machineRef');
      await expect(client.create(ByoHost, { metadata: { name: 'abc', namespace }, spec: {} })).rejects.toThrow(
        'byoh:host:a cannot create/update resource abc',
      );
    });

    it('is not believed more than the webhook does, even if a role allows too much', { timeout: 60_000 }, async () => {
      const rbac = 'rbac.authorization.k8s.io';
      const metadata = { name: 'as-upstream' };
      const rules = [
        { apiGroups: ['infrastructure.cluster.x-k8s.io'], resources: ['byohosts', 'byohosts/status'], verbs: ['*'] },
      ];
      await world.client.create({ apiVersion: `${rbac}/v1`, kind: 'ClusterRole', metadata, rules } as KubeObject);
      const roleRef = { apiGroup: rbac, kind: 'ClusterRole', name: 'as-upstream' };
      const subjects = [{ apiGroup: rbac, kind: 'Group', name: 'byoh:hosts' }];
      await world.client.create({
        apiVersion: `${rbac}/v1`,
        kind: 'ClusterRoleBinding',
        metadata,
        roleRef,
        subjects,
      } as KubeObject);
      for (const name of ['a', 'ab']) await world.dryAgent(name);
      const client = world.agentClient('a');
      const write = client.patch(ByoHost, { namespace, name: 'ab' }, mergePatch({ metadata: { labels: { x: 'y' } } }));
      await expect(write).rejects.toThrow(
        'admission webhook "vbyohost.kb.io" denied the request: byoh:host:a cannot create/update resource ab',
      );
      const status = client.patchStatus(
        ByoHost,
        { namespace, name: 'ab' },
        mergePatch({ status: { hostinfo: { osname: 'x' } } }),
      );
      await expect(status).rejects.toThrow('cannot create/update resource ab');
      await expect(client.delete(ByoHost, { namespace, name: 'ab' })).rejects.toThrow(
        'byoh:host:a cannot delete resource ab',
      );
    });

    it('cannot approve certificates, nor make roles', { timeout: 60_000 }, async () => {
      await world.dryAgent('a');
      const client = world.agentClient('a');
      const role = {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'Role',
        metadata: { name: 'mine', namespace },
        rules: [],
      } as KubeObject;
      await expect(client.create(role)).rejects.toThrow('forbidden');
      const approval = mergePatch({ status: { conditions: [{ type: 'Approved', status: 'True' }] } });
      await expect(
        client.patch(kinds.CertificateSigningRequest, { name: 'byoh-csr-a' }, approval, { subresource: 'approval' }),
      ).rejects.toThrow('forbidden');
    });
  });

  describe('an administrator', () => {
    it('labels hosts, and changes nothing else of them', { timeout: 60_000 }, async () => {
      await world.dryAgent('a');
      const patch = (body: object) => world.client.patch(ByoHost, { namespace, name: 'a' }, mergePatch(body));
      await patch({ metadata: { labels: { site: 'north' } } });
      await expect(patch({ spec: { uninstallationScript: 'rm -rf /' } })).rejects.toThrow('denied the request');
    });

    it('cannot delete a host that is in use', { timeout: 60_000 }, async () => {
      await world.template();
      await world.cluster('c1');
      await world.dryAgent('a');
      await world.node('a');
      await world.machine('m1');
      await eventually(() => world.hostReady('m1')).toBe('True');
      await expect(world.client.delete(ByoHost, { namespace, name: 'a' })).rejects.toThrow(
        'cannot delete ByoHost when MachineRef is assigned',
      );
      await world.client.delete(ByoMachine, { namespace, name: 'm1' });
      await eventually(async () => (await world.byoHost('a')).status?.machineRef).toBeUndefined();
      await world.client.delete(ByoHost, { namespace, name: 'a' });
    });

    it('gets the validation errors of a bootstrap kubeconfig, in the words of the original', {
      timeout: 60_000,
    }, async () => {
      const good = {
        apiserver: 'https://10.0.0.1:6443',
        'certificate-authority-data': Buffer.from(
          '-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n',
        ).toString('base64'),
      };
      const make = (name: string, spec: object) =>
        world.client.create(BootstrapKubeconfig, { metadata: { name, namespace }, spec: { ...good, ...spec } });
      await make('good', {});
      for (const [apiserver, text] of [
        ['http://10.0.0.1:6443', 'APIServer is not of the format https://hostname:port'],
        ['https://10.0.0.1', 'APIServer is not of the format https://hostname:port'],
        ['abc.com:1234', 'APIServer is not of the format https://hostname:port'],
      ] as const)
        await expect(make('bad', { apiserver })).rejects.toThrow(text);
      for (const [data, text] of [
        ['test-ca-data', 'cannot base64 decode CertificateAuthorityData'],
        [Buffer.from('no pem').toString('base64'), 'CertificateAuthorityData is not PEM encoded'],
      ] as const)
        await expect(make('bad', { 'certificate-authority-data': data })).rejects.toThrow(text);
    });

    it('cannot change a template, but for the topology controller’s questions', { timeout: 60_000 }, async () => {
      const spec = { template: { spec: {} } };
      await world.client.create(ByoMachineTemplate, { metadata: { name: 't', namespace }, spec });
      const change = (annotations: object) =>
        world.client.patch(
          ByoMachineTemplate,
          { namespace, name: 't' },
          mergePatch({ metadata: { annotations }, spec: { template: { spec: { providerID: 'x' } } } }),
        );
      await expect(change({})).rejects.toThrow('cannot change');
      await change({ 'topology.cluster.x-k8s.io/dry-run': '' });
    });
  });
}
