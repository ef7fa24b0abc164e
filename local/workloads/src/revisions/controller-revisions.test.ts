import { kinds } from '@tektite/client';
import { expect, it } from 'vitest';
import { template, testCluster } from '../test-support.ts';
import { statefulSetNaming } from './controller-revisions.ts';

const spec = { selector: { matchLabels: { app: 'web' } }, template: template('web') };
const at = { namespace: 'default', name: 'web' };

it('labels the revision of a DaemonSet as the Pods that it made', async () => {
  await using cluster = await testCluster();
  const { client } = cluster;
  await client.create(kinds.DaemonSet, { metadata: at, spec });
  await cluster.settle();
  const [revision] = (await client.list(kinds.ControllerRevision)).items;
  const [pod] = (await client.list(kinds.Pod)).items;
  const hash = pod?.metadata.labels?.['controller-revision-hash'];
  expect(hash).toBeTruthy();
  expect(revision?.metadata).toMatchObject({
    name: `web-${hash}`,
    labels: { app: 'web', 'controller-revision-hash': hash },
  });
  expect(revision?.metadata.labels).not.toHaveProperty(statefulSetNaming.label);
});

it.each(['DaemonSet', 'StatefulSet'] as const)(
  'gives the revision of a %s another name where one that says something else has its name',
  async (kind) => {
    await using cluster = await testCluster();
    const { client } = cluster;
    const owner = { metadata: at, spec: kind === 'DaemonSet' ? spec : { ...spec, serviceName: 'web' } };
    const names = async () => (await client.list(kinds.ControllerRevision)).items.map(({ metadata }) => metadata.name);
    const ownerKind = kinds[kind] as typeof kinds.DaemonSet;
    await client.create(ownerKind, owner);
    await cluster.settle();
    const [name = ''] = await names();
    await client.delete(ownerKind, at);
    await cluster.settle(60_000);
    expect(await names()).toEqual([]);
    await client.create(kinds.ControllerRevision, {
      metadata: { namespace: 'default', name },
      data: { spec: {} },
      revision: 1,
    });
    await client.create(ownerKind, owner);
    await cluster.settle(60_000);
    expect(await names()).toHaveLength(2);
    expect((await client.get(ownerKind, at)).status?.collisionCount).toBe(1);
  },
);

it('names the revision of a StatefulSet by the bytes that Go would store', async () => {
  await using cluster = await testCluster();
  const { client } = cluster;
  await client.create(kinds.StatefulSet, { metadata: at, spec: { ...spec, serviceName: 'web' } });
  await cluster.settle();
  const [revision] = (await client.list(kinds.ControllerRevision)).items;
  const stored = (revision?.data as { spec: { template: object } } | undefined)?.spec.template;
  expect(Object.keys(stored ?? {})).toEqual(['$patch', 'metadata', 'spec']);
  expect(revision?.metadata.name).toBe(`web-${revision?.metadata.labels?.[statefulSetNaming.label]}`);
});

it('hashes by FNV-1 with the collision count in digits', () => {
  // The definition of FNV-1 with exact integers: offset, multiply, combine.
  const byHand = [...Buffer.from('10')].reduce(
    (hash, byte) => Number((BigInt(hash) * 0x01000193n) & 0xffffffffn) ^ byte,
    0x811c9dc5,
  );
  const digits = String(byHand >>> 0);
  const alphabet = 'bcdfghjklmnpqrstvwxz2456789';
  const expected = [...digits].map((digit) => alphabet[digit.charCodeAt(0) % alphabet.length]).join('');
  const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: {} };
  expect(statefulSetNaming.hashOf(owner, 1)).toBe(expected);
});
