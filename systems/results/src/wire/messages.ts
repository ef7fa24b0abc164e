import { message, type EnumDescriptor } from './message.ts';

/**
 * The messages of `tekton.results.v1alpha2`, with upstream's field numbers. Fields of a decoded message that were not sent are absent.
 */

export interface RecordSummary {
  readonly record?: string;
  readonly type?: string;
  readonly start_time?: number;
  readonly end_time?: number;
  readonly status?: number;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface Result {
  readonly name?: string;
  readonly id?: string;
  readonly uid?: string;
  readonly created_time?: number;
  readonly create_time?: number;
  readonly updated_time?: number;
  readonly update_time?: number;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly etag?: string;
  readonly summary?: RecordSummary;
}

export interface Any {
  readonly type?: string;
  readonly value?: Uint8Array;
}

export interface ResultRecord {
  readonly name?: string;
  readonly id?: string;
  readonly uid?: string;
  readonly data?: Any;
  readonly etag?: string;
  readonly created_time?: number;
  readonly create_time?: number;
  readonly updated_time?: number;
  readonly update_time?: number;
}

export interface NameRequest {
  readonly name?: string;
}

export interface ListRequest {
  readonly parent?: string;
  readonly filter?: string;
  readonly page_size?: number;
  readonly page_token?: string;
  readonly order_by?: string;
}

export interface ListResultsResponse {
  readonly results?: readonly Result[];
  readonly next_page_token?: string;
}

export interface ListRecordsResponse {
  readonly records?: readonly ResultRecord[];
  readonly next_page_token?: string;
}

export interface CreateResultRequest {
  readonly parent?: string;
  readonly result?: Result;
}

export interface UpdateResultRequest {
  readonly name?: string;
  readonly result?: Result;
  readonly etag?: string;
}

export interface CreateRecordRequest {
  readonly parent?: string;
  readonly record?: ResultRecord;
}

export interface UpdateRecordRequest {
  readonly record?: ResultRecord;
  readonly etag?: string;
}

export interface SummaryRequest {
  readonly parent?: string;
  readonly summary?: string;
  readonly filter?: string;
  readonly group_by?: string;
  readonly order_by?: string;
}

export interface RecordListSummary {
  readonly summary?: readonly Readonly<Record<string, unknown>>[];
}

export interface LogChunk {
  readonly name?: string;
  readonly data?: Uint8Array;
}

export interface LogSummary {
  readonly record?: string;
  readonly bytesReceived?: number;
}

export interface HttpBody {
  readonly content_type?: string;
  readonly data?: Uint8Array;
}

export const recordStatus: EnumDescriptor = { names: ['UNKNOWN', 'SUCCESS', 'FAILURE', 'TIMEOUT', 'CANCELLED'] };

const recordSummaryType = message<RecordSummary>({
  record: [1, 'string'],
  type: [2, 'string'],
  start_time: [3, 'timestamp'],
  end_time: [4, 'timestamp'],
  status: [5, recordStatus],
  annotations: [6, 'textMap'],
});

export const resultType = message<Result>({
  name: [1, 'string'],
  id: [2, 'string'],
  created_time: [3, 'timestamp'],
  annotations: [4, 'textMap'],
  etag: [5, 'string'],
  updated_time: [6, 'timestamp'],
  uid: [7, 'string'],
  create_time: [8, 'timestamp'],
  update_time: [9, 'timestamp'],
  summary: [10, () => recordSummaryType],
});

const anyType = message<Any>({ type: [1, 'string'], value: [2, 'bytes'] });

export const recordType = message<ResultRecord>({
  name: [1, 'string'],
  id: [2, 'string'],
  data: [3, () => anyType],
  etag: [4, 'string'],
  created_time: [5, 'timestamp'],
  updated_time: [6, 'timestamp'],
  uid: [7, 'string'],
  create_time: [8, 'timestamp'],
  update_time: [9, 'timestamp'],
});

export const nameRequestType = message<NameRequest>({ name: [1, 'string'] });

export const listRequestType = message<ListRequest>({
  parent: [1, 'string'],
  filter: [2, 'string'],
  page_size: [3, 'int32'],
  page_token: [4, 'string'],
  order_by: [5, 'string'],
});

export const listResultsResponseType = message<ListResultsResponse>({
  results: [1, () => resultType, 'repeated'],
  next_page_token: [2, 'string'],
});

export const listRecordsResponseType = message<ListRecordsResponse>({
  records: [1, () => recordType, 'repeated'],
  next_page_token: [2, 'string'],
});

export const createResultRequestType = message<CreateResultRequest>({
  parent: [1, 'string'],
  result: [2, () => resultType],
});

export const updateResultRequestType = message<UpdateResultRequest>({
  name: [1, 'string'],
  result: [2, () => resultType],
  etag: [3, 'string'],
});

export const createRecordRequestType = message<CreateRecordRequest>({
  parent: [1, 'string'],
  record: [2, () => recordType],
});

export const updateRecordRequestType = message<UpdateRecordRequest>({
  record: [1, () => recordType],
  etag: [3, 'string'],
});

export const summaryRequestType = message<SummaryRequest>({
  parent: [1, 'string'],
  summary: [2, 'string'],
  filter: [3, 'string'],
  group_by: [4, 'string'],
  order_by: [5, 'string'],
});

export const recordListSummaryType = message<RecordListSummary>({ summary: [1, 'struct', 'repeated'] });

export const emptyType = message<object>({});

export const logChunkType = message<LogChunk>({ name: [1, 'string'], data: [2, 'bytes'] });

export const logSummaryType = message<LogSummary>({ record: [1, 'string'], bytesReceived: [2, 'int64'] });

export const httpBodyType = message<HttpBody>({ content_type: [1, 'string'], data: [2, 'bytes'] });

/** The content of a page token. */
export interface PageToken {
  readonly parent?: string;
  readonly filter?: string;
  readonly last_item?: PageItem;
}

interface PageItem {
  readonly uid?: string;
  readonly order_by?: PageOrder;
}

interface PageOrder {
  readonly field_name?: string;
  readonly value?: number;
  readonly direction?: number;
}

const pageOrderType = message<PageOrder>({
  field_name: [1, 'string'],
  value: [2, 'timestamp'],
  direction: [3, { names: ['ASC', 'DESC'] }],
});

const pageItemType = message<PageItem>({ uid: [1, 'string'], order_by: [2, () => pageOrderType] });

export const pageTokenType = message<PageToken>({
  parent: [1, 'string'],
  filter: [2, 'string'],
  last_item: [3, () => pageItemType],
});
