import { expect, it } from 'vitest';
import { TestServer } from '../test-support.ts';

const path = '/api/v1/namespaces/default/configmaps';
const config = (resourceVersion: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: `c${resourceVersion}`, resourceVersion },
});

it('refuses a resourceVersion of a new object, and takes 0 for none', async () => {
  await using server = await TestServer.start();
  expect(await server.send('POST', path, config('5'))).toMatchObject({
    code: 500,
    object: { message: 'resourceVersion should not be set on objects to be created' },
  });
  const { metadata } = await server.ok('POST', path, config('0'));
  expect(Number(metadata.resourceVersion)).toBeGreaterThan(0);
});

it('accepts a resourceVersion in a dry run, which never gets to the storage', async () => {
  await using server = await TestServer.start();
  const { metadata } = await server.ok('POST', `${path}?dryRun=All`, config('5'));
  expect(metadata.resourceVersion).toBe('5');
  const plain = await server.ok('POST', `${path}?dryRun=All`, { ...config(''), metadata: { name: 'x' } });
  expect(plain.metadata).not.toHaveProperty('resourceVersion');
});
