import { virtualClock } from '@tektite/testkit';
import { expect, it } from 'vitest';
import { ResolverCache, usesCache } from './resolver-cache.ts';
import type { Resolver, ResolverRequest } from './resolver.ts';

const resolver: Resolver = {
  type: 'test',
  name: 'Test',
  configName: 'c',
  defaultConfig: {},
  validate() {},
  resolve: () => Promise.reject(new Error('not used')),
  isImmutable: ({ params }) => params.get('revision') === 'fixed',
};

function request(params: Record<string, string>, namespace = 'n', config = {}): ResolverRequest {
  const list = Object.entries(params).map(([name, value]) => ({ name, value }));
  return { namespace, spec: { params: list }, params: new Map(Object.entries(params)), config };
}

/** A place that counts how often it is asked. */
function counted() {
  let asked = 0;
  const resolve = () => Promise.resolve({ data: Buffer.from(String(++asked)) });
  return { resolve, asked: () => asked };
}

it.each([
  [{}, {}, false],
  [{ revision: 'fixed' }, {}, true],
  [{ revision: 'fixed', cache: 'never' }, {}, false],
  [{ cache: 'always' }, {}, true],
  [{}, { 'default-cache-mode': 'always' }, true],
  [{ cache: 'auto' }, { 'default-cache-mode': 'always' }, false],
])('a request with %j and settings %j uses the cache: %s', (params, config, isUsed) => {
  expect(usesCache(resolver, request(params, 'n', config))).toBe(isUsed);
});

it('an answer is kept for its time, whatever the order of the parameters and the mode', async () => {
  const clock = virtualClock();
  const cache = new ResolverCache();
  const { resolve, asked } = counted();
  const get = (params: Record<string, string>) => cache.get(resolver, request(params), { ttl: '1m' }, clock, resolve);
  const operation = 'resolution.tekton.dev/cache-operation';
  expect((await get({ a: '1', b: '2' })).annotations?.[operation]).toBe('store');
  expect((await get({ b: '2', a: '1', cache: 'always' })).annotations?.[operation]).toBe('retrieve');
  await clock.advance(61_000);
  expect((await get({ a: '1', b: '2' })).annotations?.[operation]).toBe('store');
  expect(asked()).toBe(2);
});

it('what one namespace got is not for another', async () => {
  const clock = virtualClock();
  const cache = new ResolverCache();
  const { resolve, asked } = counted();
  for (const namespace of ['a', 'b']) await cache.get(resolver, request({}, namespace), {}, clock, resolve);
  expect(asked()).toBe(2);
});

it('those who ask at the same time wait for one answer', async () => {
  const { resolve, asked } = counted();
  const cache = new ResolverCache();
  const clock = virtualClock();
  await Promise.all([1, 2, 3].map(() => cache.get(resolver, request({}), {}, clock, resolve)));
  expect(asked()).toBe(1);
});

it('an error is not kept', async () => {
  const cache = new ResolverCache();
  const clock = virtualClock();
  const get = (resolve: () => Promise<{ data: Uint8Array }>) => cache.get(resolver, request({}), {}, clock, resolve);
  await expect(get(() => Promise.reject(new Error('down')))).rejects.toThrow('down');
  expect((await get(() => Promise.resolve({ data: Buffer.from('x') }))).data.toString()).toBe('x');
});

it('what was not used for the longest time goes first', async () => {
  const cache = new ResolverCache();
  const clock = virtualClock();
  const { resolve, asked } = counted();
  const get = (key: string) => cache.get(resolver, request({ key }), { 'max-size': '2' }, clock, resolve);
  for (const key of ['a', 'b', 'a', 'c', 'a']) await get(key);
  expect(asked()).toBe(3);
  await get('b');
  expect(asked()).toBe(4);
});
