import { type Client, kinds, mergePatch } from '@tektite/client';
import type { Cluster } from '@tektite/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { isControllerError } from '../controller-error.ts';
import { ConfigStore, type ConfigStoreOptions } from './config-store.ts';
import { enumField, integerField } from './config-fields.ts';
import { configKey, customConfig, defineConfig } from './define-config.ts';

const flags = defineConfig({
  name: 'feature-flags',
  keys: {
    api: configKey('enable-api-fields', enumField('alpha', 'beta', 'stable'), 'beta'),
    retries: configKey('retries', integerField({ minimum: 0 }), 3),
  },
});
const limits = defineConfig({ name: 'limits', keys: { pods: configKey('pods', integerField(), 10) } });

/** Cases of typed ConfigMaps, on any server. */
export function configStoreCases(place: string, start: () => Promise<Cluster>): void {
  describe(`typed ConfigMaps ${place}`, { timeout: 60_000 }, () => {
    let cluster: Cluster;
    let client: Client;
    let namespace: string;
    let count = 0;
    const eventually = <T>(work: () => T | Promise<T>) => vi.waitFor(work, { timeout: 10_000 });
    let delivered: { reason: string; message: string; type?: string | undefined; about: string | undefined }[];
    const errors: Error[] = [];

    beforeAll(async () => {
      cluster = await start();
      ({ client } = cluster);
    }, 120_000);

    afterAll(async () => {
      await cluster.close();
    });

    beforeEach(async () => {
      namespace = `config-${++count}`;
      await client.create(kinds.Namespace, { metadata: { name: namespace } });
      delivered = [];
      errors.length = 0;
    });

    function open(options: Partial<ConfigStoreOptions> = {}): ConfigStore {
      return new ConfigStore(client, {
        namespace,
        definitions: [flags],
        events: {
          event: (about, { reason, message, type }) =>
            delivered.push({ reason, message, type, about: about.metadata.name }),
        },
        onError: (error) => errors.push(error),
        ...options,
      }).start();
    }

    const set = (data: Record<string, string | null>, name = 'feature-flags') =>
      client.patch(kinds.ConfigMap, { namespace, name }, mergePatch({ data }));
    const create = (data: Record<string, string>, name = 'feature-flags') =>
      client.create(kinds.ConfigMap, { metadata: { namespace, name }, data });

    test('are read, followed, and delivered to subscribers', async () => {
      await create({ 'enable-api-fields': 'alpha', _example: 'nonsense' });
      await using store = open();
      await store.synced();
      expect(store.get(flags)).toEqual({ api: 'alpha', retries: 3 });
      const seen: unknown[] = [];
      using _ = store.subscribe(flags, (value, before) =>
        seen.push([before.retries, value.retries, store.get(flags).retries]),
      );
      await set({ retries: '5' });
      await eventually(() => expect(seen).toEqual([[3, 5, 5]]));
      expect(store.health().get('feature-flags')).toMatchObject({ state: 'loaded', healthy: true });
    });

    test('keep the last good value when a bad one arrives, and say so', async () => {
      await create({ retries: '5' });
      await using store = open();
      await store.synced();
      const seen = vi.fn();
      using _ = store.subscribe(flags, seen);
      await set({ retries: 'many' });
      await eventually(() => expect(delivered).toHaveLength(1));
      expect(delivered[0]).toEqual({
        about: 'feature-flags',
        type: 'Warning',
        reason: 'InvalidConfiguration',
        message: 'key "retries": "many" is no whole number; the settings from before stay in force',
      });
      expect(store.get(flags).retries).toBe(5);
      expect(seen).not.toHaveBeenCalled();
      expect(isControllerError(errors[0], 'CONFIG_INVALID')).toBe(true);
      expect(store.health().get('feature-flags')).toMatchObject({ state: 'invalid', healthy: false });

      await set({ retries: '6' });
      await eventually(() => expect(store.get(flags).retries).toBe(6));
      expect(seen).toHaveBeenCalledTimes(1);
      expect(delivered[1]).toMatchObject({ type: 'Normal', reason: 'ConfigurationAccepted' });
      expect(store.health().get('feature-flags')).toMatchObject({ state: 'loaded', healthy: true, error: undefined });
    });

    test('have defaults while there is no ConfigMap, and again when it is deleted', async () => {
      await using store = open();
      await store.synced();
      expect(store.get(flags)).toEqual({ api: 'beta', retries: 3 });
      expect(store.health().get('feature-flags')?.state).toBe('defaults');
      await create({ retries: '9' });
      await eventually(() => expect(store.get(flags).retries).toBe(9));
      await client.delete(kinds.ConfigMap, { namespace, name: 'feature-flags' });
      await eventually(() => expect(store.get(flags).retries).toBe(3));
    });

    test('that are required are waited for, and keep their value when they are deleted', async () => {
      await using store = open({ required: ['feature-flags'] });
      await eventually(() => expect(store.health().get('feature-flags')?.state).toBe('missing'));
      expect(() => store.get(flags)).toThrow(expect.objectContaining({ code: 'CONFIG_NOT_READY' }));
      await create({ retries: '9' });
      await store.synced();
      await client.delete(kinds.ConfigMap, { namespace, name: 'feature-flags' });
      await eventually(() => expect(store.health().get('feature-flags')?.state).toBe('missing'));
      expect(store.get(flags).retries).toBe(9);
    });

    test('that are bad from the start give no value until they are corrected', async () => {
      await create({ retries: 'many' });
      await using store = open();
      await eventually(() => expect(delivered).toHaveLength(1));
      expect(delivered[0]?.message).toBe(
        'key "retries": "many" is no whole number; nothing starts before this is corrected',
      );
      expect(() => store.get(flags)).toThrow(
        'the ConfigMap feature-flags has no value yet: ConfigMap feature-flags: key "retries"',
      );
      await set({ retries: '1' });
      await store.synced();
      expect(store.get(flags).retries).toBe(1);
    });

    test('without usable defaults are waited for', async () => {
      const custom = customConfig('custom', ({ url }) => {
        if (!url) throw new Error('url is needed');
        return url;
      });
      await using store = open({ definitions: [custom] });
      await eventually(() => expect(store.health().get('custom')?.error?.message).toContain('url is needed'));
      await create({ url: 'here' }, 'custom');
      await store.synced();
      expect(store.get(custom)).toBe('here');
    });

    test('do not disturb each other, nor do subscribers', async () => {
      await create({ retries: 'many' });
      await create({ pods: '1' }, 'limits');
      await using store = open({ definitions: [flags, limits] });
      const seen = vi.fn();
      await eventually(() => expect(store.get(limits).pods).toBe(1));
      using _first = store.subscribe(limits, () => {
        throw new Error('boom');
      });
      using _second = store.subscribe(limits, seen);
      await set({ pods: '2' }, 'limits');
      await eventually(() => expect(seen).toHaveBeenCalledTimes(1));
      expect(errors.some((error) => isControllerError(error, 'HANDLER_FAILED'))).toBe(true);
      expect(store.get(limits).pods).toBe(2);
    });

    test('notify no subscriber of irrelevant changes', async () => {
      await create({ retries: '1' });
      await using store = open();
      await store.synced();
      const seen = vi.fn();
      using _ = store.subscribe(flags, seen);
      await client.patch(
        kinds.ConfigMap,
        { namespace, name: 'feature-flags' },
        mergePatch({ metadata: { labels: { a: 'b' } }, data: { _example: 'new' } }),
      );
      await set({ retries: '2' });
      await eventually(() => expect(seen).toHaveBeenCalledTimes(1));
    });

    test('of other namespaces and other names are ignored', async () => {
      await client.create(kinds.Namespace, { metadata: { name: `${namespace}-other` } });
      await client.create(kinds.ConfigMap, {
        metadata: { namespace: `${namespace}-other`, name: 'feature-flags' },
        data: { retries: 'many' },
      });
      await create({ retries: 'many' }, 'feature-flags-2');
      await using store = open();
      await store.synced();
      expect(store.get(flags).retries).toBe(3);
    });

    test('cannot be asked for by another definition of the same name', async () => {
      await using store = open();
      const other = defineConfig({ name: 'feature-flags', keys: {} });
      expect(() => store.get(other)).toThrow('is not watched here');
      expect(() => new ConfigStore(client, { namespace, definitions: [flags, other] })).toThrow('twice');
      expect(() => open({ required: ['nothing'] })).toThrow('required but not defined');
    });
  });
}
