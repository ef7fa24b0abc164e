import { once } from 'node:events';
import { jsonSyntaxError } from '@tektite/go';
import { parseTarget, type ServerRequest, type ServerResponse } from '@tektite/http';
import type { CallerHeaders } from '../access/access.ts';
import { ApiError, codes, invalidArgument } from '../api/api-error.ts';
import { apiErrorOf } from '../api/results-api.ts';
import { fromJson, fromQuery, JsonFormError, toJson } from '../wire/json.ts';
import type { Fields } from '../wire/message.ts';
import type { HttpBody } from '../wire/messages.ts';
import { callerOf, goneSignal } from './caller.ts';
import { applyFieldMask, type FieldMask, parseFieldMask } from './field-mask.ts';
import { logsService, type Method, type Methods, resultsService } from './methods.ts';

const maxBodyBytes = 4 * 1024 * 1024;

interface Route {
  readonly http: string;
  readonly path: RegExp;
  readonly service: string;
  readonly method: string;
  /** The field that the body is, and where the name of the path goes. */
  readonly body?: 'result' | 'record';
  readonly name: 'parent' | 'name' | 'result' | 'record';
}

const base = '^/apis/results\\.tekton\\.dev/v1alpha2/parents/';
const [result, segment] = ['[^/]+/results/[^/]+', '[^/]+'];

function route(http: string, tail: string, method: string, name: Route['name'], body?: Route['body']): Route {
  const service = method.endsWith('Log') || method.endsWith('Logs') ? logsService : resultsService;
  return { http, path: new RegExp(`${base}${tail}$`), service, method, name, ...(body ? { body } : {}) };
}

/** The paths of upstream's gateway. Earlier ones win. */
const routes: readonly Route[] = [
  route('GET', `(${result})/records/summary`, 'GetRecordListSummary', 'parent'),
  route('POST', `(${segment})/results`, 'CreateResult', 'parent', 'result'),
  route('GET', `(${segment})/results`, 'ListResults', 'parent'),
  route('GET', `(${result})`, 'GetResult', 'name'),
  route('PATCH', `(${result})`, 'UpdateResult', 'result', 'result'),
  route('DELETE', `(${result})`, 'DeleteResult', 'name'),
  route('POST', `(${result})/records`, 'CreateRecord', 'parent', 'record'),
  route('GET', `(${result})/records`, 'ListRecords', 'parent'),
  route('GET', `(${result}/records/${segment})`, 'GetRecord', 'name'),
  route('PATCH', `(${result}/records/${segment})`, 'UpdateRecord', 'record', 'record'),
  route('DELETE', `(${result}/records/${segment})`, 'DeleteRecord', 'name'),
  route('GET', `(${result})/logs`, 'ListLogs', 'parent'),
  route('GET', `(${result}/logs/${segment})`, 'GetLog', 'name'),
  route('DELETE', `(${result}/logs/${segment})`, 'DeleteLog', 'name'),
];

/** Answers a request of the REST API, in protobuf's JSON. */
export async function answerRest(
  request: ServerRequest,
  response: ServerResponse,
  methods: Methods,
  onError: (error: unknown) => void,
): Promise<void> {
  try {
    await handle(request, response, methods);
  } catch (error) {
    const failure = apiErrorOf(error);
    if (failure.code === codes.internal && failure.cause !== undefined) onError(failure.cause);
    if (response.headersSent) response.destroy();
    else sendError(response, failure, isLog(request));
  }
}

async function handle(request: ServerRequest, response: ServerResponse, methods: Methods): Promise<void> {
  const target = parseTarget(request.url);
  if (!target) throw invalidArgument('invalid path');
  if (target.path === '/healthz') return sendJson(response, 200, { status: 'SERVING' });
  const { route: found, method, name } = routeOf(request.method, target.path, methods);
  const caller = callerOf(request);
  const { query } = target;
  const input = await inputOf(request, found, method, name, query);
  if (method.kind === 'receives') throw new ApiError(codes.unimplemented, 'Method Not Allowed');
  if (method.kind === 'sends')
    return sendStream(response, (await method.call(caller, input)) as AsyncIterable<HttpBody>);
  const answer = (await method.call(caller, input, goneSignal(request))) as Fields;
  const mask = maskOf(caller, query);
  const shown = mask ? applyFieldMask(mask, method.output, answer) : answer;
  sendJson(response, 200, toJson(method.output, shown));
}

/** Upstream's gateway takes the first `fields` of the query, and an empty one leaves nothing. */
function maskOf(caller: CallerHeaders, query: URLSearchParams): FieldMask | undefined {
  const text = query.get('fields');
  if (text === null) return parseFieldMask(caller.get('grpc-metadata-fields') ?? []);
  return parseFieldMask([text]) ?? new Map();
}

/** A log is a stream. */
function isLog({ method, url }: ServerRequest): boolean {
  return method === 'GET' && routes.some((each) => each.method === 'GetLog' && each.path.test(url.replace(/\?.*/, '')));
}

function routeOf(http: string, path: string, methods: Methods) {
  let isOther = false;
  for (const each of routes) {
    const match = each.path.exec(path);
    const method = methods[each.service]?.[each.method];
    if (!match || !method) continue;
    if (each.http === http) return { route: each, method, name: decodedPath(match[1] ?? '') };
    isOther = true;
  }
  throw isOther ? new ApiError(codes.unimplemented, 'Method Not Allowed') : new ApiError(codes.notFound, 'Not Found');
}

function decodedPath(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalidArgument('invalid path');
  }
}

async function inputOf(
  request: ServerRequest,
  { body, name: place }: Route,
  { input }: Method,
  name: string,
  query: URLSearchParams,
): Promise<unknown> {
  const given: Record<string, unknown> = {};
  if (body) given[body] = await readJson(request);
  if (place === 'parent' || place === 'name') given[place] = name;
  // A name in the path is that of the object in the body.
  else given[place] = { ...(given[place] as object), name };
  try {
    for (const field of input.fields) {
      const text = typeof field.type === 'string' ? fromQuery(field, query) : undefined;
      if (text !== undefined) given[field.name] ??= text;
    }
    // Upstream wants it in the query as well.
    if (place === 'result') given['name'] ??= name;
    return fromJson(input, given);
  } catch (error) {
    throw error instanceof JsonFormError ? invalidArgument(error.message) : error;
  }
}

async function readJson(request: ServerRequest): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBodyBytes)
      throw new ApiError(
        codes.resourceExhausted,
        `grpc: received message larger than max (${bytes} vs. ${maxBodyBytes})`,
      );
    chunks.push(chunk);
  }
  if (bytes === 0) return {};
  const body = Buffer.concat(chunks);
  try {
    return JSON.parse(body.toString()) as unknown;
  } catch {
    const text = jsonSyntaxError(body);
    throw invalidArgument(text.endsWith('end of JSON input') ? 'unexpected EOF' : `proto: syntax error: ${text}`);
  }
}

const httpCodes: Readonly<Record<number, number>> = {
  [codes.cancelled]: 499,
  [codes.invalidArgument]: 400,
  [codes.notFound]: 404,
  [codes.alreadyExists]: 409,
  [codes.resourceExhausted]: 429,
  [codes.failedPrecondition]: 400,
  [codes.unimplemented]: 501,
  [codes.unavailable]: 503,
  [codes.unauthenticated]: 401,
};

/** The gateway wraps the errors of streams. */
function sendError(response: ServerResponse, { code, message }: ApiError, isOfStream: boolean): void {
  if (code === codes.unauthenticated) response.setHeader('www-authenticate', message.replaceAll(/[^\x20-\x7e]/g, '?'));
  sendJson(response, httpCodes[code] ?? 500, isOfStream ? { error: { code, message } } : { code, message });
}

function sendJson(response: ServerResponse, code: number, json: object): void {
  if (response.destroyed) return;
  response.writeHead(code, { 'content-type': 'application/json' });
  response.end(JSON.stringify(json));
}

async function sendStream(response: ServerResponse, bodies: AsyncIterable<HttpBody>): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/plain' });
  for await (const { data = new Uint8Array() } of bodies) {
    if (response.destroyed) return;
    if (!response.write(data)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
  }
  response.end();
}
