import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SegmentJournal } from './journal/segment-journal.ts';
import { DeletedVersion, ObjectVersion } from './object-version.ts';
import { RevisionStore } from './revision-store.ts';
import { object } from './storage.cases.ts';

const key = '/registry/configmaps/default/a';
const value = { ...object('a'), metadata: { name: 'a', resourceVersion: '7' } };

describe('a version that is only kept as JSON', () => {
  it('has the same object again, frozen', () => {
    const version = new ObjectVersion(key, 7, value);
    version.forgetObject();
    expect(version.value).toEqual(value);
    expect(Object.isFrozen(version.value.metadata)).toBe(true);
    expect(version.value).toBe(version.value);
    expect(version.json).toBe(JSON.stringify(value));
  });

  it('can be looked at without being kept', () => {
    const version = new ObjectVersion(key, 7, JSON.stringify(value));
    expect(version.peek()).toEqual(value);
    expect(version.peek()).not.toBe(version.peek());
  });

  it('is the last state of a deleted object, at the revision of the delete', () => {
    const last = new ObjectVersion(key, 7, value);
    const version = new DeletedVersion(key, 9, last);
    last.forgetObject();
    version.forgetObject();
    const deleted = { ...value, metadata: { ...value.metadata, resourceVersion: '9' } };
    expect(version.value).toEqual(deleted);
    expect(JSON.parse(version.json)).toEqual(deleted);
  });
});

it('gives back all objects of a durable store, more than it keeps decoded, before and after a restart', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tektite-versions-'));
  const data = 'x'.repeat(64 * 1024);
  const count = 200;
  const check = (storage: RevisionStore) => {
    const { entries } = storage.list('/registry/configmaps/');
    expect(entries.map((entry) => entry.value.metadata.name)).toEqual(
      Array.from({ length: count }, (_, i) => `c-${1000 + i}`),
    );
    for (const entry of entries) expect(entry.value).toMatchObject({ data: { data } });
  };
  try {
    const storage = new RevisionStore({ journal: await SegmentJournal.open(folder) });
    for (let i = 0; i < count; i++)
      await storage.write(`/registry/configmaps/default/c-${1000 + i}`, 0, object(`c-${1000 + i}`, { data: { data } }));
    check(storage);
    await storage.close();
    const again = new RevisionStore({ journal: await SegmentJournal.open(folder) });
    check(again);
    await again.close();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
