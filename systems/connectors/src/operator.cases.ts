import { type Client, kinds, mergePatch } from '@tektite/client';
import {
  clusterRoleFor,
  installKinds,
  namespaceRoleFor,
  type RunningSystems,
  startSystems,
  type SystemsWebhooks,
} from '@tektite/controller';
import { type DynamicObject, findCondition, type KubeObject, sleep, systemClock } from '@tektite/meta';
import type { Cluster } from '@tektite/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Connector } from './kinds/connector.ts';
import { InstallManifest } from './kinds/install-manifest.ts';
import { memoryPayloads } from './payload/memory-payloads.ts';
import { payloadPermissions } from './payload/payload-permissions.ts';
import { live, managed } from './small-cluster/test-support.ts';
import { connectorsSystem } from './system.ts';
import {
  clusterRole,
  configMap,
  connector,
  definition,
  deployment,
  patchSpec,
  service,
  statefulSet,
} from './test-support.ts';

/** Where the operator runs. */
export interface OperatorPlace {
  readonly name: string;
  start(): Promise<Cluster>;
  webhooks(cluster: Cluster): SystemsWebhooks;
  /** A definition as this server takes it. */
  definition?(definition: object): object;
}

const objects = [
  definition('shops', 'Shop'),
  clusterRole('shop-reader'),
  configMap('settings'),
  service('web'),
  deployment('web'),
  statefulSet('db'),
];
const key = { namespace: 'default', name: 'shop' };
const account = 'system:serviceaccount:default:connectors';

/** The operator against a server, with no more rights than its roles, as its users see it. */
export function operatorCases(place: OperatorPlace): void {
  describe(`the Connectors operator ${place.name}`, { timeout: 90_000 }, () => {
    let cluster: Cluster;
    let client: Client;
    let running: RunningSystems | undefined;
    let living = true;
    const payloads = memoryPayloads({ shop: { objects, version: 'v7' } });

    const start = async (version: string) => {
      const permissions = await payloadPermissions(payloads);
      const system = connectorsSystem({
        payloads,
        permissions,
        version,
        requeueMs: 500,
        payloadCheckMs: 500,
        operatorUsers: [account],
      });
      const limited = cluster.clientFor({ name: account, groups: ['system:authenticated', 'system:serviceaccounts'] });
      running = await startSystems([system], {
        client: limited,
        install: false,
        webhooks: place.webhooks(cluster),
        graceMs: 0,
      });
    };

    beforeAll(async () => {
      cluster = await place.start();
      ({ client } = cluster);
      const permissions = await payloadPermissions(payloads);
      const system = connectorsSystem({ payloads, permissions, version: 'v1' });
      await installKinds(client, system.kinds, undefined, async (each) => {
        await client.create(kinds.CustomResourceDefinition, (place.definition?.(each) ?? each) as never);
      });
      const everywhere = await client.create(kinds.ClusterRole, clusterRoleFor(system));
      const here = await client.create(
        kinds.Role,
        namespaceRoleFor(system, { namespace: 'default', webhookService: 'connectors-webhook' }),
      );
      const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: account }];
      const binding = ({ kind, metadata: { name = '', namespace } }: KubeObject) => ({
        metadata: { name, ...(namespace ? { namespace } : {}) },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name },
        subjects,
      });
      await client.create(kinds.ClusterRoleBinding, binding(everywhere));
      await client.create(kinds.RoleBinding, binding(here));
      void (async () => {
        for (; living; await sleep(systemClock, 300)) await live(client).catch(() => undefined);
      })();
      await start('v1');
    }, 60_000);

    afterAll(async () => {
      living = false;
      await running?.stop();
      await sleep(systemClock, 500);
      await cluster.close();
    });

    const ready = async () => {
      const { metadata, status } = await client.get(Connector, key);
      const condition = findCondition(status?.conditions, 'Ready');
      return `${status?.releaseVersion} ${condition?.status} ${condition?.reason} ${condition?.observedGeneration === metadata.generation ? '' : 'old '}${condition?.status === 'True' ? '' : condition?.message}`.trim();
    };
    const soon = <T>(read: () => T) => expect.poll(read, { timeout: 20_000, interval: 200 });
    const names = async () => (await managed(client)).map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort();
    const wanted = objects
      .filter(({ kind }) => kind !== 'Service')
      .map(({ kind, metadata }) => `${kind} ${metadata.name}`)
      .sort();

    it('installs an application', async () => {
      await client.create(Connector, connector('shop'));
      await soon(ready).toBe('v1 True Ready');
      expect(await names()).toEqual(wanted);
      expect((await client.list(InstallManifest)).items).toHaveLength(2);
    });

    it('changes it in place, takes back what users did to workloads, and leaves them the rest', async () => {
      const uids = async () => (await managed(client)).map(({ metadata }) => metadata.uid);
      const before = await uids();
      await client.patch(kinds.ConfigMap, { ...key, name: 'settings' }, mergePatch({ data: { a: 'mine' } }));
      await client.patch(kinds.Deployment, { ...key, name: 'web' }, mergePatch({ spec: { replicas: 4 } }));
      await soon(async () => (await client.get(kinds.Deployment, { ...key, name: 'web' })).spec?.replicas).toBe(1);
      expect((await client.get(kinds.ConfigMap, { ...key, name: 'settings' })).data).toEqual({ a: 'mine' });
      await patchSpec(client, 'shop', { labels: { team: 'red' }, workloads: [{ name: 'web', replicas: 2 }] });
      await soon(ready).toBe('v1 True Ready');
      const web = await client.get(kinds.Deployment, { ...key, name: 'web' });
      expect(web).toMatchObject({ metadata: { labels: { team: 'red' } }, spec: { replicas: 2 } });
      expect(await uids()).toEqual(before);
    });

    it('deletes what left the payload', async () => {
      payloads.put('shop', { objects: objects.filter(({ kind }) => kind !== 'ConfigMap'), version: 'v8' });
      await soon(names).toEqual(wanted.filter((name) => !name.startsWith('ConfigMap')));
      await soon(async () => (await client.get(Connector, key)).status?.connectorVersion).toBe('v8');
    });

    it('refuses with a hint, and keeps users from its records', async () => {
      await expect(client.create(Connector, connector('other'))).rejects.toThrow(
        'spec.component: no payload "other" in this operator (have: shop)',
      );
      const [manifest] = (await client.list(InstallManifest)).items;
      const change = client.patch(
        InstallManifest,
        { name: manifest?.metadata.name ?? '' },
        mergePatch({ spec: { manifests: [] } }),
      );
      await expect(change).rejects.toThrow('InstallManifests are written by the operator');
    });

    it('recreates it for another version of the operator, and keeps objects with data', async () => {
      const uid = async (kind: string) =>
        (await managed(client)).find((object: DynamicObject) => object.kind === kind)?.metadata.uid;
      const [crd, web] = [await uid('CustomResourceDefinition'), await uid('Deployment')];
      await running?.stop();
      await start('v2');
      await soon(ready).toBe('v2 True Ready');
      expect(await uid('CustomResourceDefinition')).toBe(crd);
      expect(await uid('Deployment')).not.toBe(web);
    });

    it('removes it', async () => {
      await client.delete(Connector, key);
      await soon(async () => (await client.list(Connector)).items.length).toBe(0);
      await soon(names).toEqual(['CustomResourceDefinition shops.example.com']);
      expect((await client.list(InstallManifest)).items).toEqual([]);
    });
  });
}
