import type { KubeObject } from '@tektite/meta';
import type { StorageProblem } from './journal/journal.ts';

/** A key as it was at a revision. The value is frozen and its `metadata.resourceVersion` is the revision. */
export interface StoredEntry {
  readonly key: string;
  readonly revision: number;
  readonly value: KubeObject;
  /** The value as JSON, which is there without the object. */
  readonly json: string;
  /** The value for a moment, where many are read: it may not be frozen, and is not kept. */
  peek(): KubeObject;
}

/**
 * One write, as watchers see it. `value` is the object after the write or, for a delete, the last object with the
 * revision of the delete. `previous` is the object before the write; absent when the key did not exist.
 */
export interface StorageEvent {
  readonly key: string;
  readonly revision: number;
  readonly deleted: boolean;
  readonly value: KubeObject;
  readonly previous?: KubeObject | undefined;
}

export interface ListOptions {
  /** At most that many entries; absent or 0: all. */
  readonly limit?: number;
  /** The first key to return; continues an earlier page. */
  readonly from?: string;
  /** The state as of that revision instead of the newest. Throws `RevisionCompactedError` when it is no longer kept. */
  readonly revision?: number;
  /** Counts towards the limit only what this accepts. */
  readonly filter?: (value: KubeObject) => boolean;
}

export interface ListResult {
  readonly entries: readonly StoredEntry[];
  /** The revision that the entries are a picture of. */
  readonly revision: number;
  /** The key to continue from when the limit cut the list short. */
  readonly next?: string;
  /** How many keys follow; only known when no filter was given. */
  readonly remaining?: number;
}

/**
 * Ordered keys with revisions: what the API server stands on.
 *
 * Guarantees
 * - Every write takes the next revision; revisions are positive, grow by one and are never reused, restarts included.
 * - A write is durable before its promise resolves, and no reader or watcher sees it before it is durable.
 * - Writes compare: `write` fails unless the key is at the revision its author read.
 * - A watcher gets every event after its start revision exactly once, in revision order, without gaps; it is called
 *   synchronously and must neither throw nor block.
 *
 * Values handed in belong to the storage from then on; values handed out are frozen.
 */
export interface Storage {
  /** The newest visible revision. */
  readonly revision: number;
  /** Revisions up to this one, but the newest of each key, are forgotten. */
  readonly compactedRevision: number;
  /** The reason why writes are denied; `undefined` in normal operation. */
  readonly problem: StorageProblem | undefined;

  get(key: string): StoredEntry | undefined;
  /**
   * The newest state of a key, writes that are not durable yet included. Only for read-modify-write: `write` compares
   * with this. Never answer a client with it before it is {@link visible}.
   */
  latest(key: string): StoredEntry | undefined;
  /** Resolves when what was written up to that revision is durable and visible; rejects when it got lost. */
  visible(revision: number): Promise<void>;
  list(prefix: string, options?: ListOptions): ListResult;
  /** How many keys start with the prefix. */
  count(prefix: string): number;

  /**
   * Puts `value` (or deletes, when it is undefined) if the key's latest revision is `expected` (0: the key must not
   * exist). Rejects with `RevisionMismatchError` otherwise; that check happens synchronously, before the first await.
   */
  write(key: string, expected: number, value: KubeObject | undefined): Promise<StorageEvent>;

  /** Events of keys with the prefix, after `revision`. Throws `RevisionCompactedError` when these are not kept any more. */
  watch(prefix: string, revision: number, listener: (event: StorageEvent) => void): Disposable;
  /** Forgets what was before `revision`, but for the newest of each key. */
  compact(revision: number): Promise<void>;
  close(): Promise<void>;
}

/** The key is not at the revision the writer expected. */
export class RevisionMismatchError extends Error {
  override readonly name = 'RevisionMismatchError';
  readonly actual: number;
  constructor(key: string, expected: number, actual: number) {
    super(`${key} is at revision ${actual}, not ${expected}`);
    this.actual = actual;
  }
}

/** The revision asked for was compacted. */
export class RevisionCompactedError extends Error {
  override readonly name = 'RevisionCompactedError';
  readonly revision: number;
  readonly compacted: number;
  constructor(revision: number, compacted: number) {
    super(`revision ${revision} is compacted, the oldest kept is ${compacted + 1}`);
    this.revision = revision;
    this.compacted = compacted;
  }
}

/** There is no space for a write that does not free any. The message names the folder or the limit. */
export class StorageFullError extends Error {
  override readonly name = 'StorageFullError';
}
