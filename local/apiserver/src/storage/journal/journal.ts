/** One write. A delete carries no object: the store still has the one before it, which watchers that resume are shown. */
export interface JournalRecord {
  readonly key: string;
  readonly revision: number;
  /** The object as JSON. Absent for a delete. */
  readonly json?: string;
  /** Whether the object is being deleted. */
  readonly isDeleting?: boolean;
}

/** A record that the store no longer needs. */
export interface DroppedRecord {
  readonly revision: number;
  readonly bytes: number;
}

/** Receives the kept state at start, in order of revision. */
export interface JournalReader {
  record(record: JournalRecord, bytes: number): void;
  /** Revisions up to this one, but the newest of each key, are compacted. */
  compacted(revision: number): void;
}

/**
 * Makes the writes of a {@link RevisionStore} durable: a log ordered by revision.
 *
 * Guarantees
 * - `append` resolves when its records survive a power loss, all of them. At most one append is under way at a time.
 * - When `append` rejects, its records do not come back, unless the process dies before the next append.
 * - Space of dropped records is returned to the file system while the journal is in use.
 */
export interface Journal {
  /** Reads everything that is kept; returns the newest revision. Called once, before anything else. */
  load(reader: JournalReader): number;
  /** Returns how many bytes each record takes. */
  append(records: readonly JournalRecord[]): Promise<readonly number[]>;
  /**
   * Records the compaction and returns space in the background. `isKept` answers for any record at any later time; a
   * record that it denies once stays denied. `compactedRevision` is read when a segment without it is written.
   */
  compact(dropped: readonly DroppedRecord[], state: CompactionState): Promise<void>;
  /** The reason why only writes that free space are accepted; `undefined` in normal operation. */
  readonly problem: StorageProblem | undefined;
  /** Tries to end a lack of space: returns what compaction freed and restores the reserve. Never rejects. */
  makeRoom(dropped: readonly DroppedRecord[], state: CompactionState): Promise<void>;
  close(): Promise<void>;
}

export interface CompactionState {
  readonly compactedRevision: number;
  isKept(key: string, revision: number): boolean;
}

/** `full`: the disk has no space left, deletes are accepted. `lost`: the folder was taken away, nothing is accepted. */
export interface StorageProblem {
  readonly kind: 'full' | 'lost';
  readonly message: string;
}
