import type { KubeObject } from '@tektite/meta';

/** One write as it is kept on disk. A delete keeps the last object, which a watcher that resumes must be shown. */
export interface JournalRecord {
  readonly key: string;
  readonly revision: number;
  readonly deleted: boolean;
  readonly value: KubeObject;
}

/**
 * Where a {@link RevisionStore} makes its writes durable: a log ordered by revision.
 *
 * `append` resolves when the records are on disk, all of them or none. At most one append is under way at a time.
 */
export interface Journal {
  /** What was kept, in order of revision, and how far it was compacted. Called once, before anything else. */
  load(): { readonly records: Iterable<JournalRecord>; readonly compactedRevision: number; readonly revision: number };
  append(records: readonly JournalRecord[]): Promise<void>;
  /** Forgets these revisions; `compactedRevision` is remembered for the next start. */
  forget(revisions: readonly number[], compactedRevision: number): Promise<void>;
  close(): Promise<void>;
}
