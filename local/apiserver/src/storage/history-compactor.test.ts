import { expect, it } from 'vitest';
import { HistoryCompactor } from './history-compactor.ts';
import { RevisionStore } from './revision-store.ts';
import { object } from './storage.cases.ts';
import { RevisionCompactedError } from './storage.ts';
import { ManualClock } from '../test-support.ts';

const key = '/registry/configmaps/default/a';

it('forgets revisions that are older than two intervals, and keeps those of the last one', async () => {
  const clock = new ManualClock();
  const storage = new RevisionStore();
  using _ = new HistoryCompactor(storage, clock, 300_000, (error) => expect.unreachable(String(error)));
  for (let revision = 0; revision < 3; revision++) await storage.write(key, revision, object('a'));
  clock.advance(300);
  expect(storage.compactedRevision).toBe(0);
  await storage.write(key, 3, object('a'));
  clock.advance(300);
  await expect.poll(() => storage.compactedRevision).toBe(3);
  expect(() => storage.watch('/registry/', 1, () => {})).toThrow(RevisionCompactedError);
  const seen: number[] = [];
  storage.watch('/registry/', 3, ({ revision }) => seen.push(revision))[Symbol.dispose]();
  expect(seen).toEqual([4]);
});

it('holds nothing of deleted objects when the store was idle for two intervals', async () => {
  const clock = new ManualClock();
  const storage = new RevisionStore();
  using compactor = new HistoryCompactor(storage, clock, 1000, (error) => expect.unreachable(String(error)));
  await storage.write(key, 0, object('a'));
  await storage.write(key, 1, undefined);
  clock.advance(1);
  clock.advance(1);
  await expect.poll(() => storage.isKept(key, 2)).toBe(false);
  compactor[Symbol.dispose]();
  await storage.write(key, 0, object('a'));
  clock.advance(5);
  expect(storage.compactedRevision).toBe(2);
});
