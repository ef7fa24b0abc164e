import type { DynamicObject, KubeList } from '@tektite/meta';
import { defineKind, s } from '@tektite/schema';
import type { Pod, Scale } from '@tektite/schema/kubernetes';
import { expectTypeOf } from 'expect-type';
import type { Client } from './client.ts';
import { kinds } from './kinds.ts';
import { resilientWatch } from './watch/resilient-watch.ts';

declare const client: Client;
const key = { namespace: 'default', name: 'a' };

const Memcached = defineKind({
  group: 'cache.example.com',
  version: 'v1',
  kind: 'Memcached',
  fields: { spec: s.object({ size: s.integer() }) },
});

/** Type tests; nothing here runs. */
export async function promises(): Promise<void> {
  // Kinds give their objects.
  expectTypeOf(await client.get(kinds.Pod, key)).toEqualTypeOf<Pod>();
  expectTypeOf(await client.list(kinds.Pod)).toEqualTypeOf<KubeList<Pod>>();
  expectTypeOf((await client.get(Memcached, key)).spec.size).toEqualTypeOf<number>();

  // Times are strings on the wire.
  const pod = await client.get(kinds.Pod, key);
  expectTypeOf(pod.status?.startTime).toEqualTypeOf<string | undefined>();
  expectTypeOf(pod.metadata.deletionTimestamp).toEqualTypeOf<string | undefined>();

  // Names give objects of which only the wire form is known.
  expectTypeOf(await client.get({ apiVersion: 'v1', kind: 'Pod' }, key)).toEqualTypeOf<DynamicObject>();
  expectTypeOf((await client.get({ apiVersion: 'v1', kind: 'Pod' }, key)).spec).toEqualTypeOf<unknown>();

  // A created object may omit its kind, and an applied one any field, but neither may have wrong fields.
  expectTypeOf(await client.create(kinds.Pod, { metadata: key })).toEqualTypeOf<Pod>();
  await client.apply(kinds.Deployment, { metadata: key, spec: { replicas: 2 } });
  await client.apply(kinds.Deployment, {
    metadata: key,
    spec: { template: { spec: { containers: [{ name: 'a' }] } } },
  });
  // @ts-expect-error replicas is a number
  await client.apply(kinds.Deployment, { metadata: key, spec: { replicas: '2' } });
  // @ts-expect-error a Memcached needs a spec
  await client.create(Memcached, { metadata: key });
  // @ts-expect-error what is applied needs a name
  await client.apply(kinds.ConfigMap, { metadata: { namespace: 'default' } });

  expectTypeOf(await client.scale(kinds.Deployment, key, 3)).toEqualTypeOf<Scale>();

  for await (const item of client.listAll(kinds.Pod)) expectTypeOf(item).toEqualTypeOf<Pod>();
  for await (const event of await client.watch(kinds.Pod))
    if (event.type === 'ADDED') expectTypeOf(event.object).toEqualTypeOf<Pod>();
  for await (const event of resilientWatch(client, kinds.Pod))
    if (event.type === 'deleted') expectTypeOf(event.object).toEqualTypeOf<Pod>();
}
