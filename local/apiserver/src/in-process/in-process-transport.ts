import {
  ClientError,
  type Transport,
  type TransportRequest,
  type TransportResponse,
  type TransportStream,
  type WireEvent,
} from '@tektite/client';
import { setOwn } from '@tektite/meta';
import type { ApiRequest, UserInfo } from '../request/api-request.ts';
import type { ApiResponse } from '../request/api-response.ts';
import { bytesOf, headOf, readAnswer, errorOf } from './answer.ts';
import { byteStream } from './byte-stream.ts';
import { EventQueue } from './event-queue.ts';
import { onAbort, type Reject, waitingFor } from './signals.ts';

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
    if (answer.type !== 'watch') throw await errorOf(answer);
    return new EventQueue(headOf(answer), answer.source, [request.signal, this.closing.signal]);
  }

  async stream(request: TransportRequest): Promise<TransportStream<Uint8Array>> {
    request.signal?.throwIfAborted();
    this.closing.signal.throwIfAborted();
    const life = new AbortController();
    const unlink = onAbort([request.signal, this.closing.signal], (reason) => life.abort(reason));
    try {
      const answer = await this.handle({ ...request, signal: life.signal });
      if (answer.code >= 300) throw await errorOf(answer);
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
