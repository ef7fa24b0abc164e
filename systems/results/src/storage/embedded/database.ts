import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import sqlite, { type Database as SqliteDatabase, type JSValue, type Statement } from 'node-sqlite3-wasm';
import { lockFile } from './file-lock.ts';
import { schema, schemaVersion } from './schema.ts';

export type SqlValue = Exclude<JSValue, boolean>;
export type SqlRow = Readonly<Record<string, SqlValue>>;

interface Pending {
  readonly run: () => Promise<void>;
  readonly settle: (failure?: Error) => void;
}

/** Transactions that wait for the disk together. */
const maxGroup = 256;
const cacheKibibytes = 64 * 1024;
/** Of 4 KiB. A longer log is written back less often, and rows of one index page together. */
const maxLogPages = 16 * 1024;

/**
 * One SQLite file, for one process.
 *
 * Transactions run one after the other and are committed in groups, with one sync of the disk for each group. Reads wait for the group
 * that runs, so they see only what survives a crash.
 */
export class Database implements Disposable {
  private readonly database: SqliteDatabase;
  private readonly lock: Disposable;
  private readonly statements = new Map<string, Statement>();
  private queue: Pending[] = [];
  private running: Promise<void> | undefined;

  private constructor(database: SqliteDatabase, lock: Disposable) {
    this.database = database;
    this.lock = lock;
  }

  /** Opens the archive of a folder, which is created. */
  static async open(folder: string): Promise<Database> {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const file = join(folder, 'results.db');
    const lock = await lockFile(join(folder, 'lock'));
    try {
      // The library locks with a folder, which a process that was killed leaves behind. Ours is the lock that counts.
      rmSync(`${file}.lock`, { recursive: true, force: true });
      const database = new sqlite.Database(file);
      for (const pragma of ['locking_mode=EXCLUSIVE', 'journal_mode=WAL', 'synchronous=FULL', 'foreign_keys=ON'])
        database.get(`PRAGMA ${pragma}`);
      database.exec(`PRAGMA cache_size=-${cacheKibibytes}; PRAGMA wal_autocheckpoint=${maxLogPages}`);
      const version = Number(database.get('PRAGMA user_version')?.['user_version'] ?? 0);
      if (version > schemaVersion)
        throw new Error(`${file} is of a newer version of this program (${version}, not ${schemaVersion})`);
      if (version === 0) database.exec(`BEGIN; ${schema}; PRAGMA user_version=${schemaVersion}; COMMIT`);
      return new Database(database, lock);
    } catch (error) {
      lock[Symbol.dispose]();
      throw error;
    }
  }

  /** For those within a transaction, and for reads after `settled`. */
  all(sql: string, values: readonly SqlValue[] = []): readonly SqlRow[] {
    return this.statement(sql).all(values as SqlValue[]) as SqlRow[];
  }

  get(sql: string, values: readonly SqlValue[] = []): SqlRow | undefined {
    return this.all(sql, values)[0];
  }

  /** The row that was inserted; `undefined` when none was. */
  run(sql: string, values: readonly SqlValue[] = []): number | undefined {
    const { changes, lastInsertRowid } = this.statement(sql).run(values as SqlValue[]);
    return changes === 0 ? undefined : Number(lastInsertRowid);
  }

  /** Resolves when no transaction is half done. */
  async settled(): Promise<void> {
    while (this.running) await this.running;
  }

  /** Runs a transaction; `work` awaits nothing but this database. Resolves when it is on disk. */
  transact<T>(work: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      let outcome: () => void = () => reject(new Error('the transaction did not run'));
      const run = async () => {
        this.database.exec('SAVEPOINT work');
        try {
          const value = await work();
          outcome = () => resolve(value);
        } catch (error) {
          this.database.exec('ROLLBACK TO work');
          outcome = () => reject(error as Error);
        }
        this.database.exec('RELEASE work');
      };
      this.queue.push({ run, settle: (failure) => (failure ? reject(failure) : outcome()) });
      this.running ??= this.flush();
    });
  }

  [Symbol.dispose](): void {
    for (const statement of this.statements.values()) statement.finalize();
    this.database.close();
    this.lock[Symbol.dispose]();
  }

  private async flush(): Promise<void> {
    // Others of this turn join the group.
    await new Promise<void>((resolve) => setImmediate(resolve));
    const group = this.queue.splice(0, maxGroup);
    let failure: Error | undefined;
    try {
      this.database.exec('BEGIN IMMEDIATE');
      for (const { run } of group) await run();
      this.database.exec('COMMIT');
    } catch (error) {
      failure = error as Error;
      if (this.database.inTransaction) this.database.exec('ROLLBACK');
    }
    this.running = this.queue.length > 0 ? this.flush() : undefined;
    for (const { settle } of group) settle(failure);
  }

  private statement(sql: string): Statement {
    const known = this.statements.get(sql);
    if (known) return known;
    // Lists have a few forms; a bound keeps odd ones from gathering.
    if (this.statements.size >= 200) {
      for (const each of this.statements.values()) each.finalize();
      this.statements.clear();
    }
    const statement = this.database.prepare(sql);
    this.statements.set(sql, statement);
    return statement;
  }
}
