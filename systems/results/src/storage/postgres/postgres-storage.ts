import { type Clock, systemClock, systemRandom } from '@tektite/meta';
import pg, { type Pool, type PoolClient, type PoolConfig } from 'pg';
import { conditionSql, Parameters, timeValue } from '../../filter/sql.ts';
import { GrowingIds } from '../growing-ids.ts';
import {
  type ExpiryRule,
  FilterCostError,
  FilterValueError,
  type ListQuery,
  maxPageBytes,
  type Page,
  type RecordRow,
  type ResultRow,
  type ResultsStorage,
  topLevelTypes,
  type Transaction,
} from '../storage.ts';
import { PostgresTransaction } from './postgres-transaction.ts';
import { type PostgresRow, recordColumns, recordOf, resultColumns, resultOf } from './rows.ts';
import { schema } from './schema.ts';

/** A list may take the server so long. */
const listTimeoutMs = 5000;
/** Rows that come at once: a page of large records must not be in memory before it is measured. */
const batch = 500;
const maxConnections = 10;
const maxAttempts = 3;

/** Results in upstream's tables. Several processes may share them, upstream's, too. */
export class PostgresStorage implements ResultsStorage {
  private readonly pool: Pool;
  private readonly clock: Clock;
  private readonly ids = new GrowingIds(systemRandom);

  private constructor(pool: Pool, clock: Clock) {
    this.pool = pool;
    this.clock = clock;
    // An idle connection that breaks is replaced.
    pool.on('error', () => undefined);
  }

  /** Connects, and creates the tables that are not there. */
  static async open(config: PoolConfig, clock: Clock = systemClock): Promise<PostgresStorage> {
    const pool = new pg.Pool({ max: maxConnections, connectionTimeoutMillis: 10_000, ...config });
    try {
      await pool.query(schema);
    } catch (error) {
      await pool.end();
      throw new Error(`the database of the archive cannot be used: ${(error as Error).message}`, { cause: error });
    }
    return new PostgresStorage(pool, clock);
  }

  async transact<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++)
      try {
        return await this.within('BEGIN', (client) => work(new PostgresTransaction(client, this.ids, this.clock)));
      } catch (error) {
        const { code } = error as { readonly code?: string };
        // Another transaction was in the way.
        if ((code !== '40001' && code !== '40P01') || attempt === maxAttempts) throw error;
      }
  }

  async getResult(parent: string, name: string): Promise<ResultRow | undefined> {
    const sql = `SELECT ${resultColumns} FROM results WHERE parent = $1 AND name = $2`;
    const { rows } = await this.pool.query<PostgresRow>(sql, [parent, name]);
    return rows[0] && resultOf(rows[0]);
  }

  async getRecord(parent: string, resultName: string, name: string): Promise<RecordRow | undefined> {
    const sql = `SELECT ${recordColumns} FROM records WHERE parent = $1 AND result_name = $2 AND name = $3`;
    const { rows } = await this.pool.query<PostgresRow>(sql, [parent, resultName, name]);
    return rows[0] && recordOf(rows[0]);
  }

  listResults(query: ListQuery, signal?: AbortSignal): Promise<Page<ResultRow>> {
    return this.list('results', resultColumns, query, resultOf, () => 0, signal);
  }

  listRecords(query: ListQuery, signal?: AbortSignal): Promise<Page<RecordRow>> {
    return this.list('records', recordColumns, query, recordOf, ({ data }) => data.length, signal);
  }

  async expire(rules: readonly ExpiryRule[], signal?: AbortSignal): Promise<number> {
    let count = 0;
    for (const type of topLevelTypes) {
      signal?.throwIfAborted();
      const parameters = new Parameters();
      const typed = parameters.add(type);
      const isPart =
        type === topLevelTypes[0]
          ? ''
          : `AND NOT EXISTS (SELECT 1 FROM records pr WHERE pr.type = ${parameters.add(topLevelTypes[0])}
               AND pr.parent = r.parent AND pr.result_id = r.result_id)`;
      const sql = `DELETE FROM results WHERE (parent, id) IN (
        SELECT r.parent, r.result_id FROM records r
        WHERE r.type = ${typed} ${isPart} AND r.updated_time < ${this.limitSql(rules, parameters)})`;
      count += (await this.pool.query(sql, parameters.values)).rowCount ?? 0;
    }
    return count;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.pool.end();
  }

  /** The time before which a record is too old: that of the first rule that matches it. */
  private limitSql(rules: readonly ExpiryRule[], parameters: Parameters): string {
    const now = this.clock.now() * 1000;
    const cases = rules.map((rule) => {
      const limit = timeValue(Math.floor(now - rule.retentionMs * 1000), parameters);
      return `WHEN ${ruleSql(rule, parameters)} THEN ${limit}`;
    });
    return `(CASE ${cases.join(' ')} END)`;
  }

  private async list<T extends { readonly id: string }>(
    table: 'results' | 'records',
    columns: string,
    query: ListQuery,
    rowOf: (row: PostgresRow) => T,
    bytesOf: (row: T) => number,
    signal?: AbortSignal,
  ): Promise<Page<T>> {
    const rows: T[] = [];
    let bytes = 0;
    let after = query.after;
    return this.within(`BEGIN READ ONLY; SET LOCAL statement_timeout = ${listTimeoutMs}`, async (client) => {
      for (;;) {
        signal?.throwIfAborted();
        const limit = Math.min(batch, query.limit + 1 - rows.length);
        const { sql, values } = listSql(table, columns, { ...query, limit, ...(after ? { after } : {}) });
        const found = (await client.query<PostgresRow>(sql, values).catch(explain)).rows;
        for (const each of found) {
          const row = rowOf(each);
          bytes += bytesOf(row);
          if (rows.length === query.limit || (rows.length > 0 && bytes > maxPageBytes)) return { rows, hasMore: true };
          rows.push(row);
          const at = each['order_value'];
          after = { id: row.id, ...(at === null || at === undefined ? {} : { value: Number(at) }) };
        }
        if (found.length < limit) return { rows, hasMore: false };
      }
    });
  }

  private async within<T>(begin: string, work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await this.pool.connect();
    let broken: Error | undefined;
    try {
      await client.query(begin);
      const value = await work(client);
      await client.query('COMMIT');
      return value;
    } catch (error) {
      await client.query('ROLLBACK').catch((failure: Error) => (broken = failure));
      throw error;
    } finally {
      client.release(broken);
    }
  }
}

function listSql(table: string, columns: string, { parent, resultName, filter, order, after, limit }: ListQuery) {
  const parameters = new Parameters();
  const direction = order.descending ? 'DESC' : 'ASC';
  const where: string[] = [];
  if (parent !== undefined) where.push(`parent = ${parameters.add(parent)}`);
  if (resultName !== undefined) where.push(`result_name = ${parameters.add(resultName)}`);
  if (filter) where.push(`(${conditionSql(filter, parameters)})`);
  const isById = order.column === 'id';
  if (after) where.push(afterSql(order, after, parameters));
  const orderBy = isById ? `id ${direction}` : `${order.column} ${direction}, id ${direction}`;
  const value = isById ? 'NULL' : `(extract(epoch FROM ${order.column}) * 1000000)::bigint`;
  const sql = `SELECT ${columns}, ${value} AS order_value FROM ${table} ${
    where.length > 0 ? `WHERE ${where.join(' AND ')}` : ''
  } ORDER BY ${orderBy} LIMIT ${limit}`;
  return { sql, values: parameters.values };
}

/** Rows without a value come last, and first in the other direction. */
function afterSql(order: ListQuery['order'], after: NonNullable<ListQuery['after']>, parameters: Parameters): string {
  const comparison = order.descending ? '<' : '>';
  const id = parameters.add(after.id);
  const { column } = order;
  if (column === 'id') return `id ${comparison} ${id}`;
  if (after.value === undefined)
    return order.descending ? `(${column} IS NOT NULL OR id < ${id})` : `(${column} IS NULL AND id > ${id})`;
  const value = timeValue(after.value, parameters);
  const later = `(${column}, id) ${comparison} (${value}, ${id})`;
  return order.descending ? later : `(${later} OR ${column} IS NULL)`;
}

function ruleSql({ namespaces, labels, annotations, statuses }: ExpiryRule, parameters: Parameters): string {
  const among = (term: string, values: readonly string[]) => `${term} = ANY(${parameters.add(values)}::text[])`;
  const inside = (map: string) => (key: string) => `r.data->'metadata'->'${map}'->>${parameters.add(key)}::text`;
  const conditions = [
    ...(namespaces.length > 0 ? [among('r.parent', namespaces)] : []),
    ...Object.entries(labels).map(([key, values]) => among(`(${inside('labels')(key)})`, values)),
    ...Object.entries(annotations).map(([key, values]) => among(`(${inside('annotations')(key)})`, values)),
    ...(statuses.length > 0 ? [among("(r.data->'status'->'conditions'->0->>'reason')", statuses)] : []),
  ];
  return conditions.length > 0 ? conditions.join(' AND ') : 'TRUE';
}

/** Errors that a filter can cause: a statement that takes too long, and values that are no times, numbers or patterns. */
function explain(error: unknown): never {
  const { code = '', message } = error as { readonly code?: string; readonly message: string };
  if (code === '57014') throw new FilterCostError();
  if (code.startsWith('22') || code === '42883') throw new FilterValueError(`ERROR: ${message} (SQLSTATE ${code})`);
  throw error;
}
