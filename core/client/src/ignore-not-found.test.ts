import { isStatusError } from '@tektite/meta';
import { startControlPlane } from '@tektite/testkit';
import { expect, test } from 'vitest';
import { ignoreNotFound } from './ignore-not-found.ts';
import { kinds } from './kinds.ts';

const key = { namespace: 'default', name: 'settings' };

test('an object that does not exist is undefined, and one that exists is returned', async () => {
  await using plane = await startControlPlane();
  expect(await plane.client.getOrUndefined(kinds.ConfigMap, key)).toBeUndefined();
  await plane.client.create(kinds.ConfigMap, { metadata: key, data: { a: '1' } });
  expect((await plane.client.getOrUndefined(kinds.ConfigMap, key))?.data).toEqual({ a: '1' });
});

test('deleting an object that does not exist is no error, and every other failure is one', async () => {
  await using plane = await startControlPlane();
  expect(await plane.client.delete(kinds.ConfigMap, key).catch(ignoreNotFound)).toBeUndefined();
  const jane = plane.clientFor({ name: 'jane', groups: [] });
  const denied = jane.delete(kinds.ConfigMap, key).catch(ignoreNotFound);
  await expect(denied).rejects.toSatisfy((error) => isStatusError(error, 'Forbidden'));
});
