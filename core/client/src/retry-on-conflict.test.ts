import { isStatusError } from '@tektite/meta';
import { startControlPlane } from '@tektite/testkit';
import { expect, test } from 'vitest';
import { mergePatch } from './patch.ts';
import { kinds } from './kinds.ts';
import { retryOnConflict } from './retry-on-conflict.ts';

const key = { namespace: 'default', name: 'counter' };

test('a write that another writer overtook is made again on the newer object', async () => {
  await using plane = await startControlPlane();
  const { client } = plane;
  await client.create(kinds.ConfigMap, { metadata: key, data: { ours: '0' } });
  const written = await retryOnConflict(async (attempt) => {
    const counter = await client.get(kinds.ConfigMap, key);
    if (attempt === 1) await client.patch(kinds.ConfigMap, key, mergePatch({ data: { theirs: '1' } }));
    return client.update(kinds.ConfigMap, { ...counter, data: { ...counter.data, ours: '1' } });
  });
  expect(written.data).toEqual({ ours: '1', theirs: '1' });
});

test('it gives up after its attempts with the last conflict, and at once for other errors', async () => {
  await using plane = await startControlPlane();
  const { client } = plane;
  await client.create(kinds.ConfigMap, { metadata: key });
  let tries = 0;
  const again = retryOnConflict(() => (tries++, client.create(kinds.ConfigMap, { metadata: key })), { attempts: 3 });
  await expect(again).rejects.toSatisfy((error) => isStatusError(error, 'AlreadyExists'));
  expect(tries).toBe(3);
  const missing = retryOnConflict(() => (tries++, client.get(kinds.ConfigMap, { ...key, name: 'none' })));
  await expect(missing).rejects.toSatisfy((error) => isStatusError(error, 'NotFound'));
  expect(tries).toBe(4);
});
