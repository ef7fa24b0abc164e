import type { Access, CallerHeaders } from '../access/access.ts';
import { recordFilters } from '../filter/environments.ts';
import { type LogFiles, logPath, LogSizeError } from '../logs/log-files.ts';
import { isLogType, logData, type LogObject, logObject, logType } from '../logs/log-object.ts';
import type { Condition } from '../filter/condition.ts';
import type { RecordRow, ResultsStorage } from '../storage/storage.ts';
import type {
  HttpBody,
  ListRecordsResponse,
  ListRequest,
  LogChunk,
  LogSummary,
  NameRequest,
} from '../wire/messages.ts';
import { ApiError, codes, invalidArgument } from './api-error.ts';
import { formatLogName, formatRecordName, parseLogName, parseResultName, type RecordName } from './names.ts';
import { planList, recordOrders } from './page.ts';
import { found, type ResultsApiOptions, scopeOf } from './results-api.ts';
import { recordMessage } from './rows.ts';

/** The service `tekton.results.v1alpha2.Logs`. */
export class LogsApi {
  private readonly storage: ResultsStorage;
  private readonly access: Access;
  private readonly files: LogFiles;

  constructor({ storage, access, logs }: Required<ResultsApiOptions>) {
    this.storage = storage;
    this.access = access;
    this.files = logs;
  }

  /** The log of a Log record, or of a run by its uid. */
  async getLog(caller: CallerHeaders, { name: text }: NameRequest): Promise<AsyncIterable<HttpBody>> {
    const name = validName(() => parseLogName(text));
    await this.access.check(caller, name.parent, 'logs', 'get');
    const record = await this.logRecord(name);
    const log = objectOf(record);
    const path = logPath(record.parent, record.name, log.status.path);
    if (!log.status.isStored || log.status.size === 0 || !(await this.files.has(path)))
      throw new ApiError(codes.notFound, "Log doesn't exist");
    return bodies(this.files.read(path));
  }

  async listLogs(caller: CallerHeaders, request: ListRequest, signal?: AbortSignal): Promise<ListRecordsResponse> {
    if (!request.parent) throw invalidArgument('Parent missing');
    const name = validName(() => parseResultName(request.parent));
    await this.access.check(caller, name.parent, 'logs', 'list');
    const plan = planList(request, recordFilters, recordOrders);
    const { filter: given } = plan.query;
    const filter: Condition = { kind: 'and', of: [isLog, ...(given ? [given] : [])] };
    const { rows, hasMore } = await this.storage.listRecords({ ...plan.query, ...scopeOf(name), filter }, signal);
    const last = rows.at(-1);
    const records = rows.map((row) => ({ ...recordMessage(row), name: formatLogName(nameOf(row)) }));
    const token = (row: RecordRow) =>
      plan.token(row.id, (field) => (field === 'create_time' ? row.created : row.updated));
    return { records, ...(hasMore && last ? { next_page_token: token(last) } : {}) };
  }

  /** Receives a log in parts. It is there when all parts were received. */
  async updateLog(caller: CallerHeaders, chunks: AsyncIterable<LogChunk>): Promise<LogSummary> {
    const iterator = chunks[Symbol.asyncIterator]();
    const first = await iterator.next();
    if (first.done) return {};
    const text = first.value.name ?? '';
    const name = parseLogName(text);
    await this.access.check(caller, name.parent, 'logs', 'update');
    const record = found(await this.storage.getRecord(name.parent, name.result, name.name));
    const log = objectOf(record);
    const path = logPath(record.parent, record.name, undefined);
    let size: number;
    try {
      size = await this.files.write(path, parts(text, first.value, iterator));
    } catch (error) {
      if (!(error instanceof LogSizeError) && !(error instanceof ApiError)) throw error;
      await this.setStatus(record, { ...log.status, isStored: false, errorOnStoreMsg: error.message });
      throw error instanceof ApiError ? error : new ApiError(codes.resourceExhausted, error.message);
    }
    await this.setStatus(record, { path, size, isStored: true, errorOnStoreMsg: '', isRetryableErr: false });
    return { record: formatRecordName(name), bytesReceived: size };
  }

  async deleteLog(caller: CallerHeaders, { name: text }: NameRequest): Promise<object> {
    const name = parseLogName(text);
    await this.access.check(caller, name.parent, 'logs', 'delete');
    const record = await this.logRecord(name);
    await this.files.remove(logPath(record.parent, record.name, objectOf(record).status.path));
    await this.storage.transact((transaction) => transaction.deleteRecord(record));
    return {};
  }

  private async setStatus(record: RecordRow, status: LogObject['status']): Promise<void> {
    await this.storage.transact(async (transaction) => {
      const now = found(await transaction.getRecord(record.parent, record.resultName, record.name));
      await transaction.updateRecord({ ...now, data: logData({ ...objectOf(now), status }) });
    });
  }

  /** The record itself, or the one whose log is that of the run with this name. */
  private async logRecord({ parent, result, name }: RecordName): Promise<RecordRow> {
    const record = found(await this.storage.getRecord(parent, result, name));
    if (isLogType(record.type)) return record;
    const filter: Condition = { kind: 'and', of: [isLog, isOfResource(name)] };
    const order = { column: 'id', descending: false } as const;
    const { rows } = await this.storage.listRecords({ parent, resultName: result, filter, order, limit: 1 });
    return found(rows[0]);
  }
}

const isLog: Condition = {
  kind: 'compare',
  operator: '=',
  left: { kind: 'column', column: 'type', type: 'text' },
  right: { kind: 'constant', value: logType },
};

function isOfResource(uid: string): Condition {
  const left = { kind: 'json', column: 'data', path: ['spec', 'resource', 'uid'] } as const;
  return { kind: 'compare', operator: '=', left, right: { kind: 'constant', value: uid } };
}

function objectOf({ type, data }: RecordRow): LogObject {
  if (!isLogType(type)) throw new ApiError(codes.internal, 'Error streaming log');
  return logObject(JSON.parse(Buffer.from(data).toString()));
}

const nameOf = ({ parent, resultName, name }: RecordRow): RecordName => ({ parent, result: resultName, name });

function validName<T>(parse: () => T): T {
  try {
    return parse();
  } catch {
    throw invalidArgument('Invalid Name');
  }
}

async function* bodies(chunks: AsyncIterable<Buffer>): AsyncIterable<HttpBody> {
  for await (const data of chunks) yield { content_type: 'text/plain', data };
}

async function* parts(name: string, first: LogChunk, rest: AsyncIterator<LogChunk>): AsyncIterable<Uint8Array> {
  yield first.data ?? new Uint8Array();
  for (let next = await rest.next(); !next.done; next = await rest.next()) {
    if (next.value.name !== name)
      throw new ApiError(codes.unknown, 'cannot put logs for multiple records in the same server');
    yield next.value.data ?? new Uint8Array();
  }
}
