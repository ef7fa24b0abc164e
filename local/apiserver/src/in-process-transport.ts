import { setMaxListeners } from 'node:events';
import {
  ClientError,
  parseWarnings,
  type ResponseHead,
  statusErrorOf,
  type Transport,
  type TransportRequest,
  type TransportResponse,
  type TransportStream,
  type WireEvent,
} from '@tektite/client';
import { deepFreeze, setOwn } from '@tektite/meta';
import { formatYaml } from '@tektite/schema/yaml';
import type { ApiRequest, ApiResponse, UserInfo, WatchSource } from './rest/api-request.ts';

/** A reader that lets so many events pile up is cut off, as over HTTP; it can resume from the last one it saw. */
const maxPendingEvents = 10_000;

/** Who answers: an `ApiServer`, or something in front of one. */
interface RequestHandler {
  handle(request: ApiRequest): Promise<ApiResponse>;
}

/**
 * Talks to an API server of this process without serialising: objects come out as they are
 * stored, frozen; bodies go in as a copy. Apart from that it behaves as the HTTP transport does.
 *
 * @example
 * const client = new Client(inProcessTransport(server, { name: 'me', groups: ['system:masters'] }));
 */
export function inProcessTransport(server: RequestHandler, user: UserInfo): Transport {
  return new InProcessTransport(server, user);
}

class InProcessTransport implements Transport {
  private readonly server: RequestHandler;
  private readonly user: UserInfo;
  private readonly closing = new AbortController();
  /** Those who wait for an answer, and how to disappoint them. */
  private readonly waiting = new Set<Reject>();

  constructor(server: RequestHandler, user: UserInfo) {
    this.server = server;
    this.user = user;
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    const answer = await this.handle(request);
    if (answer.type === 'watch') answer.source.stop();
    return readAnswer(answer);
  }

  async watch(request: TransportRequest): Promise<TransportStream<WireEvent>> {
    const answer = await this.handle(request);
    if (answer.type !== 'watch') throw await refusal(answer);
    return new EventQueue(headOf(answer), answer.source, [request.signal, this.closing.signal]);
  }

  async stream(request: TransportRequest): Promise<TransportStream<Uint8Array>> {
    request.signal?.throwIfAborted();
    this.closing.signal.throwIfAborted();
    const life = new AbortController();
    const unlink = onAbort([request.signal, this.closing.signal], (reason) => life.abort(reason));
    try {
      const answer = await this.handle({ ...request, signal: life.signal });
      if (answer.code >= 300) throw await refusal(answer);
      return byteStream(headOf(answer), bytesOf(answer), life, unlink);
    } catch (error) {
      unlink();
      throw error;
    }
  }

  close(): Promise<void> {
    const reason = new ClientError('CLOSED', 'the client was closed');
    this.closing.abort(reason);
    for (const reject of this.waiting) reject(reason);
    return Promise.resolve();
  }

  private async handle(request: TransportRequest): Promise<ApiResponse> {
    const { signal } = request;
    this.closing.signal.throwIfAborted();
    signal?.throwIfAborted();
    const work = this.server.handle(this.toApiRequest(request));
    const aborted = signal && waitingFor(signal);
    return new Promise((resolve, reject) => {
      this.waiting.add(reject);
      aborted?.add(reject);
      const forget = () => {
        this.waiting.delete(reject);
        aborted?.delete(reject);
      };
      work.then(
        (answer) => {
          forget();
          resolve(answer);
        },
        (error: Error) => {
          forget();
          reject(error);
        },
      );
    });
  }

  private toApiRequest(request: TransportRequest): ApiRequest {
    const { method, path, query, headers, body, signal } = request;
    return {
      method,
      path,
      query: query ?? new URLSearchParams(),
      headers: {
        accept: request.accept ?? 'application/json',
        ...(body === undefined ? {} : { 'content-type': request.contentType ?? 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: ownBody(body) }),
      user: this.user,
      ...(signal ? { signal } : {}),
    };
  }
}

/**
 * The server's own copy of a body, so that the caller may go on changing what he sent, and may send what is frozen. As in
 * JSON, what is undefined is absent.
 */
function ownBody(body: object | string | Uint8Array): object | Uint8Array {
  if (typeof body === 'string') return new TextEncoder().encode(body);
  return body instanceof Uint8Array ? body : (copyJson(body) as object);
}

function copyJson(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => (item === undefined ? null : copyJson(item)));
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const field = (value as Record<string, unknown>)[key];
    if (field !== undefined) setOwn(copy, key, copyJson(field));
  }
  return copy;
}

type Reject = (reason: Error) => void;

/** Who waits while a signal is not aborted. Listeners of their own would cost each of them more than all the rest here. */
const waitingForSignal = new WeakMap<AbortSignal, Set<Reject>>();

function waitingFor(signal: AbortSignal): Set<Reject> {
  let waiting = waitingForSignal.get(signal);
  if (!waiting) {
    const all: Set<Reject> = (waiting = new Set());
    waitingForSignal.set(signal, all);
    const abort = () => {
      for (const reject of all) reject(signal.reason as Error);
    };
    signal.addEventListener('abort', abort, { once: true });
  }
  return waiting;
}

type Signals = readonly (AbortSignal | undefined)[];

/** The result, or the reason of the signal that is aborted first. */
function abortable<T>(work: Promise<T>, signals: Signals): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = onAbort(signals, reject);
    work.then(resolve, reject).finally(stop);
  });
}

function onAbort(signals: Signals, action: (reason: Error) => void): () => void {
  const listeners = signals.flatMap((signal) => {
    if (!signal) return [];
    const listener = () => action(signal.reason as Error);
    // One signal may end hundreds of requests; that is no leak to warn about.
    setMaxListeners(0, signal);
    signal.addEventListener('abort', listener, { once: true });
    // It may have been aborted between two steps, when nobody listened.
    if (signal.aborted) queueMicrotask(listener);
    return [() => signal.removeEventListener('abort', listener)];
  });
  return () => {
    for (const remove of listeners) remove();
  };
}

async function readAnswer(answer: ApiResponse): Promise<TransportResponse> {
  const head = headOf(answer);
  if (answer.type === 'text') return { ...head, body: answer.text };
  if (answer.type === 'object')
    return { ...head, body: answer.media === 'yaml' ? formatYaml(answer.object) : deepFreeze(answer.object) };
  if (answer.type === 'watch' || answer.type === 'upgrade') return { ...head, body: '' };
  const chunks: Uint8Array[] = [];
  for await (const chunk of answer.stream) chunks.push(chunk);
  return { ...head, body: Buffer.concat(chunks).toString('utf8') };
}

async function refusal(answer: ApiResponse): Promise<Error> {
  if (answer.code >= 300) return statusErrorOf(await readAnswer(answer));
  return new ClientError(
    'INVALID_RESPONSE',
    'the server did not answer with a watch; is the query without watch=true?',
  );
}

function headOf(answer: ApiResponse): ResponseHead {
  const headers: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(answer.headers ?? {}))
    headers[name.toLowerCase()] = typeof value === 'string' ? value : value.join(', ');
  const warning = answer.headers?.warning ?? [];
  return { status: answer.code, headers, warnings: parseWarnings(typeof warning === 'string' ? [warning] : warning) };
}

async function* bytesOf(answer: ApiResponse): AsyncGenerator<Uint8Array> {
  if (answer.type === 'stream') yield* answer.stream;
  else if (answer.type === 'text') yield new TextEncoder().encode(answer.text);
  else if (answer.type === 'object') yield new TextEncoder().encode(JSON.stringify(answer.object));
}

/** Bytes that come as they are made. Who leaves, or is aborted, ends their making too. */
function byteStream(
  head: ResponseHead,
  bytes: AsyncGenerator<Uint8Array>,
  life: AbortController,
  unlink: () => void,
): TransportStream<Uint8Array> {
  let left = false;
  const close = () => {
    left = true;
    unlink();
    life.abort(new Error('left'));
    bytes.return(undefined).catch(() => {});
  };
  const end: IteratorResult<Uint8Array, undefined> = { done: true, value: undefined };
  async function next(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (left) return end;
    try {
      life.signal.throwIfAborted();
      const result = await abortable(bytes.next(), [life.signal]);
      if (!result.done) return result;
    } catch (error) {
      if (!left) {
        unlink();
        throw error;
      }
    }
    unlink();
    return end;
  }
  const iterator = {
    next,
    return: () => {
      close();
      return Promise.resolve(end);
    },
  };
  return { ...head, close, [Symbol.asyncIterator]: () => iterator };
}

type EventResult = IteratorResult<WireEvent, undefined>;

/** The events of a watch, waiting for their reader. */
class EventQueue implements TransportStream<WireEvent>, AsyncIterator<WireEvent, undefined> {
  readonly status: number;
  readonly headers: ResponseHead['headers'];
  readonly warnings: ResponseHead['warnings'];
  private readonly source: WatchSource;
  private readonly unlink: () => void;
  private pending: WireEvent[] = [];
  /** How many of the pending events were read. */
  private read = 0;
  /** Nothing is too much before the reader had a chance: a watch may begin with everything there is. */
  private limit = Number.POSITIVE_INFINITY;
  private waiting: { resolve(result: EventResult): void; reject(error: Error): void } | undefined;
  private ended = false;
  private failure: Error | undefined;

  constructor(head: ResponseHead, source: WatchSource, signals: Signals) {
    this.status = head.status;
    this.headers = head.headers;
    this.warnings = head.warnings;
    this.source = source;
    this.unlink = onAbort(signals, (reason) => this.finish(reason, true));
    source.start(
      (event) => this.push(event),
      () => this.finish(),
    );
    this.limit = this.pending.length + maxPendingEvents;
  }

  [Symbol.asyncIterator](): AsyncIterator<WireEvent, undefined> {
    return this;
  }

  next(): Promise<EventResult> {
    const event = this.shift();
    if (event) return Promise.resolve({ done: false, value: event });
    if (this.failure) return Promise.reject(this.failure);
    if (this.ended) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject };
    });
  }

  return(): Promise<EventResult> {
    this.close();
    return Promise.resolve({ done: true, value: undefined });
  }

  close(): void {
    this.pending = [];
    this.read = 0;
    this.failure = undefined;
    this.finish();
  }

  private shift(): WireEvent | undefined {
    const event = this.pending[this.read];
    if (!event) return undefined;
    this.read++;
    if (this.read === this.pending.length) {
      this.pending = [];
      this.read = 0;
    }
    return event;
  }

  private push(event: WireEvent): void {
    if (this.ended) return;
    deepFreeze(event);
    if (this.waiting) {
      this.waiting.resolve({ done: false, value: event });
      this.waiting = undefined;
      return;
    }
    this.pending.push(event);
    if (this.pending.length - this.read > this.limit)
      this.finish(
        new ClientError('CONNECTION_RESET', 'the reader of the watch is too slow and was cut off; resume it'),
      );
  }

  /** What is pending is still read, except after an abort. */
  private finish(failure?: Error, atOnce = false): void {
    if (this.ended) return;
    this.ended = true;
    this.failure = failure;
    if (atOnce) {
      this.pending = [];
      this.read = 0;
    }
    this.unlink();
    this.source.stop();
    if (failure) this.waiting?.reject(failure);
    else this.waiting?.resolve({ done: true, value: undefined });
    this.waiting = undefined;
  }
}
