import { type Client, kinds } from '@tektite/client';
import { controllerReference, type KubeObject, sleep, systemClock } from '@tektite/meta';
import type { ConfigMap } from '@tektite/schema/kubernetes';
import { beforeEach, describe, expect, it } from 'vitest';
import { Channel } from './channel.ts';
import { type ControllerDefinition, defineController } from './controller-definition.ts';
import { Manager } from './manager.ts';
import type { ReconcileContext } from './reconcile-context.ts';
import { cached, mapped, owned } from './watch-source.ts';

/** A server to run the cases on. */
export interface ReconcilePlace {
  /** An administrator's client, closed by the place. */
  client(): Promise<Client>;
}

/** ConfigMaps play the part of the kind that is reconciled; those of the cases have this label. */
const labelSelector = 'role=parent';
let place = 0;

/** Cases of controllers on any server. */
export function controllerCases(server: ReconcilePlace): void {
  let client: Client;
  let namespace: string;

  beforeEach(async () => {
    client = await server.client();
    const made = await client.create(kinds.Namespace, { metadata: { generateName: `reconcile-${++place}-` } });
    namespace = made.metadata.name ?? '';
  });

  const parent = (name: string, more: Partial<ConfigMap['metadata']> = {}) =>
    client.create(kinds.ConfigMap, { metadata: { namespace, name, labels: { role: 'parent' }, ...more }, data: {} });
  const child = (name: string, of: KubeObject) =>
    client.create(kinds.Secret, { metadata: { namespace, name, ownerReferences: [controllerReference(of)] } });
  const change = (name: string, data: Record<string, string>) =>
    client.apply(kinds.ConfigMap, { metadata: { namespace, name }, data }, { force: true });

  type Reconcile = ControllerDefinition<ConfigMap, ConfigMap>['reconcile'];

  async function running(
    definition: Partial<ControllerDefinition<ConfigMap, ConfigMap>> & { reconcile: Reconcile },
  ): Promise<Manager> {
    const manager = new Manager(client, { graceMs: 1000 });
    const whole = { name: 'parents', kind: kinds.ConfigMap, namespace, labelSelector, ...definition };
    manager.add(defineController<ConfigMap>(whole));
    await manager.start().synced();
    return manager;
  }

  describe('a controller', () => {
    it('reconciles existing, created and changed objects', async () => {
      await parent('old');
      const seen: string[] = [];
      await using _ = await running({
        reconcile: (object) => void seen.push(`${object.metadata.name} ${object.data?.['a'] ?? ''}`),
      });
      await expect.poll(() => seen).toContain('old ');
      await parent('new');
      await expect.poll(() => seen).toContain('new ');
      await change('old', { a: '1' });
      await expect.poll(() => seen).toContain('old 1');
    });

    it('never works on one object twice at a time, and on several at once', async () => {
      for (const name of ['a', 'b', 'c']) await parent(name);
      const inside = new Map<string, number>();
      let most = 0;
      let overlaps = 0;
      await using _ = await running({
        concurrency: 3,
        async reconcile({ metadata: { name = '' } }) {
          if (inside.has(name)) overlaps++;
          inside.set(name, 1);
          most = Math.max(most, inside.size);
          await sleep(systemClock, 30);
          inside.delete(name);
        },
      });
      for (let i = 0; i < 5; i++) for (const name of ['a', 'b', 'c']) await change(name, { a: String(i) });
      await expect.poll(() => most).toBe(3);
      expect(overlaps).toBe(0);
    });

    it('reconciles the owner when an owned object changes, and finds its objects', async () => {
      const secrets = owned(kinds.Secret);
      const counts: number[] = [];
      const owner = await parent('owner');
      await using _ = await running({
        sources: [secrets],
        reconcile: (object, { cache }) => void counts.push(cache(secrets).ownedBy(object).length),
      });
      await expect.poll(() => counts.at(-1)).toBe(0);
      await child('one', owner);
      await expect.poll(() => counts.at(-1)).toBe(1);
      await child('two', owner);
      await expect.poll(() => counts.at(-1)).toBe(2);
      await client.delete(kinds.Secret, { namespace, name: 'one' });
      await expect.poll(() => counts.at(-1)).toBe(1);
    });

    it('reconciles the keys of a mapped object, before and after the change', async () => {
      await parent('a');
      await parent('b');
      const seen: string[] = [];
      const secrets = mapped(kinds.Secret, ({ metadata }) => {
        const name = metadata.labels?.['for'];
        return name ? [`${metadata.namespace}/${name}`] : [];
      });
      await using _ = await running({
        sources: [secrets],
        reconcile: ({ metadata }) => void seen.push(metadata.name ?? ''),
      });
      await expect.poll(() => seen.toSorted()).toEqual(['a', 'b']);
      const secret = await client.create(kinds.Secret, { metadata: { namespace, name: 's', labels: { for: 'a' } } });
      await expect.poll(() => seen.slice(2)).toEqual(['a']);
      await client.update(kinds.Secret, { ...secret, metadata: { ...secret.metadata, labels: { for: 'b' } } });
      await expect.poll(() => seen.slice(3).toSorted()).toEqual(['a', 'b']);
    });

    it('does not reconcile for changes of objects that are only cached', async () => {
      await parent('a');
      const secrets = cached(kinds.Secret, { namespace });
      const nudges = new Channel('nudge');
      const counts: number[] = [];
      await using _ = await running({
        sources: [secrets, nudges],
        reconcile: (_object, { cache }) => void counts.push(cache(secrets).list(namespace).length),
      });
      await expect.poll(() => counts).toEqual([0]);
      await client.create(kinds.Secret, { metadata: { namespace, name: 's' } });
      await sleep(systemClock, 100);
      expect(counts).toEqual([0]);
      nudges.send(`${namespace}/a`);
      await expect.poll(() => counts).toEqual([0, 1]);
    });

    it('knows all causes of a reconcile', async () => {
      const owner = await parent('owner');
      const secrets = owned(kinds.Secret);
      const causes: string[] = [];
      let block = new Promise<void>(() => undefined);
      let release = () => {};
      const hold = () => {
        block = new Promise((resolve) => {
          release = resolve;
        });
      };
      hold();
      await using manager = await running({
        sources: [secrets],
        async reconcile(_object, context) {
          causes.push(...context.causes.causes.map(({ kind, object, change: what }) => `${kind} ${object} ${what}`));
          await block;
        },
      });
      await expect.poll(() => causes).toEqual([`ConfigMap ${namespace}/owner added`]);
      await child('one', owner);
      await child('two', owner);
      await change('owner', { a: '1' });
      const informers = [...manager.informers.of(kinds.ConfigMap)];
      await expect
        .poll(() => (informers[0]?.store.get(`${namespace}/owner`) as ConfigMap | undefined)?.data?.['a'])
        .toBe('1');
      causes.length = 0;
      release();
      await expect
        .poll(() => causes.toSorted())
        .toEqual([
          `ConfigMap ${namespace}/owner modified`,
          `Secret ${namespace}/one added`,
          `Secret ${namespace}/two added`,
        ]);
      expect(manager.explain('ConfigMap', `${namespace}/owner`).at(-1)).toMatchObject({ controller: 'parents' });
    });

    it('never sees a cache older than what it wrote itself', async () => {
      await parent('a');
      const lags: string[] = [];
      let written: string | undefined;
      let rounds = 0;
      await using _ = await running({
        async reconcile(object, { client: own, namespace: ns = '', name }: ReconcileContext) {
          if (written !== undefined && object.data?.['round'] !== written)
            lags.push(`wrote ${written}, saw ${object.data?.['round']}`);
          if (rounds++ >= 20) return;
          written = String(rounds);
          await own.apply(kinds.ConfigMap, { metadata: { namespace: ns, name }, data: { round: written } });
        },
      });
      await expect.poll(() => rounds).toBeGreaterThan(20);
      expect(lags).toEqual([]);
    });

    it('writes its finalizer before anything else, and cleans up before the object goes', async () => {
      const log: string[] = [];
      let ready = false;
      await using _ = await running({
        finalizer: {
          name: 'example.com/cleanup',
          cleanup: (object) => {
            log.push(`clean ${object.metadata.name}`);
            if (!ready) throw new Error('not yet');
          },
        },
        reconcile: ({ metadata }) => void log.push(`work ${metadata.finalizers?.join() ?? 'without finalizer'}`),
        gone: (key) => void log.push(`gone ${key.split('/')[1]}`),
      });
      await parent('a', { finalizers: ['example.com/other'] });
      await expect.poll(() => log).toContain('work example.com/other,example.com/cleanup');
      expect(log).not.toContain('work without finalizer');
      await client.delete(kinds.ConfigMap, { namespace, name: 'a' });
      await expect.poll(() => log.filter((line) => line === 'clean a').length).toBeGreaterThan(2);
      ready = true;
      const left = () => client.get(kinds.ConfigMap, { namespace, name: 'a' }).then((o) => o.metadata.finalizers);
      await expect.poll(left).toEqual(['example.com/other']);
      await client.patch(
        kinds.ConfigMap,
        { namespace, name: 'a' },
        {
          contentType: 'application/merge-patch+json',
          body: { metadata: { finalizers: null } },
        },
      );
      await expect.poll(() => log.at(-1)).toBe('gone a');
    });
  });

  describe('the status', () => {
    it('is written through its subresource, only when it changes, and never over a newer object', async () => {
      const made = await client.create(kinds.Namespace, { metadata: { name: `${namespace}-status` } });
      await using manager = new Manager(client);
      const wrote: boolean[] = [];
      const condition = {
        type: 'Checked',
        status: 'True',
        reason: 'Test',
        message: 'reconciled',
        lastTransitionTime: '2026-01-01T00:00:00Z',
      };
      manager.add(
        defineController({
          name: 'namespaces',
          kind: kinds.Namespace,
          fieldSelector: `metadata.name=${made.metadata.name}`,
          async reconcile(object, { writeStatus }) {
            wrote.push(await writeStatus(object, { ...object.status, conditions: [condition] } as never));
          },
        }),
      );
      manager.start();
      await expect.poll(() => wrote).toEqual([true, false]);
      const after = await client.get(kinds.Namespace, { name: made.metadata.name ?? '' });
      expect(after.status).toMatchObject({ phase: 'Active', conditions: [condition] });
    });
  });
}
