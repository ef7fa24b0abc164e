import { jsonSyntaxError } from '@tektite/go';
import type { NewResult, RecordRow, ResultRow, SummaryRow } from '../storage/storage.ts';
import type { RecordSummary, Result, ResultRecord } from '../wire/messages.ts';
import { invalidArgument } from './api-error.ts';
import { formatRecordName, formatResultName, isRecordName, parseResultName } from './names.ts';

/** A stored Result as clients see it. */
export function resultMessage(row: ResultRow): Result {
  const { id, created, updated, annotations, etag, summary } = row;
  return {
    name: formatResultName({ parent: row.parent, result: row.name }),
    ...identity(id, created, updated),
    annotations,
    etag,
    ...(summary ? { summary: summaryMessage(summary) } : {}),
  };
}

function summaryMessage({ record, type, start, end, status, annotations }: SummaryRow): RecordSummary {
  return {
    record,
    type,
    status,
    ...(start === undefined ? {} : { start_time: start }),
    ...(end === undefined ? {} : { end_time: end }),
    ...(annotations === undefined ? {} : { annotations }),
  };
}

export function recordMessage(row: RecordRow): ResultRecord {
  const { id, created, updated, etag, type, data } = row;
  return {
    name: formatRecordName({ parent: row.parent, result: row.resultName, name: row.name }),
    ...identity(id, created, updated),
    etag,
    data: { type, value: data },
  };
}

function identity(id: string, created: number, updated: number): Result {
  return { id, uid: id, created_time: created, create_time: created, updated_time: updated, update_time: updated };
}

/** A sent Result as it is stored. */
export function storedResult({ name, annotations = {}, summary }: Result): NewResult {
  const { parent, result } = parseResultName(name);
  return { parent, name: result, annotations, ...(summary ? { summary: storedSummary(summary) } : {}) };
}

function storedSummary(summary: RecordSummary): SummaryRow {
  const { record = '', type = '', start_time: start, end_time: end, status = 0, annotations } = summary;
  if (record === '' || type === '') throw invalidArgument('record and type fields required for RecordSummary');
  if (!isRecordName(record)) throw invalidArgument('invalid record format');
  checkType(type);
  return {
    record,
    type,
    status,
    ...(start === undefined ? {} : { start }),
    ...(end === undefined ? {} : { end }),
    ...(annotations === undefined ? {} : { annotations }),
  };
}

const maxTypeLength = 768;
const typeTooLong = `type must not exceed ${maxTypeLength} characters`;

/** Upstream wraps some errors twice. */
export function wrapped(text: string): string {
  return `rpc error: code = InvalidArgument desc = ${text}`;
}

export function checkType(type: string): void {
  if (Buffer.byteLength(type) > maxTypeLength) throw invalidArgument(typeTooLong);
}

/** The data of a record is JSON. */
export function checkData(type: string, data: Uint8Array): unknown {
  if (Buffer.byteLength(type) > maxTypeLength) throw invalidArgument(wrapped(typeTooLong));
  try {
    return JSON.parse(Buffer.from(data).toString()) as unknown;
  } catch {
    throw invalidArgument(jsonSyntaxError(data));
  }
}
