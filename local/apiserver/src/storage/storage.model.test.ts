import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SegmentJournal } from './journal/segment-journal.ts';
import { RevisionStore } from './revision-store.ts';
import { object } from './storage.cases.ts';
import { RevisionCompactedError, RevisionMismatchError, type Storage, type StorageEvent } from './storage.ts';

/** Any history, any interleaving: the storage against a model of a few lines. */

const keys = ['/registry/pods/x/a', '/registry/pods/x/b', '/registry/pods/y/a', '/registry/secrets/x/a'];
const prefixes = ['', '/registry/pods/', '/registry/pods/x/', keys[0] as string, '/registry/secrets/'];

type Step =
  /** Starts a write and does not wait for it. `stale` writes expect a revision that is not the newest. */
  | { do: 'write'; key: string; remove: boolean; stale: boolean }
  | { do: 'settle' }
  | { do: 'compact'; at: number }
  | { do: 'watch'; prefix: string; at: number }
  | { do: 'stop'; which: number }
  | { do: 'list'; prefix: string; at: number; limit: number }
  | { do: 'restart' };

const key = fc.constantFrom(...keys);
const prefix = fc.constantFrom(...prefixes);
const at = fc.double({ min: 0, max: 1, noNaN: true });
const step: fc.Arbitrary<Step> = fc.oneof(
  { arbitrary: write(), weight: 10 },
  { arbitrary: fc.record({ do: fc.constant('settle' as const) }), weight: 2 },
  { arbitrary: fc.record({ do: fc.constant('compact' as const), at }), weight: 1 },
  { arbitrary: fc.record({ do: fc.constant('watch' as const), prefix, at }), weight: 3 },
  { arbitrary: fc.record({ do: fc.constant('stop' as const), which: fc.nat(5) }), weight: 1 },
  { arbitrary: fc.record({ do: fc.constant('list' as const), prefix, at, limit: fc.nat(3) }), weight: 2 },
  { arbitrary: fc.record({ do: fc.constant('restart' as const) }), weight: 1 },
);

function write(): fc.Arbitrary<Step> {
  const seldom = fc.integer({ min: 0, max: 9 }).map((value) => value === 0);
  const often = fc.integer({ min: 0, max: 9 }).map((value) => value < 3);
  return fc.record({ do: fc.constant('write' as const), key, remove: often, stale: seldom });
}

/** The expected event of one write. */
interface Expected {
  readonly key: string;
  readonly revision: number;
  readonly deleted: boolean;
  readonly mark: string;
  readonly previous: string | undefined;
}

interface Watched {
  readonly prefix: string;
  readonly from: number;
  readonly events: StorageEvent[];
  readonly watch: Disposable;
}

function markOf(value: unknown): string | undefined {
  return (value as { mark?: string } | undefined)?.mark;
}

class History {
  private storage!: Storage;
  private readonly open: () => Promise<Storage>;
  private readonly log: Expected[] = [];
  private compacted = 0;
  private watched: Watched[] = [];
  private outstanding: Promise<void>[] = [];

  constructor(open: () => Promise<Storage>) {
    this.open = open;
  }

  async run(steps: readonly Step[]): Promise<void> {
    this.storage = await this.open();
    for (const action of steps) await this.take(action);
    await this.settle();
    this.resumeFromEverywhere();
    await this.storage.close();
  }

  private async take(action: Step): Promise<void> {
    switch (action.do) {
      case 'write':
        return this.write(action.key, action.remove, action.stale);
      case 'settle':
        return this.settle();
      case 'compact': {
        const until = Math.floor(action.at * this.storage.revision);
        this.compacted = Math.max(this.compacted, until);
        return this.storage.compact(until);
      }
      case 'watch':
        return this.watch(action.prefix, action.at);
      case 'stop':
        return this.stop(action.which);
      case 'list':
        return this.list(action.prefix, action.at, action.limit);
      case 'restart':
        return this.restart();
    }
  }

  private newest(name: string, until = Number.POSITIVE_INFINITY): Expected | undefined {
    const last = this.log.findLast((event) => event.key === name && event.revision <= until);
    return last?.deleted ? undefined : last;
  }

  private write(name: string, remove: boolean, stale: boolean): void {
    const current = this.newest(name);
    const expected = (current?.revision ?? 0) + (stale ? 1 : 0);
    const mark = `m${this.log.length + 1}`;
    const writing = this.storage.write(name, expected, remove ? undefined : object(name, { mark }));
    if (stale || (remove && !current)) {
      this.outstanding.push(expect(writing).rejects.toBeInstanceOf(RevisionMismatchError) as unknown as Promise<void>);
      return;
    }
    const event: Expected = {
      key: name,
      revision: this.log.length + 1,
      deleted: remove,
      mark: remove ? (current as Expected).mark : mark,
      previous: current?.mark,
    };
    this.log.push(event);
    this.outstanding.push(
      writing.then(({ revision }) => {
        expect(revision).toBe(event.revision);
        expect(this.storage.revision).toBeGreaterThanOrEqual(revision);
      }),
    );
  }

  private async settle(): Promise<void> {
    await Promise.all(this.outstanding);
    this.outstanding = [];
    expect(this.storage.revision).toBe(this.log.length);
    for (const name of keys) expect(this.storage.get(name)?.revision).toBe(this.newest(name)?.revision);
    for (const { prefix: wanted, from, events } of this.watched) this.expectSuffix(events, wanted, from);
  }

  private expectSuffix(events: readonly StorageEvent[], wanted: string, from: number): void {
    const seen = events.map(({ key: name, revision, deleted, value, previous }) => ({
      key: name,
      revision,
      deleted,
      mark: markOf(value),
      previous: markOf(previous),
    }));
    expect(seen).toEqual(this.log.filter((event) => event.revision > from && event.key.startsWith(wanted)));
    for (const { revision, value } of events) expect(value.metadata.resourceVersion).toBe(String(revision));
  }

  /** A revision between none and the newest that readers can know of. */
  private revisionAt(fraction: number): number {
    return Math.round(fraction * this.storage.revision);
  }

  private watch(wanted: string, fraction: number): void {
    const from = this.revisionAt(fraction);
    const events: StorageEvent[] = [];
    if (from < this.compacted) {
      expect(() => this.storage.watch(wanted, from, () => {})).toThrow(RevisionCompactedError);
      return;
    }
    const watch = this.storage.watch(wanted, from, (event) => events.push(event));
    this.watched.push({ prefix: wanted, from, events, watch });
  }

  private stop(which: number): void {
    const [stopped] = this.watched.splice(which % Math.max(1, this.watched.length), 1);
    stopped?.watch[Symbol.dispose]();
  }

  private list(wanted: string, fraction: number, limit: number): void {
    const revision = this.revisionAt(fraction);
    if (revision < this.compacted && revision < this.storage.revision) {
      expect(() => this.storage.list(wanted, { revision })).toThrow(RevisionCompactedError);
      return;
    }
    const expected = [...keys]
      .sort()
      .filter((name) => name.startsWith(wanted))
      .flatMap((name) => this.newest(name, revision)?.revision ?? []);
    const found: number[] = [];
    for (let from: string | undefined; ; ) {
      const page = this.storage.list(wanted, { revision, limit, ...(from === undefined ? {} : { from }) });
      expect(page.revision).toBe(revision);
      found.push(...page.entries.map((entry) => entry.revision));
      if (page.next === undefined) break;
      expect(page.entries).toHaveLength(limit);
      expect(page.remaining).toBe(expected.length - found.length);
      from = page.next;
    }
    expect(found).toEqual(expected);
  }

  private async restart(): Promise<void> {
    await this.settle();
    this.watched = [];
    await this.storage.close();
    this.storage = await this.open();
    expect(this.storage.revision).toBe(this.log.length);
    expect(this.storage.compactedRevision).toBe(this.compacted);
  }

  private resumeFromEverywhere(): void {
    for (let from = this.compacted; from <= this.storage.revision; from++) {
      const events: StorageEvent[] = [];
      using _ = this.storage.watch('', from, (event) => events.push(event));
      this.expectSuffix(events, '', from);
    }
  }
}

describe('storage, against a model', () => {
  it('gives every watcher one ordered stream without gaps, and every reader the state of its revision', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 120, size: 'max' }), async (steps) => {
        const storage = new RevisionStore();
        await new History(async () => storage).run(steps.filter((action) => action.do !== 'restart'));
      }),
      { numRuns: 120 },
    );
  });

  it('does so on disk, across restarts', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tektite-model-'));
    let run = 0;
    try {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 80, size: 'max' }), async (steps) => {
          const own = join(folder, String(run++));
          const open = async () => new RevisionStore({ journal: await SegmentJournal.open(own) });
          await new History(open).run(steps);
        }),
        { numRuns: 60 },
      );
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
