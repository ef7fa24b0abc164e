import { isStatusError } from '@tektite/meta';
import { type ControlPlane, startControlPlane } from '@tektite/testkit';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { kinds } from './kinds.ts';
import { type ExpiredPolicy, snapshotPages } from './list-pages.ts';

let plane: ControlPlane;
const namespace = 'default';
const create = (name: string) => plane.client.create(kinds.ConfigMap, { metadata: { namespace, name } });

beforeEach(async () => {
  plane = await startControlPlane();
  for (const name of ['a', 'b', 'c', 'd', 'e']) await create(name);
});
afterEach(() => plane.close());

/** Reads two pages of two, with the history forgotten and objects changed after the first. */
async function readThroughExpiry(onExpired: ExpiredPolicy): Promise<string[]> {
  const names: string[] = [];
  for await (const { metadata } of plane.client.listAll(kinds.ConfigMap, { namespace, limit: 2, onExpired })) {
    names.push(metadata.name ?? '');
    if (names.length === 2) {
      await create('aa');
      await create('f');
      await plane.client.delete(kinds.ConfigMap, { namespace, name: 'd' });
      await plane.server.storage.compact(plane.server.storage.revision);
    }
  }
  return names;
}

it('goes on in the newest state when the pages expire', async () => {
  expect(await readThroughExpiry('continue')).toEqual(['a', 'b', 'c', 'e', 'f']);
});

it('with restart lists again, without repeating unchanged objects', async () => {
  expect(await readThroughExpiry('restart')).toEqual(['a', 'b', 'aa', 'c', 'e', 'f']);
});

it('with fail throws', async () => {
  await expect(readThroughExpiry('fail')).rejects.toSatisfy((error) => isStatusError(error, 'Expired'));
});

it('gives a snapshot of one moment even when the pages expire', async () => {
  let pages = 0;
  const names: (string | undefined)[] = [];
  let version = '';
  const list: Parameters<typeof snapshotPages>[0] = async (options) => {
    if (++pages === 2) {
      await plane.client.delete(kinds.ConfigMap, { namespace, name: 'a' });
      await plane.server.storage.compact(plane.server.storage.revision);
    }
    return plane.client.list(kinds.ConfigMap, options);
  };
  for await (const { items, first, resourceVersion } of snapshotPages(list, { namespace, limit: 2 })) {
    if (first) names.length = 0;
    names.push(...items.map(({ metadata }) => metadata.name));
    version = resourceVersion;
  }
  expect(names).toEqual(['b', 'c', 'd', 'e']);
  expect(version).toBe(String(plane.server.storage.revision));
});
