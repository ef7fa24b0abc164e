import { type Clock, deepFreeze, type KubeObject, type Mutable, systemClock } from '@tektite/meta';
import { approximateBytes } from './approximate-bytes.ts';
import { decodedVersions } from './decoded-versions.ts';
import type { DroppedRecord, Journal, JournalRecord, StorageProblem } from './journal/journal.ts';
import { DeletedVersion, ObjectVersion, VersionEvent } from './object-version.ts';
import { RevisionHistory } from './revision-history.ts';
import {
  type ListOptions,
  type ListResult,
  RevisionCompactedError,
  RevisionMismatchError,
  type Storage,
  type StorageEvent,
  StorageFullError,
  type StoredEntry,
} from './storage.ts';
import { Watchers } from './watchers.ts';
import { WholeLists } from './whole-lists.ts';

interface PendingWrite {
  readonly event: VersionEvent;
  readonly resolve: (event: StorageEvent) => void;
  readonly reject: (error: Error) => void;
}

/** A caller that waits for a revision to become visible. */
interface Waiter {
  readonly revision: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

export interface RevisionStoreOptions {
  /** Makes writes durable; without one the store lives and dies with the process. */
  readonly journal?: Journal;
  /** How many revisions are kept for watchers that resume and for lists of the past. Default 10,000. */
  readonly keepRevisions?: number;
  /** The past takes at most about this many bytes. Default 32 MiB. */
  readonly maxHistoryBytes?: number;
  /** The current state takes at most this many bytes; writes beyond it fail, deletes do not. Default: no limit. */
  readonly maxBytes?: number;
  readonly clock?: Clock;
}

/** Compaction runs once for so many revisions over the limit, so that its cost per write is small and constant. */
const compactionBatch = 1000;

const makeRoomEveryMs = 1000;

/**
 * The storage engine: all state in memory, ordered, with the recent past of every key; durable through a {@link Journal}.
 *
 * Writes are grouped: while one append is on its way to disk, the next ones gather and go together. A write is compared
 * with what is under way too, so writers need not wait for each other; it becomes visible only when it is durable. When
 * an append fails, everything that gathered behind it fails as well, because it may build on what was lost.
 */
export class RevisionStore implements Storage {
  private readonly history = new RevisionHistory();
  private readonly pending = new Map<string, VersionEvent>();
  private readonly watchers = new Watchers();
  private readonly wholeLists = new WholeLists();
  private nextRevision = 1;
  private gathering: PendingWrite[] = [];
  private waiters: Waiter[] = [];
  private flushing: Promise<void> | undefined;
  /** Dropped from memory and not yet from the journal. */
  private dropped: DroppedRecord[] = [];
  private dropping: Promise<void> = Promise.resolve();
  private makingRoom: Promise<void> | undefined;
  private roomMadeAt = Number.NEGATIVE_INFINITY;
  private closed = false;
  private closing: Promise<void> | undefined;
  private readonly journal: Journal | undefined;
  private readonly keepRevisions: number;
  private readonly maxHistoryBytes: number;
  private readonly maxBytes: number;
  private readonly clock: Clock;

  constructor(options: RevisionStoreOptions = {}) {
    this.journal = options.journal;
    this.keepRevisions = options.keepRevisions ?? 10_000;
    this.maxHistoryBytes = options.maxHistoryBytes ?? 32 * 1024 ** 2;
    this.maxBytes = options.maxBytes ?? Number.POSITIVE_INFINITY;
    this.clock = options.clock ?? systemClock;
    if (this.journal) this.restore(this.journal);
  }

  get revision(): number {
    return this.history.revision;
  }

  get compactedRevision(): number {
    return this.history.compactedRevision;
  }

  get problem(): StorageProblem | undefined {
    return this.journal?.problem;
  }

  get(key: string): StoredEntry | undefined {
    return this.history.get(key);
  }

  latest(key: string): ObjectVersion | undefined {
    const version = this.pending.get(key)?.version ?? this.history.get(key);
    return version?.deleted ? undefined : version;
  }

  visible(revision: number): Promise<void> {
    if (revision <= this.revision) return Promise.resolve();
    return new Promise((resolve, reject) => this.waiters.push({ revision, resolve, reject }));
  }

  list(prefix: string, options: ListOptions = {}): ListResult {
    const revision = Math.min(options.revision ?? this.revision, this.revision);
    if (revision < this.revision && revision < this.compactedRevision) {
      throw new RevisionCompactedError(revision, this.compactedRevision);
    }
    if (revision === this.revision && !options.limit && !options.from && !options.filter) {
      const readAll = () => Array.from(this.history.range(prefix, revision), ([, entry]) => entry);
      return { entries: this.wholeLists.get(prefix, readAll), revision };
    }
    const limit = options.limit && options.limit > 0 ? options.limit : Number.POSITIVE_INFINITY;
    const entries: StoredEntry[] = [];
    let next: string | undefined;
    let remaining = 0;
    for (const [key, entry] of this.history.range(prefix, revision, options.from)) {
      if (entries.length < limit) {
        if (!options.filter || options.filter(entry.peek())) entries.push(entry);
      } else {
        next ??= key;
        remaining++;
        if (options.filter) break;
      }
    }
    if (next === undefined) return { entries, revision };
    return options.filter ? { entries, revision, next } : { entries, revision, next, remaining };
  }

  count(prefix: string): number {
    let count = 0;
    for (const _ of this.history.range(prefix, this.revision)) count++;
    return count;
  }

  write(key: string, expected: number, value: KubeObject | undefined): Promise<StorageEvent> {
    if (this.closed) return Promise.reject(new Error('the storage is closed'));
    const current = this.latest(key);
    if ((current?.revision ?? 0) !== expected) {
      return Promise.reject(new RevisionMismatchError(key, expected, current?.revision ?? 0));
    }
    if (value === undefined && !current) return Promise.reject(new RevisionMismatchError(key, expected, 0));
    const denied = this.spaceError(value);
    if (denied) return Promise.reject(denied);

    const revision = this.nextRevision++;
    const version =
      value === undefined
        ? new DeletedVersion(key, revision, current)
        : new ObjectVersion(key, revision, stamp(value, revision));
    const event = new VersionEvent(version, current);
    if (!this.journal) {
      this.publish(event, event.deleted ? 0 : approximateBytes(event.value, event.previous));
      return Promise.resolve(event);
    }
    this.pending.set(key, event);
    return new Promise((resolve, reject) => {
      this.gathering.push({ event, resolve, reject });
      this.flushing ??= this.flush(this.journal as Journal);
    });
  }

  watch(prefix: string, revision: number, listener: (event: StorageEvent) => void): Disposable {
    if (revision < this.compactedRevision) throw new RevisionCompactedError(revision, this.compactedRevision);
    return this.watchers.add({ prefix, after: revision, listener }, this.history.eventsAfter(revision));
  }

  async compact(revision: number): Promise<void> {
    const until = Math.min(revision, this.revision);
    if (until <= this.compactedRevision) return;
    this.forget(until);
    if (this.journal) await (this.dropping = this.dropOnDisk(this.journal, this.dropping));
  }

  /** Closing twice is closing once. */
  close(): Promise<void> {
    return (this.closing ??= this.finish());
  }

  private async finish(): Promise<void> {
    this.closed = true;
    this.watchers.close();
    while (this.flushing) await this.flushing;
    await this.dropping.catch(() => {});
    await this.makingRoom;
    await this.journal?.close();
  }

  private restore(journal: Journal): void {
    let restored = 0;
    const revision = journal.load({
      record: ({ key, revision: at, json }, bytes) => {
        const before = this.history.get(key);
        const version = json === undefined ? new DeletedVersion(key, at, before) : new ObjectVersion(key, at, json);
        const event = new VersionEvent(version, before);
        this.history.apply(event, bytes);
        // Records that were compacted may still be on disk; memory does not hold them all at once.
        if (++restored % compactionBatch === 0) this.forget(this.compactedRevision);
      },
      compacted: (until) => {
        this.history.compactedRevision = until;
      },
    });
    this.forget(this.compactedRevision);
    this.history.revision = Math.max(this.revision, revision);
    this.nextRevision = this.revision + 1;
    // A process that died may have compacted more than it returned.
    if (this.dropped.length > 0) (this.dropping = this.dropOnDisk(journal, this.dropping)).catch(() => {});
  }

  /** Writes what has gathered, again and again until nothing is left. Only one runs at a time. */
  private async flush(journal: Journal): Promise<void> {
    while (this.gathering.length > 0) {
      const batch = this.gathering;
      this.gathering = [];
      let bytes: readonly number[];
      try {
        bytes = await journal.append(batch.map(({ event }) => toRecord(event.version)));
      } catch (error) {
        this.abandon(batch, error as Error);
        continue;
      }
      for (const [index, { event, resolve }] of batch.entries()) {
        if (this.pending.get(event.key) === event) this.pending.delete(event.key);
        this.publish(event, bytes[index] as number);
        if (!event.deleted) decodedVersions.add(event.version);
        resolve(event);
      }
      const ready = this.waiters.filter(({ revision }) => revision <= this.revision);
      if (ready.length > 0) this.waiters = this.waiters.filter(({ revision }) => revision > this.revision);
      for (const { resolve } of ready) resolve();
    }
    this.flushing = undefined;
  }

  /** One at a time. Records that could not be dropped are tried again with the next ones. */
  private async dropOnDisk(journal: Journal, before: Promise<void>): Promise<void> {
    await before.catch(() => {});
    const { dropped } = this;
    this.dropped = [];
    try {
      await journal.compact(dropped, this);
    } catch (cause) {
      this.dropped = dropped.concat(this.dropped);
      throw new Error('old revisions could not be removed from disk', { cause });
    }
  }

  /** Whether the journal must keep a record. */
  isKept(key: string, revision: number): boolean {
    return this.history.isKept(key, revision);
  }

  private spaceError(value: KubeObject | undefined): Error | undefined {
    const problem = this.journal?.problem;
    if (problem?.kind === 'lost') return new Error(problem.message);
    // On a full disk, deletes and the steps towards them are accepted.
    if (value === undefined || value.metadata.deletionTimestamp !== undefined) return undefined;
    if (problem) {
      this.makeRoom();
      return new StorageFullError(problem.message);
    }
    const { liveBytes } = this.history;
    if (liveBytes <= this.maxBytes) return undefined;
    return new StorageFullError(
      `the objects take ${liveBytes} bytes, more than the limit of ${this.maxBytes}: delete some`,
    );
  }

  /** Ends a lack of space, if that can be done: forgets the past and has the journal return what it took. Now and then. */
  private makeRoom(): void {
    const { journal, clock } = this;
    if (!journal || this.makingRoom || clock.monotonic() - this.roomMadeAt < makeRoomEveryMs) return;
    this.forget(this.revision);
    const { dropped } = this;
    this.dropped = [];
    this.makingRoom = journal.makeRoom(dropped, this).finally(() => {
      this.makingRoom = undefined;
      this.roomMadeAt = clock.monotonic();
    });
  }

  private abandon(batch: PendingWrite[], cause: Error): void {
    const lost = [...batch, ...this.gathering];
    this.gathering = [];
    this.pending.clear();
    this.nextRevision = this.revision + 1;
    const problem = this.journal?.problem;
    if (problem?.kind === 'full') this.makeRoom();
    for (const { event, reject } of lost) reject(writeError(event.key, problem, cause));
    const disappointed = this.waiters;
    this.waiters = [];
    for (const { revision, reject } of disappointed)
      reject(new Error(`revision ${revision} could not be written to disk`, { cause }));
  }

  private publish(event: VersionEvent, bytes: number): void {
    const { history } = this;
    history.apply(event, bytes);
    this.wholeLists.forget(event.key);
    this.watchers.notify(event);
    // A failure leaves more on disk than needed, and the next compaction tries again.
    if (history.length > this.keepRevisions + compactionBatch)
      this.compact(event.revision - this.keepRevisions).catch(() => {});
    if (history.pastBytes > this.maxHistoryBytes) this.compact(history.firstQuarter).catch(() => {});
    if (event.deleted && this.journal?.problem) this.makeRoom();
  }

  private forget(until: number): void {
    const dropped = this.history.forget(until);
    if (this.journal) for (const record of dropped) this.dropped.push(record);
  }
}

function writeError(key: string, problem: StorageProblem | undefined, cause: Error): Error {
  if (problem?.kind === 'full') return new StorageFullError(problem.message, { cause });
  return new Error(problem?.message ?? `${key} could not be written to disk`, { cause });
}

function stamp(value: KubeObject, revision: number): KubeObject {
  (value.metadata as Mutable<KubeObject['metadata']>).resourceVersion = String(revision);
  return deepFreeze(value);
}

function toRecord(version: ObjectVersion): JournalRecord {
  return version.deleted ? { key: version.key, revision: version.revision } : version;
}
