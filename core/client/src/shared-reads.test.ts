import { startControlPlane } from '@tektite/testkit';
import { expect, test } from 'vitest';
import { type Interceptor, kinds, mergePatch, SharedReads } from './index.ts';

const key = { namespace: 'default', name: 'a' };

async function startCounting() {
  const plane = await startControlPlane();
  await plane.client.create(kinds.ConfigMap, { metadata: key, data: { n: '0' } });
  const count = { gets: 0 };
  const counting: Interceptor = {
    request(request, next) {
      if (request.method === 'GET') count.gets++;
      return next.request(request);
    },
  };
  return { plane, count, client: plane.client.intercepted(counting), reads: new SharedReads() };
}

test('many who ask at the same time share two requests', async () => {
  const { plane, client, count, reads } = await startCounting();
  await using _ = plane;
  const answers = await Promise.all(Array.from({ length: 50 }, () => reads.get(client, kinds.ConfigMap, key)));
  expect(answers.map(({ data }) => data?.['n'])).toEqual(Array.from({ length: 50 }, () => '0'));
  expect(count.gets).toBe(2);
});

test('no caller gets a state from before its request', async () => {
  const { plane, client, reads } = await startCounting();
  await using _ = plane;
  for (let n = 1; n <= 20; n++) {
    const early = reads.get(client, kinds.ConfigMap, key);
    await plane.client.patch(kinds.ConfigMap, key, mergePatch({ data: { n: String(n) } }));
    expect((await reads.get(client, kinds.ConfigMap, key)).data?.['n']).toBe(String(n));
    await early;
  }
});

test('a failure is for those who shared it, and the next try is a new one', async () => {
  const { plane, client, reads } = await startCounting();
  await using _ = plane;
  const gone = { namespace: 'default', name: 'gone' };
  const asked = [reads.get(client, kinds.ConfigMap, gone), reads.get(client, kinds.ConfigMap, gone)];
  expect((await Promise.allSettled(asked)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await plane.client.create(kinds.ConfigMap, { metadata: gone });
  expect((await reads.get(client, kinds.ConfigMap, gone)).metadata.name).toBe('gone');
});
