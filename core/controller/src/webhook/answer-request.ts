import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import { goDurationToMilliseconds, parseGoDuration } from '@tektite/go';
import {
  badRequestError,
  deepFreeze,
  requestEntityTooLargeError,
  StatusError,
  parseJson,
  stringifyJson,
} from '@tektite/meta';
import { failureAnswer, type ReviewAnswer, type ReviewHandler } from './review-handler.ts';

/** node:http2 gives HTTP/1.1 requests in the same form. */
type WebhookRequest = Http2ServerRequest;
type WebhookResponse = Http2ServerResponse;

export interface AnswerParts {
  readonly handler: ReviewHandler;
  readonly isReady: () => boolean;
  readonly maxBodyBytes: number;
}

/** How much of a refused body is still read, so that its sender gets to see why. */
const maxRefusedFactor = 8;

/** Answers one HTTP request. Never rejects. */
export async function answerRequest(
  request: WebhookRequest,
  response: WebhookResponse,
  parts: AnswerParts,
): Promise<void> {
  const gone = new AbortController();
  const cut = cutterOf(request);
  response.on('close', () => gone.abort(new Error('the connection was closed')));
  response.on('error', () => gone.abort(new Error('the connection was cut')));
  let answer: ReviewAnswer;
  try {
    answer = await decide(request, parts, gone.signal);
  } catch (error) {
    answer = failureAnswer(error);
  }
  if (!gone.signal.aborted && !response.headersSent) await send(response, answer);
  // A client that goes on sending a body that is not read.
  if (!request.complete) cut();
}

/** Must be made before the request is read: afterwards there may be no socket to find. */
function cutterOf(request: WebhookRequest): () => void {
  if (request.httpVersionMajor >= 2) return () => request.stream.close();
  const { socket } = request;
  return () => socket.destroy();
}

async function decide(request: WebhookRequest, parts: AnswerParts, signal: AbortSignal): Promise<ReviewAnswer> {
  const { path, query } = splitUrl(request.url ?? '/');
  if (path === '/healthz' || path === '/livez') return { code: 200, body: { status: 'ok' } };
  if (path === '/readyz') return parts.isReady() ? { code: 200, body: { status: 'ok' } } : notReady();
  // An unknown path is reported before the body is read.
  if (!parts.handler.hasPath(path)) return parts.handler.handle(path, undefined);
  if (request.method !== 'POST') throw methodError(request.method);
  checkContentType(request.headers['content-type']);
  const body = parseBody(await readBody(request, parts.maxBodyBytes));
  return parts.handler.handle(path, body, timeoutOf(query.get('timeout')), signal);
}

/** By hand: what a client sends need not be a URL. */
function splitUrl(url: string): { readonly path: string; readonly query: URLSearchParams } {
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  const query = new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1));
  return { path: path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path, query };
}

function notReady(): ReviewAnswer {
  const message = 'the webhooks are not ready yet';
  return failureAnswer(new StatusError({ code: 503, reason: 'ServiceUnavailable', message }));
}

function methodError(method: string): StatusError {
  return new StatusError({
    code: 405,
    reason: 'MethodNotAllowed',
    message: `reviews are sent with POST, not ${method}`,
  });
}

function checkContentType(header: string | undefined): void {
  const type = (header ?? '').split(';')[0]?.trim().toLowerCase();
  if (type === 'application/json') return;
  throw new StatusError({
    code: 415,
    reason: 'UnsupportedMediaType',
    message: `reviews are application/json, not ${header ? JSON.stringify(header.slice(0, 100)) : 'of no content type'}`,
  });
}

async function readBody(request: WebhookRequest, limit: number): Promise<Buffer> {
  const tooLarge = requestEntityTooLargeError(`the review is larger than ${limit} bytes`);
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > limit * maxRefusedFactor) break;
    if (length <= limit) chunks.push(chunk);
    else chunks.length = 0;
  }
  if (length > limit) throw tooLarge;
  return Buffer.concat(chunks);
}

function parseBody(bytes: Buffer): unknown {
  if (bytes.length === 0) throw badRequestError('the body is empty');
  try {
    return deepFreeze(parseJson(bytes.toString('utf8')) as unknown);
  } catch (cause) {
    if (cause instanceof RangeError) throw cause;
    throw badRequestError(`the body is no JSON: ${(cause as Error).message}`);
  }
}

/** API servers say how long they wait: `?timeout=10s`. */
function timeoutOf(text: string | null): number | undefined {
  if (text === null) return undefined;
  try {
    const milliseconds = goDurationToMilliseconds(parseGoDuration(text));
    return milliseconds > 0 ? milliseconds : undefined;
  } catch {
    return undefined;
  }
}

function send(response: WebhookResponse, { code, body }: ReviewAnswer): Promise<void> {
  return new Promise((resolve) => {
    const bytes = Buffer.from(stringifyJson(body));
    response.on('close', () => resolve());
    response.writeHead(code, { 'content-type': 'application/json', 'content-length': String(bytes.length) });
    response.end(bytes, () => resolve());
  });
}
