import { kinds } from '@tektite/client';
import {
  clusterRoleFor,
  installKinds,
  namespaceRoleFor,
  type RunningSystems,
  startSystems,
  type SystemsWebhooks,
} from '@tektite/controller';
import { findCondition, isControlledBy, type KubeObject } from '@tektite/meta';
import type { Cluster } from '@tektite/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Memcached, system } from './index.ts';
import { smallCluster } from './test-support.ts';

/** Where the operator runs. */
export interface OperatorPlace {
  readonly name: string;
  start(): Promise<Cluster>;
  webhooks(cluster: Cluster): SystemsWebhooks;
}

/** The operator against a server, as its users see it. */
export function operatorCases(place: OperatorPlace): void {
  describe(`the memcached operator ${place.name}`, () => {
    let cluster: Cluster;
    let running: RunningSystems;
    const namespace = 'default';

    beforeAll(async () => {
      cluster = await place.start();
      running = await startSystems([system], { client: cluster.client, webhooks: place.webhooks(cluster), graceMs: 0 });
      await running.manager.synced();
    });

    afterAll(async () => {
      await running.stop();
      await cluster.close();
    });

    const create = (name: string, spec: object = {}) =>
      cluster.client.create(Memcached, { metadata: { namespace, name }, spec: spec as Memcached['spec'] });
    const deployment = (name: string) =>
      cluster.client.get(kinds.Deployment, { namespace, name }).catch(() => undefined);

    it('fills in what was left out', async () => {
      const { spec } = await create('defaults');
      expect(spec).toEqual({ size: 1, port: 11211, image: 'memcached:1.6' });
    });

    it('makes a Deployment, keeps it as it should be, and says what it sees', async () => {
      const cache = await create('web', { size: 2 });
      await expect.poll(() => deployment('web')).toMatchObject({ spec: { replicas: 2 } });
      const made = await deployment('web');
      expect(made && isControlledBy(made, cache)).toBe(true);
      await cluster.client.scale(kinds.Deployment, { namespace, name: 'web' }, 7);
      await expect.poll(() => deployment('web')).toMatchObject({ spec: { replicas: 2 } });
      const condition = async () => {
        const { status } = await cluster.client.get(Memcached, { namespace, name: 'web' });
        return findCondition(status?.conditions, 'Available');
      };
      await expect.poll(condition).toMatchObject({ status: 'False', message: '0 of 2 nodes are ready' });
    });

    it('says so once the Pods are ready, and which they are', { timeout: 20_000 }, async () => {
      const others = smallCluster(cluster.client, 50).start();
      await create('ready', { size: 2 });
      const status = async () => (await cluster.client.get(Memcached, { namespace, name: 'ready' })).status;
      await expect
        .poll(async () => findCondition((await status())?.conditions, 'Available')?.status, { timeout: 15_000 })
        .toBe('True');
      expect((await status())?.nodes).toHaveLength(2);
      await others.stop();
    });

    it.each([
      [
        'an image without a version',
        { image: 'memcached:latest' },
        'invalid value: memcached:latest: spec.image\nname a version',
      ],
      ['a size below zero', { size: -1 }, 'spec.size'],
    ])('refuses %s', async (_title, spec, message) => {
      await expect(create('bad', spec)).rejects.toThrow(message);
    });

    it('refuses another port', async () => {
      await create('port');
      const patch = { metadata: { namespace, name: 'port' }, spec: { port: 80 } };
      await expect(cluster.client.apply(Memcached, patch, { force: true })).rejects.toThrow(
        'admission webhook "validation.cache.example.com" denied the request: validation failed: invalid value: 80: spec.port',
      );
    });

    it('says goodbye before a cache goes', async () => {
      await create('gone');
      const get = () => cluster.client.get(Memcached, { namespace, name: 'gone' });
      await expect.poll(async () => (await get()).metadata.finalizers).toEqual(['cache.example.com/finalizer']);
      await cluster.client.delete(Memcached, { namespace, name: 'gone' });
      await expect.poll(() => get().catch((error: { code: number }) => error.code)).toBe(404);
      const fieldSelector = 'involvedObject.name=gone,reason=Deleting';
      const events = () => cluster.client.list(kinds.Event, { namespace, fieldSelector });
      await expect.poll(async () => (await events()).items.length).toBe(1);
    });
  });

  describe(`with no more rights than its roles ${place.name}`, () => {
    it('it does all its work', { timeout: 30_000 }, async () => {
      await using cluster = await place.start();
      const { client } = cluster;
      await installKinds(client, system.kinds);
      const account = 'system:serviceaccount:default:memcached';
      const everywhere = await client.create(kinds.ClusterRole, clusterRoleFor(system));
      const here = await client.create(kinds.Role, namespaceRoleFor(system, { namespace: 'default' }));
      const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: account }];
      const binding = ({ kind, metadata: { name = '', namespace } }: KubeObject) => ({
        metadata: { name, ...(namespace ? { namespace } : {}) },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name },
        subjects,
      });
      await client.create(kinds.ClusterRoleBinding, binding(everywhere));
      await client.create(kinds.RoleBinding, binding(here));
      const limited = cluster.clientFor({ name: account, groups: ['system:authenticated'] });
      const errors: unknown[] = [];
      const quiet = () => undefined;
      const log = { debugs: false, debug: quiet, info: quiet, warn: note, error: note, with: () => log };
      function note(_message: string, fields: { error?: unknown } = {}): void {
        errors.push(fields.error);
      }
      const election = {
        namespace: 'default',
        buckets: 1,
        leaseDurationMs: 3000,
        renewDeadlineMs: 2000,
        retryPeriodMs: 100,
      };
      await using _ = await startSystems([system], { client: limited, install: false, log, graceMs: 0, election });
      await client.create(Memcached, { metadata: { namespace: 'default', name: 'a' }, spec: { size: 1, port: 11211 } });
      const conditions = async () =>
        (await client.get(Memcached, { namespace: 'default', name: 'a' })).status?.conditions;
      await expect.poll(async () => (await conditions())?.length, { timeout: 10_000 }).toBe(1);
      await client.delete(Memcached, { namespace: 'default', name: 'a' });
      const left = async () => (await client.list(Memcached)).items.length;
      await expect.poll(left, { timeout: 5000 }).toBe(0);
      const events = async () => (await client.list(kinds.Event, { namespace: 'default' })).items.map((e) => e.reason);
      await expect.poll(events).toEqual(expect.arrayContaining(['Deleting', 'Scaling']));
      expect(errors).toEqual([]);
    });
  });
}
