import type { Condition } from '../filter/condition.ts';

/** Times are microseconds since 1970. */
export interface ResultRow {
  readonly id: string;
  readonly parent: string;
  readonly name: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly created: number;
  readonly updated: number;
  readonly summary?: SummaryRow;
  readonly etag: string;
}

export interface SummaryRow {
  readonly record: string;
  readonly type: string;
  readonly start?: number;
  readonly end?: number;
  readonly status: number;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface RecordRow {
  readonly id: string;
  readonly parent: string;
  readonly resultId: string;
  readonly resultName: string;
  readonly name: string;
  readonly type: string;
  /** The JSON of the record, as it was sent, except for PostgreSQL, which formats it. */
  readonly data: Uint8Array;
  readonly created: number;
  readonly updated: number;
  readonly etag: string;
}

/** The values of a new row; the storage gives it its id, its times and its etag. */
export type NewResult = Omit<ResultRow, 'id' | 'created' | 'updated' | 'etag'>;
export type NewRecord = Omit<RecordRow, 'id' | 'created' | 'updated' | 'etag'>;

export type OrderColumn =
  | 'id'
  | 'created_time'
  | 'updated_time'
  | 'recordsummary_start_time'
  | 'recordsummary_end_time';

export interface ListQuery {
  /** Absent: all of them. */
  readonly parent?: string;
  readonly resultName?: string;
  readonly filter?: Condition;
  readonly order: { readonly column: OrderColumn; readonly descending: boolean };
  /** Only what comes after this one, in that order. */
  readonly after?: { readonly id: string; readonly value?: number };
  readonly limit: number;
}

export interface Page<T> {
  readonly rows: readonly T[];
  /** There are more rows: the limit was reached, or that of the bytes of a page. */
  readonly hasMore: boolean;
}

/** A page has no more bytes of data than that, and at least one row. */
export const maxPageBytes = 32 * 1024 * 1024;

/** Reads and writes that happen together or not at all. */
export interface Transaction {
  getResult(parent: string, name: string): Promise<ResultRow | undefined>;
  insertResult(row: NewResult): Promise<ResultRow>;
  updateResult(row: ResultRow): Promise<ResultRow>;
  deleteResult(row: ResultRow): Promise<void>;
  getRecord(parent: string, resultName: string, name: string): Promise<RecordRow | undefined>;
  insertRecord(row: NewRecord): Promise<RecordRow>;
  updateRecord(row: RecordRow): Promise<RecordRow>;
  deleteRecord(row: RecordRow): Promise<void>;
}

/** Which Results are kept how long. */
export interface ExpiryRule {
  readonly namespaces: readonly string[];
  readonly labels: Readonly<Record<string, readonly string[]>>;
  readonly annotations: Readonly<Record<string, readonly string[]>>;
  readonly statuses: readonly string[];
  readonly retentionMs: number;
}

/**
 * Where Results and Records are.
 *
 * Guarantees
 * - When the promise of `transact` resolves, everything that was written in it survives a crash; when it rejects, nothing of it was
 *   written.
 * - A name is there once; a Record is there only with its Result, and goes with it.
 * - Ids of later rows are greater in the embedded storage, so its standard order is that of creation.
 * - A list reads a bounded number of rows. A filter that would need more is refused with `FilterCostError`.
 */
export interface ResultsStorage extends AsyncDisposable {
  transact<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>;
  getResult(parent: string, name: string): Promise<ResultRow | undefined>;
  getRecord(parent: string, resultName: string, name: string): Promise<RecordRow | undefined>;
  listResults(query: ListQuery, signal?: AbortSignal): Promise<Page<ResultRow>>;
  listRecords(query: ListQuery, signal?: AbortSignal): Promise<Page<RecordRow>>;
  /** Deletes the Results whose top-level run is older than the first rule that matches it allows. Returns how many. */
  expire(rules: readonly ExpiryRule[], signal?: AbortSignal): Promise<number>;
}

/** A row with this name is there already. The text is that of PostgreSQL. */
export class DuplicateError extends Error {
  constructor(index: string) {
    super(`ERROR: duplicate key value violates unique constraint "${index}" (SQLSTATE 23505)`);
  }
}

/** The Result of a Record was deleted. */
export class MissingResultError extends Error {
  constructor() {
    super(
      'ERROR: insert or update on table "records" violates foreign key constraint "fk_records_result" (SQLSTATE 23503)',
    );
  }
}

/** A filter reads more rows than one request may. */
export class FilterCostError extends Error {
  constructor() {
    super(
      'the filter reads too many rows; name a parent, data_type, data.metadata.name or a label, with ==, so that an index can answer it',
    );
  }
}

/** A value of a filter has not the form that the database wants. The text is the database's. */
export class FilterValueError extends Error {}

/** A value that the database cannot keep. The text is the database's. */
export class UnstorableError extends Error {}

/** The etag of a row: its id and the nanosecond of its last change. */
export function etagOf(id: string, updated: number): string {
  return `${id}-${updated}000`;
}

/** The types that runs are archived as. */
export const topLevelTypes = ['tekton.dev/v1.PipelineRun', 'tekton.dev/v1.TaskRun', 'tekton.dev/v1beta1.CustomRun'];
