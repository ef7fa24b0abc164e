import type { Clock } from '@tektite/meta';
import { type Fact, factsOf, type Table } from '../facts.ts';
import {
  DuplicateError,
  etagOf,
  MissingResultError,
  type NewRecord,
  type NewResult,
  type RecordRow,
  type ResultRow,
  type Transaction,
} from '../storage.ts';
import { compressBody } from './body.ts';
import type { Database, SqlRow, SqlValue } from './database.ts';
import type { GrowingIds } from '../growing-ids.ts';
import { recordColumns, recordJoins, recordOf, resultColumns, resultOf, shortRecord } from './rows.ts';

/** The statements behind reads and writes of single rows. */
export class EmbeddedTransaction implements Transaction {
  private readonly database: Database;
  private readonly ids: GrowingIds;
  private readonly clock: Clock;

  constructor(database: Database, ids: GrowingIds, clock: Clock) {
    this.database = database;
    this.ids = ids;
    this.clock = clock;
  }

  async getResult(parent: string, name: string): Promise<ResultRow | undefined> {
    const row = this.resultRow(parent, name);
    return row && resultOf(row);
  }

  async insertResult(given: NewResult): Promise<ResultRow> {
    const { id, now } = this.born();
    const row: ResultRow = { ...given, id, created: now, updated: now, etag: etagOf(id, now) };
    const seq = this.database.run(
      `INSERT INTO results (id, parent, name, annotations, created, updated, s_record, s_type, s_start, s_end, s_status, s_annotations)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (parent, name) DO NOTHING`,
      [id, row.parent, row.name, JSON.stringify(row.annotations), now, now, ...summaryValues(row)],
    );
    if (seq === undefined) throw new DuplicateError('results_by_name');
    this.addFacts('results', seq, resultFacts(row));
    return row;
  }

  async updateResult(given: ResultRow): Promise<ResultRow> {
    const known = this.resultRow(given.parent, given.name);
    if (!known) throw new MissingResultError();
    const seq = Number(known['seq']);
    const updated = this.changed(given.updated);
    const row = { ...given, updated, etag: etagOf(given.id, updated) };
    this.removeFacts('results', seq, resultFacts(resultOf(known)));
    this.database.run(
      `UPDATE results SET annotations = ?, updated = ?, s_record = ?, s_type = ?, s_start = ?, s_end = ?, s_status = ?, s_annotations = ?
       WHERE seq = ?`,
      [JSON.stringify(row.annotations), updated, ...summaryValues(row), seq],
    );
    this.addFacts('results', seq, resultFacts(row));
    return row;
  }

  async deleteResult({ parent, name }: ResultRow): Promise<void> {
    const known = this.resultRow(parent, name);
    if (!known) return;
    const seq = Number(known['seq']);
    const sql = `SELECT ${recordColumns} FROM records r ${recordJoins} WHERE r.result = ?`;
    for (const record of this.database.all(sql, [seq])) this.removeRecord(record);
    this.removeFacts('results', seq, resultFacts(resultOf(known)));
    this.database.run('DELETE FROM results WHERE seq = ?', [seq]);
  }

  async getRecord(parent: string, resultName: string, name: string): Promise<RecordRow | undefined> {
    const row = this.recordRow(parent, resultName, name);
    return row && recordOf(row);
  }

  async insertRecord(given: NewRecord): Promise<RecordRow> {
    const result = this.database.get('SELECT seq FROM results WHERE id = ?', [given.resultId])?.['seq'];
    if (result === undefined) throw new MissingResultError();
    const { id, now } = this.born();
    const row: RecordRow = { ...given, id, created: now, updated: now, etag: etagOf(id, now) };
    const seq = this.database.run(
      `INSERT INTO records (id, result, parent, name, type, created, updated) VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (result, name) DO NOTHING`,
      [id, result, row.parent, row.name, row.type, now, now],
    );
    if (seq === undefined) throw new DuplicateError('records_by_name');
    this.database.run('INSERT INTO bodies (seq, data) VALUES (?, ?)', [seq, compressBody(row.data)]);
    this.addFacts('records', seq, recordFacts(row));
    return row;
  }

  async updateRecord(given: RecordRow): Promise<RecordRow> {
    const known = this.recordRow(given.parent, given.resultName, given.name);
    if (!known) throw new MissingResultError();
    const seq = Number(known['seq']);
    const updated = this.changed(given.updated);
    const row = { ...given, updated, etag: etagOf(given.id, updated) };
    this.removeFacts('records', seq, recordFacts(recordOf(known)));
    this.database.run('UPDATE records SET type = ?, updated = ? WHERE seq = ?', [row.type, updated, seq]);
    this.database.run('UPDATE bodies SET data = ? WHERE seq = ?', [compressBody(row.data), seq]);
    this.addFacts('records', seq, recordFacts(row));
    return row;
  }

  async deleteRecord({ parent, resultName, name }: RecordRow): Promise<void> {
    const known = this.recordRow(parent, resultName, name);
    if (known) this.removeRecord(known);
  }

  private removeRecord(row: SqlRow): void {
    const seq = Number(row['seq']);
    this.removeFacts('records', seq, recordFacts(recordOf(row)));
    this.database.run('DELETE FROM bodies WHERE seq = ?', [seq]);
    this.database.run('DELETE FROM records WHERE seq = ?', [seq]);
  }

  private resultRow(parent: string, name: string): SqlRow | undefined {
    return this.database.get(`SELECT ${resultColumns} FROM results r WHERE r.parent = ? AND r.name = ?`, [
      parent,
      name,
    ]);
  }

  private recordRow(parent: string, resultName: string, name: string): SqlRow | undefined {
    const result = this.database.get('SELECT seq FROM results WHERE parent = ? AND name = ?', [parent, resultName]);
    if (!result) return undefined;
    const sql = `SELECT ${recordColumns} FROM records r ${recordJoins} WHERE r.result = ? AND r.name = ?`;
    return this.database.get(sql, [result['seq'] as SqlValue, name]);
  }

  private born(): { readonly id: string; readonly now: number } {
    const now = this.clock.now();
    return { id: this.ids.next(now), now: Math.floor(now * 1000) };
  }

  /** Every change has a separate time, because the etag is made of it. */
  private changed(before: number): number {
    return Math.max(Math.floor(this.clock.now() * 1000), before + 1);
  }

  private addFacts(table: Table, seq: number, facts: readonly Fact[]): void {
    const values = facts.map(() => '(?, ?)').join(', ');
    const sql = `INSERT OR IGNORE INTO ${table}_facts VALUES ${values}`;
    if (facts.length > 0)
      this.database.run(
        sql,
        facts.flatMap((fact) => [fact, seq]),
      );
  }

  private removeFacts(table: Table, seq: number, facts: readonly Fact[]): void {
    for (const fact of facts) this.database.run(`DELETE FROM ${table}_facts WHERE fact = ? AND seq = ?`, [fact, seq]);
  }
}

function summaryValues({ parent, name, summary }: ResultRow): readonly SqlValue[] {
  if (!summary) return ['', '', null, null, 0, null];
  const record = shortRecord(parent, name, summary.record);
  const { type, start = null, end = null, status, annotations } = summary;
  return [record, type, start, end, status, annotations === undefined ? null : JSON.stringify(annotations)];
}

function resultFacts({ parent, annotations, summary }: ResultRow): readonly Fact[] {
  const columns = {
    parent,
    recordsummary_type: summary?.type ?? '',
    recordsummary_status: summary?.status ?? 0,
  };
  return factsOf('results', columns, { annotations, recordsummary_annotations: summary?.annotations });
}

function recordFacts({ parent, type, name, resultName, data }: RecordRow): readonly Fact[] {
  return factsOf('records', { parent, type, name, result_name: resultName }, { data: parsed(data) });
}

function parsed(data: Uint8Array): unknown {
  return JSON.parse(Buffer.from(data).toString()) as unknown;
}
