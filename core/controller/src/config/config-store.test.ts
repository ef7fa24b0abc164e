import { startControlPlane, virtualClock } from '@tektite/testkit';
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
