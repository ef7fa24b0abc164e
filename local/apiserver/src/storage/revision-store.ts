import { deepFreeze, type KubeObject, type Mutable } from '@tektite/meta';
import type { Journal, JournalRecord } from './journal.ts';
import { OrderedMap } from './ordered-map.ts';
import {
  type ListOptions,
  type ListResult,
  RevisionCompactedError,
  RevisionMismatchError,
  type Storage,
  type StorageEvent,
  type StoredEntry,
} from './storage.ts';
import { Watchers } from './watchers.ts';

/** The versions of one key that are kept, oldest first. A tombstone has `deleted` set. */
interface Version extends StoredEntry {
  readonly deleted: boolean;
}

interface PendingWrite {
  readonly event: StorageEvent;
  readonly resolve: (event: StorageEvent) => void;
  readonly reject: (error: Error) => void;
}

/** Somebody who waits for a revision to become visible. */
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
}

/** Compaction runs once for so many revisions over the limit, so that its cost per write is small and constant. */
const compactionBatch = 1000;

/**
 * The storage engine: all state in memory, ordered, with the recent past of every key; durable through a {@link Journal}.
 *
 * Writes are grouped: while one append is on its way to disk, the next ones gather and go together. A write is compared
 * with what is under way too, so writers need not wait for each other; it becomes visible only when it is durable. When
 * an append fails, everything that gathered behind it fails as well, because it may build on what was lost.
 */
export class RevisionStore implements Storage {
  revision = 0;
  compactedRevision = 0;

  private readonly keys = new OrderedMap<Version[]>();
  private readonly live = new OrderedMap<StoredEntry>();
  private readonly pending = new Map<string, StorageEvent>();
  private readonly watchers = new Watchers();
  private log: StorageEvent[] = [];
  private logStart = 0;
  private nextRevision = 1;
  private gathering: PendingWrite[] = [];
  private waiters: Waiter[] = [];
  private flushing: Promise<void> | undefined;
  /** What memory has forgotten and the journal not yet. */
  private forgotten: number[] = [];
  private forgetting: Promise<void> = Promise.resolve();
  private closed = false;
  private closing: Promise<void> | undefined;
  private readonly journal: Journal | undefined;
  private readonly keepRevisions: number;

  constructor(options: RevisionStoreOptions = {}) {
    this.journal = options.journal;
    this.keepRevisions = options.keepRevisions ?? 10_000;
    if (this.journal) this.restore(this.journal.load());
  }

  get(key: string): StoredEntry | undefined {
    return this.live.get(key);
  }

  latest(key: string): StoredEntry | undefined {
    const pending = this.pending.get(key);
    if (!pending) return this.live.get(key);
    return pending.deleted ? undefined : pending;
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
    const source =
      revision >= this.revision ? this.live.range(prefix, options.from) : this.past(prefix, revision, options.from);
    const limit = options.limit && options.limit > 0 ? options.limit : Number.POSITIVE_INFINITY;
    const entries: StoredEntry[] = [];
    let next: string | undefined;
    let remaining = 0;
    for (const [key, entry] of source) {
      if (entries.length < limit) {
        if (!options.filter || options.filter(entry.value)) entries.push(entry);
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
    for (const _ of this.live.range(prefix)) count++;
    return count;
  }

  write(key: string, expected: number, value: KubeObject | undefined): Promise<StorageEvent> {
    if (this.closed) return Promise.reject(new Error('the storage is closed'));
    const current = this.latest(key);
    if ((current?.revision ?? 0) !== expected) {
      return Promise.reject(new RevisionMismatchError(key, expected, current?.revision ?? 0));
    }
    if (value === undefined && !current) return Promise.reject(new RevisionMismatchError(key, expected, 0));

    const revision = this.nextRevision++;
    const event: StorageEvent = {
      key,
      revision,
      deleted: value === undefined,
      value: value === undefined ? withRevision(current?.value as KubeObject, revision) : stamp(value, revision),
      ...(current ? { previous: current.value } : {}),
    };
    if (!this.journal) {
      this.publish(event);
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
    return this.watchers.add({ prefix, after: revision, listener }, this.log.slice(this.logIndexAfter(revision)));
  }

  async compact(revision: number): Promise<void> {
    const until = Math.min(revision, this.revision);
    if (until <= this.compactedRevision) return;
    const revisions = this.forget(until);
    if (!this.journal) return;
    this.forgotten = this.forgotten.concat(revisions);
    await (this.forgetting = this.forgetOnDisk(this.journal, this.forgetting));
  }

  /** Closing twice is closing once. */
  close(): Promise<void> {
    return (this.closing ??= this.finish());
  }

  private async finish(): Promise<void> {
    this.closed = true;
    this.watchers.close();
    while (this.flushing) await this.flushing;
    await this.forgetting.catch(() => {});
    await this.journal?.close();
  }

  private restore(kept: ReturnType<Journal['load']>): void {
    this.compactedRevision = kept.compactedRevision;
    for (const record of kept.records) {
      const previous = this.live.get(record.key)?.value;
      this.apply({ ...record, value: deepFreeze(record.value), ...(previous ? { previous } : {}) });
    }
    this.revision = Math.max(this.revision, kept.revision);
    this.nextRevision = this.revision + 1;
  }

  /** Writes what has gathered, again and again until nothing is left. Only one runs at a time. */
  private async flush(journal: Journal): Promise<void> {
    while (this.gathering.length > 0) {
      const batch = this.gathering;
      this.gathering = [];
      try {
        await journal.append(batch.map(({ event }) => toRecord(event)));
      } catch (error) {
        this.abandon(batch, error as Error);
        continue;
      }
      for (const { event, resolve } of batch) {
        if (this.pending.get(event.key) === event) this.pending.delete(event.key);
        this.publish(event);
        resolve(event);
      }
      const ready = this.waiters.filter(({ revision }) => revision <= this.revision);
      if (ready.length > 0) this.waiters = this.waiters.filter(({ revision }) => revision > this.revision);
      for (const { resolve } of ready) resolve();
    }
    this.flushing = undefined;
  }

  /** One at a time. What could not be forgotten is tried again with what comes next. */
  private async forgetOnDisk(journal: Journal, before: Promise<void>): Promise<void> {
    await before.catch(() => {});
    const revisions = this.forgotten;
    this.forgotten = [];
    try {
      await journal.forget(revisions, this.compactedRevision);
    } catch (cause) {
      this.forgotten = revisions.concat(this.forgotten);
      throw new Error('old revisions could not be removed from disk', { cause });
    }
  }

  private abandon(batch: PendingWrite[], cause: Error): void {
    const lost = [...batch, ...this.gathering];
    this.gathering = [];
    this.pending.clear();
    this.nextRevision = this.revision + 1;
    for (const { event, reject } of lost) reject(new Error(`${event.key} could not be written to disk`, { cause }));
    const disappointed = this.waiters;
    this.waiters = [];
    for (const { revision, reject } of disappointed)
      reject(new Error(`revision ${revision} could not be written to disk`, { cause }));
  }

  private publish(event: StorageEvent): void {
    this.apply(event);
    this.watchers.tell(event);
    if (this.log.length - this.logStart > this.keepRevisions + compactionBatch) {
      // Nobody waits for it; a failure leaves more on disk than needed, and the next one tries again.
      this.compact(event.revision - this.keepRevisions).catch(() => {});
    }
  }

  private apply(event: StorageEvent): void {
    const { key, revision, deleted, value } = event;
    this.revision = revision;
    this.log.push(event);
    const versions = this.keys.get(key);
    const version: Version = { key, revision, value, deleted };
    if (versions) versions.push(version);
    else this.keys.set(key, [version]);
    if (deleted) this.live.delete(key);
    else this.live.set(key, version);
  }

  /** Drops what is only needed for revisions before `until`; returns the revisions dropped. */
  private forget(until: number): number[] {
    const forgotten: number[] = [];
    this.compactedRevision = until;
    for (; this.logStart < this.log.length; this.logStart++) {
      const { key, revision } = this.log[this.logStart] as StorageEvent;
      if (revision > until) break;
      const versions = this.keys.get(key);
      if (!versions) continue;
      while (versions.length > 1 && (versions[1] as Version).revision <= until)
        forgotten.push((versions.shift() as Version).revision);
      const [oldest] = versions;
      if (versions.length === 1 && oldest?.deleted && oldest.revision <= until) {
        forgotten.push(oldest.revision);
        this.keys.delete(key);
      }
    }
    if (this.logStart > compactionBatch) {
      this.log = this.log.slice(this.logStart);
      this.logStart = 0;
    }
    return forgotten;
  }

  private *past(prefix: string, revision: number, from?: string): Generator<[string, StoredEntry]> {
    for (const [key, versions] of this.keys.range(prefix, from)) {
      for (let i = versions.length - 1; i >= 0; i--) {
        const version = versions[i] as Version;
        if (version.revision > revision) continue;
        if (!version.deleted) yield [key, version];
        break;
      }
    }
  }

  private logIndexAfter(revision: number): number {
    let low = this.logStart;
    let high = this.log.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.log[middle] as StorageEvent).revision <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function stamp(value: KubeObject, revision: number): KubeObject {
  (value.metadata as Mutable<KubeObject['metadata']>).resourceVersion = String(revision);
  return deepFreeze(value);
}

function withRevision(value: KubeObject, revision: number): KubeObject {
  return deepFreeze({ ...value, metadata: { ...value.metadata, resourceVersion: String(revision) } });
}

function toRecord({ key, revision, deleted, value }: StorageEvent): JournalRecord {
  return { key, revision, deleted, value };
}
