import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SegmentJournal } from './journal/segment-journal.ts';
import { RevisionStore } from './revision-store.ts';
import { line, object, storageCases } from './storage.cases.ts';

storageCases('storage in memory', async () => {
  const storage = new RevisionStore();
  return { storage, dispose: () => storage.close() };
});

storageCases('storage on a journal', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tektite-storage-'));
  const open = async () => new RevisionStore({ journal: await SegmentJournal.open(folder) });
  let storage = await open();
  return {
    storage,
    reopen: async () => {
      await storage.close();
      return (storage = await open());
    },
    dispose: async () => {
      await storage.close().catch(() => {});
      await rm(folder, { recursive: true, force: true });
    },
  };
});

const key = '/registry/configmaps/default/a';

describe('the recent past', () => {
  it('is kept for as many revisions as asked, and cut now and then', async () => {
    const storage = new RevisionStore({ keepRevisions: 100 });
    for (let i = 0; i < 5000; i++) await storage.write(key, storage.latest(key)?.revision ?? 0, object('a'));
    expect(storage.compactedRevision).toBeGreaterThan(5000 - 100 - 2000);
    expect(storage.compactedRevision).toBeLessThanOrEqual(5000 - 100);
    const seen: string[] = [];
    using _ = storage.watch('/registry/configmaps/', 4990, (event) => seen.push(line(event)));
    expect(seen).toHaveLength(10);
    expect(() => storage.watch('/registry/configmaps/', 1, () => {})).toThrow('compacted');
  });

  it('is cut under a watcher that replays it and writes meanwhile, without a gap', async () => {
    const storage = new RevisionStore({ keepRevisions: 10 });
    for (let i = 0; i < 1000; i++) await storage.write(key, storage.latest(key)?.revision ?? 0, object('a'));
    const revisions: number[] = [];
    using _ = storage.watch('/registry/configmaps/', 0, ({ revision }) => {
      revisions.push(revision);
      if (revision <= 1000) void storage.write(key, storage.latest(key)?.revision ?? 0, object('a'));
    });
    expect(storage.compactedRevision).toBeGreaterThan(0);
    expect(revisions).toEqual(Array.from({ length: 2000 }, (_, i) => i + 1));
  });
});

describe('the cost of a write', () => {
  it('does not grow with the number of objects', async () => {
    const measure = async (count: number) => {
      const storage = new RevisionStore();
      for (let i = 0; i < count; i++)
        await storage.write(`/registry/configmaps/n${i % 50}/${(i * 7919) % count}-${i}`, 0, object(`o${i}`));
      const start = process.cpuUsage();
      for (let i = 0; i < 3000; i++) await storage.write(`/registry/configmaps/new/${i}`, 0, object('o'));
      return process.cpuUsage(start).user / 1000;
    };
    await measure(1000);
    const [small, large] = [await measure(1000), await measure(40_000)];
    expect(large).toBeLessThan(small * 8 + 20);
  });
});
