import { kinds, mergePatch } from '@tektite/client';
import { systemClock } from '@tektite/meta';
import { startControlPlane, virtualClock } from '@tektite/testkit';
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

it('shows a kind that cannot be watched, and asks for no more', async () => {
  await using plane = await startControlPlane();
  const reader = { name: 'reader', groups: [] };
  const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list'] }];
  await plane.client.create(kinds.ClusterRole, { metadata: { name: 'lister' }, rules });
  await plane.client.create(kinds.ClusterRoleBinding, {
    metadata: { name: 'lister' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'lister' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'reader' }],
  });
  await plane.client.create(kinds.ConfigMap, { metadata: { namespace: 'default', name: 'a' } });
  const api = transportApi(plane.transport(reader));
  const clock = virtualClock();
  let lists = 0;
  let ends = 0;
  const counted = {
    ...api,
    get: ((...request) => (lists++, api.get(...request))) as typeof api.get,
    stream: ((path, each) =>
      api.stream(path, { ...each, onEnd: (status) => (ends++, each.onEnd(status)) })) as typeof api.stream,
  };
  const store = new TableStore(configMaps, 'default', { api: counted, clock });
  await expect.poll(() => store.table.value?.rows.some(({ name }) => name === 'a')).toBe(true);
  await expect.poll(() => ends).toBe(1);
  await clock.advance(10_000);
  expect(lists).toBe(1);
  store.stop();
});
