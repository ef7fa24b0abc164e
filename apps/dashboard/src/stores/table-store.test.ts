import { kinds, mergePatch } from '@tektite/client';
import { systemClock } from '@tektite/meta';
import { startControlPlane } from '@tektite/testkit';
import { expect, it } from 'vitest';
import { transportApi } from '../test-support.ts';
import { TableStore } from './table-store.ts';

const configMaps = { group: '', version: 'v1', plural: 'configmaps' };

it('shows objects as the server prints them, page by page, and their changes', { timeout: 60_000 }, async () => {
  await using plane = await startControlPlane();
  await plane.client.create(kinds.Namespace, { metadata: { name: 'many' } });
  const make = (name: string) =>
    plane.client.create(kinds.ConfigMap, { metadata: { namespace: 'many', name }, data: {} });
  for (let start = 0; start < 1200; start += 100)
    await Promise.all(Array.from({ length: 100 }, (_, index) => make(`m${1000 + start + index}`)));
  const api = transportApi(plane.transport());
  const store = new TableStore(configMaps, 'many', { api, clock: systemClock });
  const rows = () => store.table.value?.rows ?? [];
  await expect.poll(() => rows().length).toBe(500);
  expect(store.table.value?.remaining).toBe(700);
  await store.more();
  await store.more();
  expect(rows().length).toBe(1200);
  expect(store.table.value?.next).toBe('');
  const key = { namespace: 'many', name: 'm1001' };
  await plane.client.patch(kinds.ConfigMap, key, mergePatch({ data: { a: '1', b: '2' } }));
  await expect.poll(() => rows()[1]?.cells[1], { timeout: 10_000 }).toBe('2');
  await plane.client.delete(kinds.ConfigMap, key);
  await make('a-new-one');
  await expect.poll(() => rows()[0]?.name, { timeout: 10_000 }).toBe('a-new-one');
  await expect.poll(() => rows().length, { timeout: 10_000 }).toBe(1200);
  store.stop();
});
