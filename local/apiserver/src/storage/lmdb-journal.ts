import { existsSync, mkdirSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { KubeObject } from '@tektite/meta';
import type { Database, RootDatabase } from 'lmdb';
import { encodeJson } from '../codec/encoded-json.ts';
import { FolderError } from './folder-error.ts';
import { FolderLock } from './folder-lock.ts';
import type { Journal, JournalRecord } from './journal.ts';
import { findDamage } from './lmdb-file-check.ts';

/** What the format of the folder is called; another one is refused instead of misread. */
const format = 'tektite-journal-2';

/**
 * A journal in an LMDB file: the log of writes by revision, and the revision that it was compacted to.
 *
 * LMDB writes to fresh pages and turns to them by one atomic step, so a process that dies, or a machine that loses power,
 * leaves the last committed state. A batch is one transaction: all of it or nothing. One process at a time: a second one
 * is told who has the folder.
 *
 * LMDB itself believes whatever its file says. So the file is looked through before it is opened, every record carries a
 * checksum, and a folder that had a journal once is not taken for a new one when the journal is gone.
 */
export class LmdbJournal implements Journal {
  private readonly file: string;
  private readonly lock: FolderLock;
  private readonly root: RootDatabase<unknown, string>;
  private readonly log: Database<string, number>;
  private readonly freeBytes: () => number;
  private failure: unknown;

  private constructor(
    file: string,
    lock: FolderLock,
    root: RootDatabase<unknown, string>,
    log: Database<string, number>,
    freeBytes: () => number,
  ) {
    this.file = file;
    this.lock = lock;
    this.root = root;
    this.log = log;
    this.freeBytes = freeBytes;
  }

  /**
   * Opens or creates the journal in that folder. Throws a FolderError when another process has it, or it cannot be read.
   * `freeBytes` says how much the disk takes.
   */
  static async open(folder: string, freeBytes: () => number = () => freeBytesOf(folder)): Promise<LmdbJournal> {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const lock = await FolderLock.take(folder);
    let root: RootDatabase<unknown, string> | undefined;
    try {
      const file = join(folder, 'journal.mdb');
      checkFile(folder, file);
      if (!existsSync(file) && freeBytes() < spareBytes)
        throw new FolderError(`${folder}: the disk is full. Make room, or choose another folder with --data-dir.`);
      // Loaded here, so that a server in memory needs no native module.
      const { open } = await import('lmdb');
      root = open<unknown, string>({
        path: file,
        noSubdir: true,
        encoding: 'json',
        maxDbs: 2,
        overlappingSync: false,
        // Writes come in batches already; LMDB's own have a promise that nobody can take, and a full disk would end the process.
        eventTurnBatching: false,
      });
      const found = root.get('format');
      if (found !== undefined && found !== format) {
        throw new FolderError(
          `${folder} was written by another version of tektite (${String(found)}, this one reads ${format}). Use that version, or choose another folder with --data-dir.`,
        );
      }
      if (found === undefined) await root.put('format', format);
      const log = root.openDB<string, number>({ name: 'log', encoding: 'string' });
      // From now on a journal that is missing is a loss, not a beginning.
      writeFileSync(markerOf(folder), `${format}\n`, { mode: 0o600 });
      return new LmdbJournal(file, lock, root, log, freeBytes);
    } catch (error) {
      await root?.close();
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
    const encoded = records.map((record) => [record.revision, encode(record)] as const);
    const size = encoded.reduce((sum, [, text]) => sum + text.length, 0);
    await this.commit(size, () => {
      for (const [revision, text] of encoded) ignoreOutcome(this.log.put(revision, text));
      ignoreOutcome(this.root.put('revision', last.revision));
    });
  }

  async forget(revisions: readonly number[], compactedRevision: number): Promise<void> {
    await this.commit(0, () => {
      for (const revision of revisions) ignoreOutcome(this.log.remove(revision));
      ignoreOutcome(this.root.put('compacted', compactedRevision));
    });
  }

  /**
   * LMDB itself overwrites memory of this process when the disk refuses a write. So it is not asked to write what may not fit, nor
   * anything more after a failure that could not be foreseen.
   */
  private async commit(size: number, write: () => void): Promise<void> {
    if (this.failure !== undefined)
      throw new Error('the disk failed before; start again when it is well', { cause: this.failure });
    // A page may be less than half full, a character more than a byte.
    if (this.freeBytes() < spareBytes + 4 * size) throw new Error('ENOSPC: no space left on device');
    try {
      await this.root.batch(write);
    } catch (error) {
      this.failure = await causeOf(error as FailedCommit);
      throw this.failure;
    }
  }

  async close(): Promise<void> {
    await this.root.close();
    await this.lock.release();
  }

  private *records(): Generator<JournalRecord> {
    // An append that failed may be on disk all the same. Whatever came after it says with its own revision where the log ends.
    const last = Number(this.root.get('revision') ?? Number.MAX_SAFE_INTEGER);
    for (const { key: revision, value } of this.log.getRange({ end: last + 1 })) {
      const record = decode(revision, value);
      if (!record) throw damaged(this.file, `the record of revision ${revision} does not match its checksum`);
      yield record;
    }
  }
}

/** So much stays free, for what LMDB writes besides. */
const spareBytes = 4 * 1024 * 1024;

function freeBytesOf(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** The batch tells how its writes went. Each of them does so too, and ends the process if nobody takes it. */
function ignoreOutcome(write: Promise<boolean>): void {
  write.catch(() => undefined);
}

/** What LMDB rejects with; the reason comes as a promise of its own, which ends the process if nobody takes it. */
interface FailedCommit extends Error {
  readonly commitError?: Promise<never>;
}

async function causeOf(failed: FailedCommit): Promise<unknown> {
  const unknown = new Promise((resolve) => setImmediate(resolve, failed));
  return Promise.race([failed.commitError?.catch((reason: unknown) => reason) ?? failed, unknown]);
}

function markerOf(folder: string): string {
  return join(folder, 'format');
}

/** Refuses a file that LMDB would stumble over, and the lack of one where there was one. */
function checkFile(folder: string, file: string): void {
  const size = existsSync(file) ? statSync(file).size : 0;
  if (size > 0) {
    const damage = findDamage(file);
    if (damage) throw damaged(file, damage);
  } else if (existsSync(markerOf(folder))) throw damaged(file, 'what was in it is gone');
}

function damaged(file: string, what: string): FolderError {
  return new FolderError(
    `${file} is damaged: ${what}. Put a copy from a backup in its place, or start empty by moving its folder away.`,
  );
}

/**
 * A checksum, `+` or `-` for a delete, the length of the key, the key, the object as JSON. The revision is the key in the
 * log. Names may contain nearly anything, line ends too, so there is no character to end the key with.
 */
function encode({ key, deleted, value }: JournalRecord): string {
  const text = `${deleted ? '-' : '+'}${key.length} ${key}${encodeJson(value)}`;
  return checksum(text) + text;
}

/** `undefined` when the record is not what was written. */
function decode(revision: number, stored: string): JournalRecord | undefined {
  const text = stored.slice(8);
  if (stored.slice(0, 8) !== checksum(text)) return undefined;
  const start = text.indexOf(' ') + 1;
  const end = start + Number(text.slice(1, start - 1));
  const value = JSON.parse(text.slice(end)) as KubeObject;
  return { key: text.slice(start, end), revision, deleted: text[0] === '-', value };
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, '0');
}
