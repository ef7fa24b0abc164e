import { jsonTypeName } from '@tektite/go';
import type { Access, CallerHeaders } from '../access/access.ts';
import { DeniedError } from '../access/access.ts';
import { recordFilters, resultFilters } from '../filter/environments.ts';
import type { LogFiles } from '../logs/log-files.ts';
import { isLogType, logData, logObject } from '../logs/log-object.ts';
import {
  DuplicateError,
  FilterCostError,
  FilterValueError,
  type ListQuery,
  MissingResultError,
  type RecordRow,
  type ResultRow,
  type ResultsStorage,
  UnstorableError,
} from '../storage/storage.ts';
import type {
  CreateRecordRequest,
  CreateResultRequest,
  ListRecordsResponse,
  ListRequest,
  ListResultsResponse,
  NameRequest,
  RecordListSummary,
  Result,
  ResultRecord,
  SummaryRequest,
  UpdateRecordRequest,
  UpdateResultRequest,
} from '../wire/messages.ts';
import { ApiError, codes, invalidArgument, notFound } from './api-error.ts';
import { formatResultName, parseRecordName, parseResultName, type ResultName } from './names.ts';
import { planList, readFilter, recordOrders, resultOrders } from './page.ts';
import { checkData, recordMessage, resultMessage, storedResult, wrapped } from './rows.ts';
import { planSummary } from './summary.ts';

export interface ResultsApiOptions {
  readonly storage: ResultsStorage;
  readonly access: Access;
  readonly logs?: LogFiles;
}

/** The service `tekton.results.v1alpha2.Results`. Every method says who asks; rights are checked before anything is read. */
export class ResultsApi {
  private readonly storage: ResultsStorage;
  private readonly access: Access;

  constructor({ storage, access }: ResultsApiOptions) {
    this.storage = storage;
    this.access = access;
  }

  async createResult(caller: CallerHeaders, { parent, result = {} }: CreateResultRequest): Promise<Result> {
    const name = checkedName(result.name);
    if (parent !== name.parent) throw invalidArgument('requested parent does not match resource name');
    await this.access.check(caller, name.parent, 'results', 'create');
    const row = storedResult(result);
    return resultMessage(await this.storage.transact((transaction) => transaction.insertResult(row)));
  }

  async getResult(caller: CallerHeaders, { name }: NameRequest): Promise<Result> {
    const { parent, result } = checkedName(name);
    await this.access.check(caller, parent, 'results', 'get');
    return resultMessage(found(await this.storage.getResult(parent, result)));
  }

  async updateResult(caller: CallerHeaders, request: UpdateResultRequest): Promise<Result> {
    const { parent, result: name } = checkedName(request.name);
    await this.access.check(caller, parent, 'results', 'update');
    const given = storedResult({ ...request.result, name: request.name ?? '' });
    const updated = await this.storage.transact(async (transaction) => {
      const before = await transaction.getResult(parent, name);
      if (!before)
        throw new ApiError(
          codes.notFound,
          'failed to find a result: rpc error: code = NotFound desc = record not found',
        );
      checkEtag(request.etag, before);
      const { summary: _before, ...rest } = before;
      const { annotations, summary } = given;
      return transaction.updateResult({ ...rest, annotations, ...(summary ? { summary } : {}) });
    });
    return resultMessage(updated);
  }

  async deleteResult(caller: CallerHeaders, { name }: NameRequest): Promise<object> {
    const { parent, result } = parseResultName(name);
    await this.access.check(caller, parent, 'results', 'delete');
    await this.storage.transact(async (transaction) =>
      transaction.deleteResult(found(await transaction.getResult(parent, result))),
    );
    return {};
  }

  async listResults(caller: CallerHeaders, request: ListRequest, signal?: AbortSignal): Promise<ListResultsResponse> {
    if (!request.parent) throw invalidArgument('parent missing');
    await this.access.check(caller, request.parent, 'results', 'list');
    const plan = planList(request, resultFilters, resultOrders);
    const scope = scopeOf({ parent: request.parent.trim(), result: '-' });
    const { rows, hasMore } = await this.storage.listResults({ ...plan.query, ...scope }, signal);
    const last = rows.at(-1);
    return {
      results: rows.map(resultMessage),
      ...(hasMore && last ? { next_page_token: plan.token(last.id, (field) => resultTime(last, field)) } : {}),
    };
  }

  async createRecord(caller: CallerHeaders, { parent, record = {} }: CreateRecordRequest): Promise<ResultRecord> {
    const name = parseRecordName(record.name);
    if (parent !== formatResultName(name)) throw invalidArgument('requested parent does not match resource name');
    await this.access.check(caller, name.parent, 'records', 'create');
    const { type, data } = storedData(record);
    const row = await this.storage.transact(async (transaction) => {
      const { id } = found(await transaction.getResult(name.parent, name.result));
      return transaction.insertRecord({ ...rowName(name), resultId: id, type, data });
    });
    return recordMessage(row);
  }

  async getRecord(caller: CallerHeaders, { name: text }: NameRequest): Promise<ResultRecord> {
    const { parent, result, name } = parseRecordName(text);
    await this.access.check(caller, parent, 'records', 'get');
    return recordMessage(found(await this.storage.getRecord(parent, result, name)));
  }

  async updateRecord(caller: CallerHeaders, { record = {}, etag }: UpdateRecordRequest): Promise<ResultRecord> {
    const { parent, result, name } = parseRecordName(record.name);
    await this.access.check(caller, parent, 'records', 'update');
    const row = await this.storage.transact(async (transaction) => {
      const before = found(await transaction.getRecord(parent, result, name));
      checkEtag(etag, before);
      // As protobuf merges: what was not sent stays.
      const { type = before.type, value = before.data } = record.data ?? {};
      return transaction.updateRecord({ ...before, ...storedData({ data: { type, value } }) });
    });
    return recordMessage(row);
  }

  async deleteRecord(caller: CallerHeaders, { name: text }: NameRequest): Promise<object> {
    const { parent, result, name } = parseRecordName(text);
    await this.access.check(caller, parent, 'records', 'delete');
    await this.storage.transact(async (transaction) =>
      transaction.deleteRecord(found(await transaction.getRecord(parent, result, name))),
    );
    return {};
  }

  async listRecords(caller: CallerHeaders, request: ListRequest, signal?: AbortSignal): Promise<ListRecordsResponse> {
    if (!request.parent) throw invalidArgument('parent missing');
    const name = parseResultName(request.parent);
    await this.access.check(caller, name.parent, 'records', 'list');
    const plan = planList(request, recordFilters, recordOrders);
    const { rows, hasMore } = await this.storage.listRecords({ ...plan.query, ...scopeOf(name) }, signal);
    const last = rows.at(-1);
    return {
      records: rows.map(recordMessage),
      ...(hasMore && last ? { next_page_token: plan.token(last.id, (field) => recordTime(last, field)) } : {}),
    };
  }

  async summarize(caller: CallerHeaders, request: SummaryRequest, signal?: AbortSignal): Promise<RecordListSummary> {
    if (!request.parent) throw invalidArgument('parent missing');
    const name = parseResultName(request.parent);
    await this.access.check(caller, name.parent, 'records', 'get');
    const summary = planSummary(request);
    const filter = readFilter(request.filter ?? '', recordFilters);
    const base = {
      ...scopeOf(name),
      ...(filter ? { filter } : {}),
      order: { column: 'id', descending: false },
    } as const;
    for (let after: ListQuery['after']; ; ) {
      const page = await this.storage.listRecords({ ...base, limit: 500, ...(after ? { after } : {}) }, signal);
      for (const row of page.rows) summary.add(JSON.parse(Buffer.from(row.data).toString()));
      const last = page.rows.at(-1);
      if (!page.hasMore || !last) return { summary: summary.finish() };
      after = { id: last.id };
    }
  }
}

/** The error that a client gets. Those that no rule of the API explains are internal. */
export function apiErrorOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof DeniedError) return new ApiError(codes.unauthenticated, error.message);
  if (error instanceof DuplicateError) return new ApiError(codes.alreadyExists, error.message);
  if (error instanceof MissingResultError) return new ApiError(codes.failedPrecondition, error.message);
  if (error instanceof UnstorableError) return new ApiError(codes.unknown, error.message);
  if (error instanceof FilterValueError) return invalidArgument(error.message);
  if (error instanceof FilterCostError) return new ApiError(codes.resourceExhausted, error.message);
  return new ApiError(codes.internal, 'internal error', { cause: error });
}

function checkedName(text: string | undefined): ResultName {
  try {
    return parseResultName(text);
  } catch (error) {
    throw invalidArgument(wrapped((error as Error).message));
  }
}

export function found<T>(row: T | undefined): T {
  if (row === undefined) throw notFound();
  return row;
}

export function checkEtag(etag: string | undefined, row: { readonly etag: string }): void {
  if (etag && etag !== row.etag) throw new ApiError(codes.failedPrecondition, 'the etag mismatches');
}

/** `-` stands for all parents, and for all Results. */
export function scopeOf({ parent, result }: ResultName): Pick<ListQuery, 'parent' | 'resultName'> {
  return { ...(parent === '-' ? {} : { parent }), ...(result === '-' ? {} : { resultName: result }) };
}

function rowName({ parent, result, name }: ReturnType<typeof parseRecordName>) {
  return { parent, resultName: result, name };
}

function storedData({ data }: ResultRecord): { readonly type: string; readonly data: Uint8Array } {
  const { type = '', value = new Uint8Array() } = data ?? {};
  const json = checkData(type, value);
  if (!isLogType(type)) return { type, data: value };
  if (!isObjectOrNull(json))
    throw invalidArgument(`json: cannot unmarshal ${jsonTypeName(json)} into Go value of type v1alpha3.Log`);
  return { type, data: logData(logObject(json)) };
}

/** The fields that Go reads into a struct. */
const isObjectOrNull = (json: unknown): boolean => typeof json === 'object' && !Array.isArray(json);

function recordTime(row: RecordRow | ResultRow, field: string): number | undefined {
  return { create_time: row.created, update_time: row.updated }[field];
}

function resultTime(row: ResultRow, field: string): number | undefined {
  if (field === 'summary.start_time') return row.summary?.start;
  return field === 'summary.end_time' ? row.summary?.end : recordTime(row, field);
}
