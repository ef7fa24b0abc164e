import { mergePatch } from '@tektite/client';
import type { DynamicObject } from '@tektite/meta';
import type { Cluster } from '@tektite/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tektonDialect } from '../dialects/test-support.ts';
import { configMap, TestSet } from '../test-support.ts';
import { ensureParts, isPart, packSet, type PartsRule, readParts, sweepParts } from './set-parts.ts';

const rule: PartsRule = {
  annotation: 'example.com/parts',
  label: 'example.com/part-of',
  objectsOf: (set) => (set.spec as { manifests: readonly DynamicObject[] } | undefined)?.manifests ?? [],
  withObjects: (set, objects) => ({ ...set, spec: { manifests: objects } }),
};

/** Three megabytes: more than etcd takes at once. */
const large = Array.from({ length: 12 }, (_, index) => configMap(`large-${index}`, { text: 'x'.repeat(250_000) }));

/** Cases for every server. */
export function partsCases(where: string, start: () => Promise<Cluster>): void {
  describe(`a set that is too large for one object ${where}`, () => {
    let cluster: Cluster;
    beforeAll(async () => {
      cluster = await start();
      await TestSet.create(cluster.client, tektonDialect, 'defined', []);
    });
    afterAll(() => cluster?.close());
    const kind = { apiVersion: 'example.com/v1', kind: 'Set' };
    const partsOf = async (name: string) =>
      (await cluster.client.list(kind, { labelSelector: `${rule.label}=${name}` })).items;

    it('is written in parts, and read as one', async () => {
      const { client } = cluster;
      const packed = packSet({ ...kind, metadata: { name: 'large' } }, large, rule);
      expect(packed.parts).toHaveLength(3);
      const set = await client.create(packed.set);
      await expect(readParts(client, set, rule)).rejects.toMatchObject({ code: 'PART_MISSING' });
      await ensureParts(client, set, packed.parts, rule);
      expect(await readParts(client, set, rule)).toEqual(large);
      const parts = await partsOf('large');
      expect(parts).toHaveLength(3);
      expect(parts.every((part) => isPart(part, rule)) && !isPart(set, rule)).toBe(true);
      expect(parts[0]?.metadata.ownerReferences?.[0]?.uid).toBe(set.metadata.uid);
    });

    it('is changed without a moment in which it is neither the old nor the new one', async () => {
      const { client } = cluster;
      const before = packSet({ ...kind, metadata: { name: 'changed' } }, large, rule);
      const set = await client.create(before.set);
      await ensureParts(client, set, before.parts, rule);
      const objects = large.slice(0, 7);
      const after = packSet(set, objects, rule);
      await ensureParts(client, set, after.parts, rule);
      // Stopped here, readers still see what was there before.
      expect(await readParts(client, set, rule)).toEqual(large);
      const { annotations } = after.set.metadata;
      const written = await client.patch(
        kind,
        { name: 'changed' },
        mergePatch({ metadata: { annotations }, spec: after.set.spec }),
      );
      expect(await readParts(client, written, rule)).toEqual(objects);
      await sweepParts(client, written, rule);
      expect(await partsOf('changed')).toHaveLength(2);
      expect(await readParts(client, written, rule)).toEqual(objects);
    });
  });
}
