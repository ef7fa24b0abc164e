import { expect, it } from 'vitest';
import { RevisionStore } from './revision-store.ts';

const object = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });

it('a list of everything is read once until one of its keys changes', async () => {
  const store = new RevisionStore();
  await store.write('/a/x/1', 0, object('1'));
  const first = store.list('/a/');
  await store.write('/b/x/1', 0, object('other'));
  const second = store.list('/a/');
  expect(second.entries).toBe(first.entries);
  expect([first.revision, second.revision]).toEqual([1, 2]);
  await store.write('/a/x/2', 0, object('2'));
  expect(store.list('/a/').entries.map(({ key }) => key)).toEqual(['/a/x/1', '/a/x/2']);
  await store.write('/a/x/1', 1, undefined);
  expect(store.list('/a/').entries.map(({ key }) => key)).toEqual(['/a/x/2']);
  expect(first.entries.map(({ key }) => key)).toEqual(['/a/x/1']);
  await store.close();
});
