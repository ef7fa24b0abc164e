import type { CallerHeaders } from '../access/access.ts';
import type { LogsApi } from '../api/logs-api.ts';
import type { ResultsApi } from '../api/results-api.ts';
import type { MessageDescriptor } from '../wire/message.ts';
import {
  createRecordRequestType,
  createResultRequestType,
  emptyType,
  httpBodyType,
  listRecordsResponseType,
  listRequestType,
  listResultsResponseType,
  logChunkType,
  logSummaryType,
  type LogChunk,
  nameRequestType,
  recordListSummaryType,
  recordType,
  resultType,
  summaryRequestType,
  updateRecordRequestType,
  updateResultRequestType,
} from '../wire/messages.ts';

interface Shape<In, Out> {
  readonly input: MessageDescriptor<In>;
  readonly output: MessageDescriptor<Out>;
}

/** A method of a service, as gRPC and REST call it. */
export type Method =
  | (Shape<unknown, unknown> & {
      readonly kind: 'unary';
      call(caller: CallerHeaders, request: unknown, signal: AbortSignal): Promise<unknown>;
    })
  | (Shape<unknown, unknown> & {
      readonly kind: 'sends';
      call(caller: CallerHeaders, request: unknown): Promise<AsyncIterable<unknown>>;
    })
  | (Shape<unknown, unknown> & {
      readonly kind: 'receives';
      call(caller: CallerHeaders, requests: AsyncIterable<unknown>): Promise<unknown>;
    });

/** Methods by service and name. */
export type Methods = Readonly<Record<string, Readonly<Record<string, Method>>>>;

export const resultsService = 'tekton.results.v1alpha2.Results';
export const logsService = 'tekton.results.v1alpha2.Logs';
/** Reads logs alone; `tkn-results logs get` asks it first. */
const newLogsService = 'tekton.results.v1alpha3.Logs';

/** The methods of upstream's services. Without an API for logs, there is no such service. */
export function methodsOf(results: ResultsApi, logs: LogsApi | undefined): Methods {
  if (!logs) return { [resultsService]: resultsMethods(results) };
  const { GetLog, ...rest } = logsMethods(logs);
  return {
    [resultsService]: resultsMethods(results),
    [logsService]: { GetLog, ...rest },
    [newLogsService]: { GetLog },
  };
}

function unary<In, Out>(
  input: MessageDescriptor<In>,
  output: MessageDescriptor<Out>,
  call: (caller: CallerHeaders, request: In, signal: AbortSignal) => Promise<Out>,
): Method {
  return { kind: 'unary', input, output, call: (caller, request, signal) => call(caller, request as In, signal) };
}

function resultsMethods(api: ResultsApi): Readonly<Record<string, Method>> {
  return {
    CreateResult: unary(createResultRequestType, resultType, (caller, request) => api.createResult(caller, request)),
    UpdateResult: unary(updateResultRequestType, resultType, (caller, request) => api.updateResult(caller, request)),
    GetResult: unary(nameRequestType, resultType, (caller, request) => api.getResult(caller, request)),
    DeleteResult: unary(nameRequestType, emptyType, (caller, request) => api.deleteResult(caller, request)),
    ListResults: unary(listRequestType, listResultsResponseType, (caller, request, signal) =>
      api.listResults(caller, request, signal),
    ),
    CreateRecord: unary(createRecordRequestType, recordType, (caller, request) => api.createRecord(caller, request)),
    UpdateRecord: unary(updateRecordRequestType, recordType, (caller, request) => api.updateRecord(caller, request)),
    GetRecord: unary(nameRequestType, recordType, (caller, request) => api.getRecord(caller, request)),
    ListRecords: unary(listRequestType, listRecordsResponseType, (caller, request, signal) =>
      api.listRecords(caller, request, signal),
    ),
    DeleteRecord: unary(nameRequestType, emptyType, (caller, request) => api.deleteRecord(caller, request)),
    GetRecordListSummary: unary(summaryRequestType, recordListSummaryType, (caller, request, signal) =>
      api.summarize(caller, request, signal),
    ),
  };
}

function logsMethods(api: LogsApi): Readonly<Record<string, Method>> & { readonly GetLog: Method } {
  return {
    GetLog: {
      kind: 'sends',
      input: nameRequestType,
      output: httpBodyType,
      call: (caller, request) => api.getLog(caller, request as object),
    },
    ListLogs: unary(listRequestType, listRecordsResponseType, (caller, request, signal) =>
      api.listLogs(caller, request, signal),
    ),
    UpdateLog: {
      kind: 'receives',
      input: logChunkType,
      output: logSummaryType,
      call: (caller, requests) => api.updateLog(caller, requests as AsyncIterable<LogChunk>),
    },
    DeleteLog: unary(nameRequestType, emptyType, (caller, request) => api.deleteLog(caller, request)),
  };
}
