import { kinds } from '@tektite/client';
import { startControlPlane } from '@tektite/testkit';
import { describe, expect, it } from 'vitest';
import { applyManifest } from '../apply/apply-manifest.ts';
import { configMap, manifestOf } from '../test-support.ts';
import { listRevisions, readRevision, recordRevision, revisionManifest } from './history.ts';

const set = { name: 'app', namespace: 'default' };
const record = { summary: 'test' };

describe('the history of a set', () => {
  it('has what was applied, and the same again is nothing new', async () => {
    await using plane = await startControlPlane();
    const { client } = plane;
    const first = manifestOf(configMap('a'));
    expect(await recordRevision(client, set, first, record)).toBe(1);
    expect(await recordRevision(client, set, first, record)).toBe(1);
    expect(await recordRevision(client, set, manifestOf(configMap('a', { a: '2' })), record)).toBe(2);
    expect((await listRevisions(client, set)).map(({ revision }) => revision)).toEqual([1, 2]);
    expect((await readRevision(client, set)).manifest.objects).toEqual(first.objects);
    await expect(readRevision(client, set, 7)).rejects.toMatchObject({ code: 'HISTORY' });
  });

  it('keeps the last revisions only, and never a number twice', async () => {
    await using plane = await startControlPlane();
    const { client } = plane;
    for (let number = 1; number <= 6; number++)
      await recordRevision(client, set, manifestOf(configMap('a', { a: String(number) })), { ...record, keep: 3 });
    expect((await listRevisions(client, set)).map(({ revision }) => revision)).toEqual([4, 5, 6]);
    const left = await client.list(kinds.ConfigMap, { namespace: 'default', labelSelector: 'tektite.dev/history-of' });
    expect(left.items).toHaveLength(3);
  });

  it('keeps no values of Secrets; an earlier revision gets those of today', async () => {
    await using plane = await startControlPlane();
    const { client } = plane;
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'login', namespace: 'default' },
      stringData: { password: 'hunter2' },
    };
    await recordRevision(client, set, manifestOf(secret), record);
    const { manifest } = await readRevision(client, set, 1);
    expect(JSON.stringify(manifest.objects)).not.toContain('hunter2');
    await expect(revisionManifest(client, manifest, 'default')).rejects.toMatchObject({
      details: { missing: ['secret default/login'] },
    });
    await applyManifest(client, manifestOf({ ...secret, stringData: { password: 'new' } }));
    const again = await revisionManifest(client, manifest, 'default');
    expect(again.objects[0]?.data).toEqual({ password: Buffer.from('new').toString('base64') });
  });

  it('splits what is larger than an object may be', async () => {
    await using plane = await startControlPlane();
    const { client } = plane;
    // Random text does not pack well.
    const noise = () =>
      Array.from({ length: 40_000 }, () => Math.floor(client.random.next() * 2 ** 32).toString(36)).join('');
    const large = manifestOf(
      ...Array.from({ length: 5 }, (_, index) => configMap(`large-${index}`, { noise: noise() })),
    );
    await recordRevision(client, set, large, record);
    expect((await readRevision(client, set, 1)).manifest.objects).toEqual(large.objects);
    const parts = await client.list(kinds.ConfigMap, { namespace: 'default', labelSelector: 'tektite.dev/revision=1' });
    expect(parts.items.length).toBeGreaterThan(1);
  });
});
