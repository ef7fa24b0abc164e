import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeObject } from '@tektite/meta';
import type { Database, RootDatabase } from 'lmdb';
import { encodeJson } from '../codec/encoded-json.ts';
import { FolderLock } from './folder-lock.ts';
import type { Journal, JournalRecord } from './journal.ts';

/** What the format of the folder is called; another one is refused instead of misread. */
const format = 'tektite-journal-1';

/** A record without its revision, which is its key: `+` or `-` for a delete, the key, a line end, the object as JSON. */
type StoredRecord = string;

/**
 * A journal in an LMDB file: the log of writes by revision, and the revision that it was compacted to.
 *
 * LMDB writes to fresh pages and turns to them by one atomic step, so a process that dies, or a machine that loses power,
 * leaves the last committed state. A batch is one transaction: all of it or nothing. One process at a time: a second one
 * is told who has the folder.
 */
export class LmdbJournal implements Journal {
  private readonly lock: FolderLock;
  private readonly root: RootDatabase<unknown, string>;
  private readonly log: Database<StoredRecord, number>;

  private constructor(lock: FolderLock, root: RootDatabase<unknown, string>, log: Database<StoredRecord, number>) {
    this.lock = lock;
    this.root = root;
    this.log = log;
  }

  /** Opens or creates the journal in that folder. Throws when another process has it, or its format is another. */
  static async open(folder: string): Promise<LmdbJournal> {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const lock = await FolderLock.take(folder);
    try {
      // Loaded here, so that a server in memory needs no native module.
      const { open } = await import('lmdb');
      const root = open<unknown, string>({
        path: join(folder, 'journal.mdb'),
        noSubdir: true,
        encoding: 'json',
        maxDbs: 2,
        overlappingSync: false,
      });
      const found = root.get('format');
      if (found !== undefined && found !== format)
        throw new Error(
          `${folder} was written by another version of tektite (${String(found)}, this one reads ${format})`,
        );
      if (found === undefined) await root.put('format', format);
      return new LmdbJournal(lock, root, root.openDB<StoredRecord, number>({ name: 'log', encoding: 'string' }));
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  load(): ReturnType<Journal['load']> {
    return {
      records: this.records(),
      compactedRevision: Number(this.root.get('compacted') ?? 0),
      revision: Number(this.root.get('revision') ?? 0),
    };
  }

  async append(records: readonly JournalRecord[]): Promise<void> {
    const last = records.at(-1);
    if (!last) return;
    await this.root.batch(() => {
      for (const { key, revision, deleted, value } of records) {
        void this.log.put(revision, `${deleted ? '-' : '+'}${key}\n${encodeJson(value)}`);
      }
      void this.root.put('revision', last.revision);
    });
  }

  async forget(revisions: readonly number[], compactedRevision: number): Promise<void> {
    await this.root.batch(() => {
      for (const revision of revisions) void this.log.remove(revision);
      void this.root.put('compacted', compactedRevision);
    });
  }

  async close(): Promise<void> {
    await this.root.close();
    await this.lock.release();
  }

  private *records(): Generator<JournalRecord> {
    for (const { key: revision, value } of this.log.getRange({})) {
      const end = value.indexOf('\n');
      yield {
        key: value.slice(1, end),
        revision,
        deleted: value[0] === '-',
        value: JSON.parse(value.slice(end + 1)) as KubeObject,
      };
    }
  }
}
