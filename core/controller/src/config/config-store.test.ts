import { kinds } from '@tektite/client';
import { seededRandom } from '@tektite/meta';
import { faultyTransport, startControlPlane, virtualClock } from '@tektite/testkit';
import { expect, test } from 'vitest';
import { integerField } from './config-fields.ts';
import { configStoreCases } from './config-store.cases.ts';
import { ConfigStore } from './config-store.ts';
import { configKey, defineConfig } from './define-config.ts';

configStoreCases('on the embedded server', () => startControlPlane());

const flags = defineConfig({ name: 'feature-flags', keys: { retries: configKey('retries', integerField(), 3) } });

test('typed ConfigMaps end with the signal of a waiter, and leave nothing behind', async () => {
  const clock = virtualClock();
  const quiet = await startControlPlane({ clock });
  const store = new ConfigStore(quiet.client, {
    namespace: 'default',
    definitions: [flags],
    required: ['feature-flags'],
  }).start();
  const gaveUp = store.synced(AbortSignal.abort(new Error('enough')));
  await expect(gaveUp).rejects.toThrow('enough');
  const waiting = store.synced();
  await store.stop();
  await expect(waiting).rejects.toMatchObject({ code: 'INFORMER_STOPPED' });
  await quiet.close();
  expect(clock.pendingTimers).toBe(0);
});

test('a watch that expires is no error of a setting', async () => {
  const clock = virtualClock();
  await using plane = await startControlPlane({ clock });
  const transport = faultyTransport(plane.transport(), { clock, random: seededRandom(1), rates: { expire: 1 } });
  const errors: Error[] = [];
  const onError = (error: Error) => void errors.push(error);
  await using store = new ConfigStore(plane.clientFor(transport), {
    namespace: 'default',
    definitions: [flags],
    onError,
    onWatchError: onError,
  }).start();
  await clock.until(store.synced());
  await plane.client.create(kinds.ConfigMap, {
    metadata: { namespace: 'default', name: 'feature-flags' },
    data: { retries: '7' },
  });
  await clock.advance(60_000);
  expect(transport.faults).not.toEqual([]);
  expect(store.get(flags)).toEqual({ retries: 7 });
  expect(errors).toEqual([]);
});
