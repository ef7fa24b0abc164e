import type { RecordRow, ResultRow, SummaryRow } from '../storage.ts';

export type PostgresRow = Readonly<Record<string, unknown>>;

const micros = (column: string) => `(extract(epoch FROM ${column}) * 1000000)::bigint`;

export const resultColumns = `id, parent, name, annotations::text AS annotations, etag,
  ${micros('created_time')} AS created, ${micros('updated_time')} AS updated, recordsummary_record, recordsummary_type,
  ${micros('recordsummary_start_time')} AS s_start, ${micros('recordsummary_end_time')} AS s_end, recordsummary_status,
  recordsummary_annotations::text AS s_annotations`;

export const recordColumns = `id, parent, result_id, result_name, name, type, data::text AS data, etag,
  ${micros('created_time')} AS created, ${micros('updated_time')} AS updated`;

const textOf = (value: unknown) => (value === null || value === undefined ? '' : String(value));
const numberOf = (value: unknown) => (value === null || value === undefined ? undefined : Number(value));
const mapOf = (value: unknown) =>
  (typeof value === 'string' ? (JSON.parse(value) as Record<string, string> | null) : undefined) ?? undefined;

export function resultOf(row: PostgresRow): ResultRow {
  return {
    id: textOf(row['id']),
    parent: textOf(row['parent']),
    name: textOf(row['name']),
    annotations: mapOf(row['annotations']) ?? {},
    created: numberOf(row['created']) ?? 0,
    updated: numberOf(row['updated']) ?? 0,
    etag: textOf(row['etag']),
    ...(textOf(row['recordsummary_record']) === '' ? {} : { summary: summaryOf(row) }),
  };
}

function summaryOf(row: PostgresRow): SummaryRow {
  const [start, end, annotations] = [numberOf(row['s_start']), numberOf(row['s_end']), mapOf(row['s_annotations'])];
  return {
    record: textOf(row['recordsummary_record']),
    type: textOf(row['recordsummary_type']),
    status: numberOf(row['recordsummary_status']) ?? 0,
    ...(start === undefined ? {} : { start }),
    ...(end === undefined ? {} : { end }),
    ...(annotations === undefined ? {} : { annotations }),
  };
}

export function recordOf(row: PostgresRow): RecordRow {
  return {
    id: textOf(row['id']),
    parent: textOf(row['parent']),
    resultId: textOf(row['result_id']),
    resultName: textOf(row['result_name']),
    name: textOf(row['name']),
    type: textOf(row['type']),
    data: Buffer.from(textOf(row['data'])),
    created: numberOf(row['created']) ?? 0,
    updated: numberOf(row['updated']) ?? 0,
    etag: textOf(row['etag']),
  };
}
