import { type FilteredRow, matches } from '../../filter/evaluate.ts';
import type { Condition, JsonColumn } from '../../filter/condition.ts';
import { etagOf, type RecordRow, type ResultRow, type SummaryRow } from '../storage.ts';
import { expandBody } from './body.ts';
import type { SqlRow, SqlValue } from './database.ts';
import type { ListedTable } from './list-walk.ts';

export const resultColumns =
  'r.seq, r.id, r.parent, r.name, r.annotations, r.created, r.updated, r.s_record, r.s_type, r.s_start, r.s_end, r.s_status, r.s_annotations';

export const recordColumns =
  'r.seq, r.id, r.parent, r.name, r.type, r.created, r.updated, p.id AS result_id, p.name AS result_name, b.data';

export const recordJoins = 'CROSS JOIN results p ON p.seq = r.result CROSS JOIN bodies b ON b.seq = r.seq';

const optional = (value: SqlValue | undefined) => (value === null || value === undefined ? undefined : Number(value));

export function resultOf(row: SqlRow): ResultRow {
  const [id, updated] = [String(row['id']), Number(row['updated'])];
  return {
    id,
    parent: String(row['parent']),
    name: String(row['name']),
    annotations: JSON.parse(String(row['annotations'])) as Record<string, string>,
    created: Number(row['created']),
    updated,
    etag: etagOf(id, updated),
    ...(row['s_record'] === '' ? {} : { summary: summaryOf(row) }),
  };
}

/** The record of a summary is nearly always one of the same Result; then its last part is enough. */
export function shortRecord(parent: string, name: string, record: string): string {
  const own = `${parent}/results/${name}/records/`;
  return record.startsWith(own) ? `/${record.slice(own.length)}` : record;
}

function longRecord(row: SqlRow): string {
  const text = String(row['s_record']);
  return text.startsWith('/') ? `${row['parent']}/results/${row['name']}/records/${text.slice(1)}` : text;
}

function summaryOf(row: SqlRow): SummaryRow {
  const [start, end] = [optional(row['s_start']), optional(row['s_end'])];
  return {
    record: longRecord(row),
    type: String(row['s_type']),
    status: Number(row['s_status']),
    ...(start === undefined ? {} : { start }),
    ...(end === undefined ? {} : { end }),
    ...(row['s_annotations'] === null
      ? {}
      : { annotations: JSON.parse(String(row['s_annotations'])) as Record<string, string> }),
  };
}

export function recordOf(row: SqlRow): RecordRow {
  const [id, updated] = [String(row['id']), Number(row['updated'])];
  return {
    id,
    parent: String(row['parent']),
    resultId: String(row['result_id']),
    resultName: String(row['result_name']),
    name: String(row['name']),
    type: String(row['type']),
    data: expandBody(row['data'] as Uint8Array),
    created: Number(row['created']),
    updated,
    etag: etagOf(id, updated),
  };
}

/** The columns that filters name, by their names in PostgreSQL. */
const resultNames: Readonly<Record<string, string>> = {
  created_time: 'created',
  updated_time: 'updated',
  recordsummary_type: 's_type',
  recordsummary_start_time: 's_start',
  recordsummary_end_time: 's_end',
  recordsummary_status: 's_status',
};

class RowView implements FilteredRow {
  private readonly row: SqlRow;
  private readonly parse: (column: JsonColumn) => unknown;
  private readonly parsed = new Map<JsonColumn, unknown>();

  constructor(row: SqlRow, parse: (column: JsonColumn) => unknown) {
    this.row = row;
    this.parse = parse;
  }

  column(name: string): string | number | undefined {
    if (name === 'recordsummary_record') return longRecord(this.row);
    const value = this.row[resultNames[name] ?? name];
    if (typeof value === 'bigint') return Number(value);
    return typeof value === 'string' || typeof value === 'number' ? value : undefined;
  }

  json(column: JsonColumn): unknown {
    if (!this.parsed.has(column)) this.parsed.set(column, this.parse(column));
    return this.parsed.get(column);
  }
}

const accepts = (row: SqlRow, filter: Condition | undefined, parse: (column: JsonColumn) => unknown) =>
  filter === undefined || matches(filter, new RowView(row, parse));

export const listedResults: ListedTable = {
  table: 'results',
  columns: resultColumns,
  joins: '',
  accepts: (row, filter) =>
    accepts(row, filter, (column) => {
      const text = row[column === 'annotations' ? 'annotations' : 's_annotations'];
      return typeof text === 'string' ? JSON.parse(text) : undefined;
    }),
};

export const listedRecords: ListedTable = {
  table: 'records',
  columns: recordColumns,
  joins: recordJoins,
  accepts: (row, filter) =>
    accepts(row, filter, () => JSON.parse(expandBody(row['data'] as Uint8Array).toString()) as unknown),
};
