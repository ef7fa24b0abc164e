import type { Clock } from '@tektite/meta';
import type { PoolClient } from 'pg';
import { Parameters, timeValue } from '../../filter/sql.ts';
import type { GrowingIds } from '../growing-ids.ts';
import {
  DuplicateError,
  etagOf,
  MissingResultError,
  UnstorableError,
  type NewRecord,
  type NewResult,
  type RecordRow,
  type ResultRow,
  type Transaction,
} from '../storage.ts';
import { type PostgresRow, recordColumns, recordOf, resultColumns, resultOf } from './rows.ts';

/** Statements on one connection. Rows that are read are locked until the end. */
export class PostgresTransaction implements Transaction {
  private readonly client: PoolClient;
  private readonly ids: GrowingIds;
  private readonly clock: Clock;

  constructor(client: PoolClient, ids: GrowingIds, clock: Clock) {
    this.client = client;
    this.ids = ids;
    this.clock = clock;
  }

  async getResult(parent: string, name: string): Promise<ResultRow | undefined> {
    const sql = `SELECT ${resultColumns} FROM results WHERE parent = $1 AND name = $2 FOR UPDATE`;
    const { rows } = await this.client.query<PostgresRow>(sql, [parent, name]);
    return rows[0] && resultOf(rows[0]);
  }

  async insertResult(given: NewResult): Promise<ResultRow> {
    const { id, now } = this.born();
    const row: ResultRow = { ...given, id, created: now, updated: now, etag: etagOf(id, now) };
    const values = resultValues(row);
    await this.write('results', { ...values, parent: row.parent, id, name: row.name, created_time: time(now) });
    return row;
  }

  async updateResult(given: ResultRow): Promise<ResultRow> {
    const updated = this.changed(given.updated);
    const row = { ...given, updated, etag: etagOf(given.id, updated) };
    await this.change('results', resultValues(row), { parent: row.parent, id: row.id });
    return row;
  }

  async deleteResult({ parent, id }: ResultRow): Promise<void> {
    await this.client.query('DELETE FROM results WHERE parent = $1 AND id = $2', [parent, id]);
  }

  async getRecord(parent: string, resultName: string, name: string): Promise<RecordRow | undefined> {
    const sql = `SELECT ${recordColumns} FROM records WHERE parent = $1 AND result_name = $2 AND name = $3 FOR UPDATE`;
    const { rows } = await this.client.query<PostgresRow>(sql, [parent, resultName, name]);
    return rows[0] && recordOf(rows[0]);
  }

  async insertRecord(given: NewRecord): Promise<RecordRow> {
    const { id, now } = this.born();
    const row: RecordRow = { ...given, id, created: now, updated: now, etag: etagOf(id, now) };
    await this.write('records', {
      ...recordValues(row),
      parent: row.parent,
      result_id: row.resultId,
      result_name: row.resultName,
      id,
      name: row.name,
      created_time: time(now),
    });
    return row;
  }

  async updateRecord(given: RecordRow): Promise<RecordRow> {
    const updated = this.changed(given.updated);
    const row = { ...given, updated, etag: etagOf(given.id, updated) };
    await this.change('records', recordValues(row), { parent: row.parent, result_id: row.resultId, id: row.id });
    return row;
  }

  async deleteRecord({ parent, resultId, id }: RecordRow): Promise<void> {
    await this.client.query('DELETE FROM records WHERE parent = $1 AND result_id = $2 AND id = $3', [
      parent,
      resultId,
      id,
    ]);
  }

  private born(): { readonly id: string; readonly now: number } {
    const now = this.clock.now();
    return { id: this.ids.next(now), now: Math.floor(now * 1000) };
  }

  /** Every change has a separate time, because the etag is made of it. */
  private changed(before: number): number {
    return Math.max(Math.floor(this.clock.now() * 1000), before + 1);
  }

  private async write(table: string, values: Values): Promise<void> {
    const parameters = new Parameters();
    const places = Object.values(values).map((value) => place(value, parameters));
    await this.execute(
      `INSERT INTO ${table} (${Object.keys(values).join(', ')}) VALUES (${places.join(', ')})`,
      parameters,
    );
  }

  private async change(table: string, values: Values, key: Values): Promise<void> {
    const parameters = new Parameters();
    const pairs = (of: Values) =>
      Object.entries(of).map(([column, value]) => `${column} = ${place(value, parameters)}`);
    await this.execute(`UPDATE ${table} SET ${pairs(values).join(', ')} WHERE ${pairs(key).join(' AND ')}`, parameters);
  }

  private async execute(sql: string, { values }: Parameters): Promise<void> {
    try {
      await this.client.query(sql, values);
    } catch (error) {
      const { code = '', constraint = '', message } = error as DatabaseFailure;
      if (code === '23505') throw new DuplicateError(constraint);
      if (code === '23503') throw new MissingResultError();
      // Data that is no value of the column's type: JSON with the character 0.
      if (code.startsWith('22')) throw new UnstorableError(`ERROR: ${message} (SQLSTATE ${code})`);
      throw error;
    }
  }
}

interface DatabaseFailure {
  readonly code?: string;
  readonly constraint?: string;
  readonly message: string;
}

/** A time in microseconds, which has to be distinguished from a number. */
interface Time {
  readonly micros: number | undefined;
}

type Values = Readonly<Record<string, string | number | Time | null>>;

const time = (micros: number | undefined): Time => ({ micros });

function place(value: Values[string], parameters: Parameters): string {
  if (typeof value !== 'object' || value === null) return parameters.add(value);
  return value.micros === undefined ? 'NULL' : timeValue(value.micros, parameters);
}

function resultValues({ annotations, updated, etag, summary }: ResultRow): Values {
  return {
    annotations: JSON.stringify(annotations),
    updated_time: time(updated),
    etag,
    recordsummary_record: summary?.record ?? '',
    recordsummary_type: summary?.type ?? '',
    recordsummary_start_time: time(summary?.start),
    recordsummary_end_time: time(summary?.end),
    recordsummary_status: summary?.status ?? 0,
    recordsummary_annotations: JSON.stringify(summary?.annotations ?? null),
  };
}

function recordValues({ type, data, updated, etag }: RecordRow): Values {
  return { type, data: Buffer.from(data).toString(), updated_time: time(updated), etag };
}
