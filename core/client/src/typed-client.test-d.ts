import type { KubeList } from '@tektite/meta';
import { defineKind, type ObjectOf, s } from '@tektite/schema';
import { expectTypeOf } from 'expect-type';
import type { Client } from './client.ts';
import { typedClient } from './typed-client.ts';

declare const client: Client;

const Memcached = defineKind({
  group: 'cache.example.com',
  version: 'v1',
  kind: 'Memcached',
  fields: { spec: s.object({ size: s.integer() }) },
});
type Memcached = ObjectOf<typeof Memcached>;

/** Type tests; nothing here runs. */
export async function promises(): Promise<void> {
  const caches = typedClient(client, Memcached, 'team-a');
  expectTypeOf(await caches.get('a')).toEqualTypeOf<Memcached>();
  expectTypeOf(await caches.list()).toEqualTypeOf<KubeList<Memcached>>();
  for await (const cache of caches.listAll()) expectTypeOf(cache.spec.size).toEqualTypeOf<number>();
  for await (const event of caches.follow())
    if (event.type === 'added') expectTypeOf(event.object).toEqualTypeOf<Memcached>();
  await caches.apply({ metadata: { name: 'a' }, spec: {} });
  // @ts-expect-error a Memcached needs a spec
  await caches.create({ metadata: { name: 'a' } });
  // @ts-expect-error size is a number
  await caches.apply({ metadata: { name: 'a' }, spec: { size: '3' } });
}
