import { type Clock, type Random, systemClock, systemRandom } from '@tektite/meta';
import { jsonText } from '../../filter/evaluate.ts';
import type { Condition } from '../../filter/condition.ts';
import {
  type ExpiryRule,
  type ListQuery,
  maxPageBytes,
  type Page,
  type RecordRow,
  type ResultRow,
  type ResultsStorage,
  topLevelTypes,
  type Transaction,
} from '../storage.ts';
import { Database, type SqlRow } from './database.ts';
import { EmbeddedTransaction } from './embedded-transaction.ts';
import { GrowingIds } from '../growing-ids.ts';
import { type ListedTable, walkList } from './list-walk.ts';
import { listedRecords, listedResults, recordOf, resultOf } from './rows.ts';

/** Lists that read at the same time; others wait. */
const maxReaders = 4;
/** Results that go in one transaction. */
const expiredAtOnce = 100;

/** Results in a folder of this machine: one SQLite file, for one process. */
export class EmbeddedStorage implements ResultsStorage {
  private readonly database: Database;
  private readonly transaction: Transaction;
  private readonly clock: Clock;
  private readonly waiting: (() => void)[] = [];
  private readers = 0;

  private constructor(database: Database, clock: Clock, random: Random) {
    this.database = database;
    this.clock = clock;
    const ids = new GrowingIds(random);
    for (const table of ['results', 'records']) {
      const last = database.get(`SELECT max(id) AS id FROM ${table}`)?.['id'];
      if (typeof last === 'string') ids.startAfter(last);
    }
    this.transaction = new EmbeddedTransaction(database, ids, clock);
  }

  /** Opens the folder, which is created. */
  static async open(
    folder: string,
    clock: Clock = systemClock,
    random: Random = systemRandom,
  ): Promise<EmbeddedStorage> {
    return new EmbeddedStorage(await Database.open(folder), clock, random);
  }

  transact<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.database.transact(() => work(this.transaction));
  }

  async getResult(parent: string, name: string): Promise<ResultRow | undefined> {
    await this.database.settled();
    return this.transaction.getResult(parent, name);
  }

  async getRecord(parent: string, resultName: string, name: string): Promise<RecordRow | undefined> {
    await this.database.settled();
    return this.transaction.getRecord(parent, resultName, name);
  }

  listResults(query: ListQuery, signal?: AbortSignal): Promise<Page<ResultRow>> {
    return this.list(listedResults, query, resultOf, () => 0, signal);
  }

  listRecords(query: ListQuery, signal?: AbortSignal): Promise<Page<RecordRow>> {
    return this.list(listedRecords, query, recordOf, ({ data }) => data.length, signal);
  }

  async expire(rules: readonly ExpiryRule[], signal?: AbortSignal): Promise<number> {
    const now = this.clock.now();
    let count = 0;
    for (const type of topLevelTypes) {
      const filter: Condition = {
        kind: 'compare',
        operator: '=',
        left: { kind: 'column', column: 'type', type: 'text' },
        right: { kind: 'constant', value: type },
      };
      for (let after: { readonly id: string } | undefined; ; ) {
        const order = { column: 'id', descending: false } as const;
        const page = await this.listRecords({ filter, order, limit: 500, ...(after ? { after } : {}) }, signal);
        const due = page.rows.filter((row) => isDue(row, rules, now));
        for (let at = 0; at < due.length; at += expiredAtOnce)
          count += await this.deleteResultsOf(due.slice(at, at + expiredAtOnce), type);
        const last = page.rows.at(-1);
        if (!page.hasMore || !last) break;
        after = { id: last.id };
      }
    }
    return count;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.database.settled();
    this.database[Symbol.dispose]();
  }

  private deleteResultsOf(records: readonly RecordRow[], type: string): Promise<number> {
    return this.transact(async (transaction) => {
      let count = 0;
      for (const { parent, resultName } of records) {
        if (type !== topLevelTypes[0] && this.hasPipelineRun(parent, resultName)) continue;
        const result = await transaction.getResult(parent, resultName);
        if (!result) continue;
        await transaction.deleteResult(result);
        count++;
      }
      return count;
    });
  }

  /** A TaskRun of a PipelineRun goes with it. */
  private hasPipelineRun(parent: string, resultName: string): boolean {
    const sql = `SELECT 1 FROM records r CROSS JOIN results p ON p.seq = r.result WHERE p.parent = ? AND p.name = ? AND r.type = ?`;
    return this.database.get(sql, [parent, resultName, topLevelTypes[0] as string]) !== undefined;
  }

  private async list<T>(
    listed: ListedTable,
    query: ListQuery,
    rowOf: (row: SqlRow) => T,
    bytesOf: (row: T) => number,
    signal?: AbortSignal,
  ): Promise<Page<T>> {
    using _ = await this.enter();
    const rows: T[] = [];
    let bytes = 0;
    for await (const found of walkList(this.database, listed, query, signal)) {
      if (rows.length === query.limit) return { rows, hasMore: true };
      const row = rowOf(found);
      bytes += bytesOf(row);
      if (rows.length > 0 && bytes > maxPageBytes) return { rows, hasMore: true };
      rows.push(row);
    }
    return { rows, hasMore: false };
  }

  private async enter(): Promise<Disposable> {
    if (this.readers >= maxReaders) await new Promise<void>((resolve) => void this.waiting.push(resolve));
    else this.readers++;
    return {
      [Symbol.dispose]: () => {
        const next = this.waiting.shift();
        if (next) next();
        else this.readers--;
      },
    };
  }
}

function isDue(row: RecordRow, rules: readonly ExpiryRule[], now: number): boolean {
  const data = JSON.parse(Buffer.from(row.data).toString()) as unknown;
  const rule = rules.find((each) => ruleMatches(each, row.parent, data));
  return rule !== undefined && row.updated / 1000 < now - rule.retentionMs;
}

function ruleMatches(rule: ExpiryRule, parent: string, data: unknown): boolean {
  const has = (path: readonly (string | number)[], values: readonly string[]) =>
    values.includes(jsonText(data, path) ?? '\0');
  return (
    (rule.namespaces.length === 0 || rule.namespaces.includes(parent)) &&
    Object.entries(rule.labels).every(([key, values]) => has(['metadata', 'labels', key], values)) &&
    Object.entries(rule.annotations).every(([key, values]) => has(['metadata', 'annotations', key], values)) &&
    (rule.statuses.length === 0 || has(['status', 'conditions', 0, 'reason'], rule.statuses))
  );
}
