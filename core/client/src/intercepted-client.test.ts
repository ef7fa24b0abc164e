import type { KubeObject } from '@tektite/meta';
import { startControlPlane } from '@tektite/testkit';
import { expect, test } from 'vitest';
import { kinds, mergePatch } from './index.ts';

const key = { namespace: 'default', name: 'a' };
const settings = { metadata: key, data: { a: '1' } };

test('an interceptor sees all requests of the client it was given to, and of no other', async () => {
  await using plane = await startControlPlane();
  const seen: string[] = [];
  const outer = plane.client
    .intercepted({ request: (request, next) => (seen.push(`inner ${request.method}`), next.request(request)) })
    .intercepted({ request: (request, next) => (seen.push(`outer ${request.method}`), next.request(request)) });
  await outer.create(kinds.ConfigMap, settings);
  await outer.patch(kinds.ConfigMap, key, mergePatch({ data: { a: '2' } }));
  await plane.client.get(kinds.ConfigMap, key);
  expect(seen).toEqual(['outer POST', 'inner POST', 'outer PATCH', 'inner PATCH']);
});

test('an interceptor may refuse', async () => {
  await using plane = await startControlPlane();
  const refuse = () => Promise.reject(new Error('not today'));
  await expect(plane.client.intercepted({ request: refuse }).create(kinds.ConfigMap, settings)).rejects.toThrow(
    'not today',
  );
  await expect(plane.client.get(kinds.ConfigMap, key)).rejects.toMatchObject({ code: 404 });
});

test('notifies each interceptor in a row of deletes and watches', async () => {
  await using plane = await startControlPlane();
  const delivered: string[] = [];
  const teller = (name: string) => ({
    watching: () => void delivered.push(`${name} watching`),
    deleted: (_: unknown, { name: object }: { name: string }, answer: Partial<KubeObject>) =>
      void delivered.push(`${name} deleted ${object} ${answer.kind}`),
  });
  const client = plane.client.intercepted(teller('inner')).intercepted(teller('outer'));
  await client.create(kinds.ConfigMap, settings);
  (await client.watch(kinds.ConfigMap, { namespace: 'default' })).close();
  await client.delete(kinds.ConfigMap, key);
  expect(delivered).toEqual(['outer watching', 'inner watching', 'outer deleted a Status', 'inner deleted a Status']);
});
