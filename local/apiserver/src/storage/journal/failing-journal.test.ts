import { seededRandom } from '@tektite/meta';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RevisionStore } from '../revision-store.ts';
import { line, object } from '../storage.cases.ts';
import type { CompactionState, DroppedRecord, Journal, JournalReader, JournalRecord } from './journal.ts';

/**
 * A journal that fails by a seed, as one on a full disk would. Not the real one, because a disk that is full at a chosen
 * moment cannot be had in a test; segment-journal.test.ts has a real full disk.
 */
class UnreliableJournal implements Journal {
  readonly kept: JournalRecord[] = [];
  readonly problem: undefined;
  appends = 0;
  private compacted = 0;
  private running = 0;
  private readonly fails: () => boolean;
  private readonly failsToCompact: () => boolean;

  constructor(fails: () => boolean, failsToCompact: () => boolean = fails) {
    this.fails = fails;
    this.failsToCompact = failsToCompact;
  }

  load(reader: JournalReader): number {
    reader.compacted(this.compacted);
    for (const record of this.kept) reader.record(record, 100);
    return this.kept.at(-1)?.revision ?? 0;
  }

  async append(records: readonly JournalRecord[]): Promise<readonly number[]> {
    this.appends++;
    expect(++this.running).toBe(1);
    await new Promise((resolve) => setImmediate(resolve));
    this.running--;
    if (this.fails()) throw new Error('no space left on device');
    this.kept.push(...records);
    return records.map(() => 100);
  }

  async compact(dropped: readonly DroppedRecord[], { compactedRevision }: CompactionState): Promise<void> {
    await Promise.resolve();
    if (this.failsToCompact()) throw new Error('no space left on device');
    this.compacted = compactedRevision;
    for (const { revision } of dropped)
      this.kept.splice(
        this.kept.findIndex((kept) => kept.revision === revision),
        1,
      );
  }

  async makeRoom(): Promise<void> {}

  async close(): Promise<void> {}
}

const a = '/registry/configmaps/default/a';
const b = '/registry/configmaps/default/b';

describe('a journal that fails', () => {
  it('fails the write and all that gathered behind it, shows none of them, and lets later ones pass', async () => {
    let failing = true;
    const journal = new UnreliableJournal(() => failing);
    const storage = new RevisionStore({ journal });
    const seen: string[] = [];
    using _ = storage.watch('/registry/', 0, (event) => seen.push(line(event)));
    const writes = [
      storage.write(a, 0, object('a')),
      storage.write(a, 1, object('a')),
      storage.write(b, 0, object('b')),
    ];
    const results = await Promise.allSettled(writes);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(results[0]).toMatchObject({
      reason: { message: `${a} could not be written to disk`, cause: { message: 'no space left on device' } },
    });
    expect(storage.latest(a)).toBeUndefined();
    expect(storage.revision).toBe(0);
    expect(seen).toEqual([]);

    failing = false;
    await storage.write(a, 0, object('a'));
    expect(seen).toEqual(['1 put a']);
    expect(storage.get(a)?.revision).toBe(1);
  });

  it('keeps a write invisible until it is durable', async () => {
    const storage = new RevisionStore({ journal: new UnreliableJournal(() => false) });
    const writing = storage.write(a, 0, object('a'));
    expect(storage.get(a)).toBeUndefined();
    expect(storage.list('/registry/').entries).toEqual([]);
    expect(storage.revision).toBe(0);
    await writing;
    expect(storage.get(a)?.revision).toBe(1);
  });

  it('lets a caller wait for a write of another, and rejects when that one failed', async () => {
    let failing = false;
    const storage = new RevisionStore({ journal: new UnreliableJournal(() => failing) });
    await storage.visible(0);
    const writing = storage.write(a, 0, object('a'));
    const waiting = storage.visible(storage.latest(a)?.revision ?? 0).then(() => storage.revision);
    expect(storage.revision).toBe(0);
    expect(await waiting).toBe(1);
    await writing;
    failing = true;
    const lost = storage.write(a, 1, object('a'));
    await expect(storage.visible(2)).rejects.toThrow('revision 2 could not be written to disk');
    await expect(lost).rejects.toThrow();
  });

  it('gathers writes while one is on its way to disk', async () => {
    const journal = new UnreliableJournal(() => false);
    const storage = new RevisionStore({ journal });
    await Promise.all(Array.from({ length: 100 }, (_, i) => storage.write(`${a}${i}`, 0, object(`a${i}`))));
    expect(journal.appends).toBe(2);
  });

  it('waits for what is under way before it closes', async () => {
    const journal = new UnreliableJournal(() => false);
    const storage = new RevisionStore({ journal });
    const writing = [storage.write(a, 0, object('a')), storage.write(b, 0, object('b'))];
    await storage.close();
    expect(journal.kept).toHaveLength(2);
    await Promise.all(writing);
  });

  it('that cannot forget old revisions is asked again with the next ones', async () => {
    let failing = false;
    const journal = new UnreliableJournal(() => failing);
    const storage = new RevisionStore({ journal });
    for (let i = 0; i < 6; i++) await storage.write(a, storage.latest(a)?.revision ?? 0, object('a'));
    failing = true;
    await expect(storage.compact(3)).rejects.toThrow('could not be removed from disk');
    expect(journal.kept).toHaveLength(6);
    failing = false;
    await storage.compact(5);
    expect(journal.kept.map(({ revision }) => revision)).toEqual([5, 6]);
    const again = new RevisionStore({ journal });
    expect(again.compactedRevision).toBe(5);
  });

  it('does not disturb writers when compaction on the side fails', async () => {
    const journal = new UnreliableJournal(
      () => false,
      () => true,
    );
    const storage = new RevisionStore({ journal, keepRevisions: 1 });
    for (let i = 0; i < 1100; i++) await storage.write(a, storage.latest(a)?.revision ?? 0, object('a'));
    expect(storage.revision).toBe(1100);
    expect(journal.kept).toHaveLength(1100);
    expect(storage.compactedRevision).toBeGreaterThan(1000);
  });

  it('never makes a revision that was seen mean something else, whatever fails when', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer(),
        fc.array(fc.record({ key: fc.constantFrom(a, b), wait: fc.boolean() }), { maxLength: 60, size: 'max' }),
        async (seed, steps) => {
          const random = seededRandom(seed);
          const journal = new UnreliableJournal(() => random.next() < 0.3);
          const storage = new RevisionStore({ journal });
          const seen: { revision: number; mark: unknown }[] = [];
          storage.watch('/registry/', 0, ({ revision, value }) =>
            seen.push({ revision, mark: (value as unknown as { mark: number }).mark }),
          );
          const acknowledged: { revision: number; mark: unknown }[] = [];
          const writes: Promise<unknown>[] = [];
          for (const [mark, { key, wait }] of steps.entries()) {
            const writing = storage.write(key, storage.latest(key)?.revision ?? 0, object('o', { mark }));
            writes.push(
              writing.then(
                ({ revision }) => acknowledged.push({ revision, mark }),
                (error: Error) => expect(error.message).toContain('could not be written to disk'),
              ),
            );
            if (wait) await Promise.allSettled(writes);
          }
          await Promise.allSettled(writes);
          expect(seen).toEqual(acknowledged);
          expect(seen.map(({ revision }) => revision)).toEqual(seen.map((_, index) => index + 1));
          const restarted = new RevisionStore({ journal });
          expect(restarted.revision).toBe(storage.revision);
          for (const key of [a, b]) expect(restarted.get(key)?.value).toEqual(storage.get(key)?.value);
        },
      ),
      { numRuns: 60 },
    );
  });
});
