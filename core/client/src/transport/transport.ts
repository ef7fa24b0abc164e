import type { KubeObject, Status } from '@tektite/meta';

/** One request to the API. What it means is up to the caller; a transport only carries it. */
export interface TransportRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Starts with `/`; its segments are escaped already. */
  readonly path: string;
  readonly query?: URLSearchParams;
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON, which an in-process transport hands over as it is; or text or bytes, for other formats. */
  readonly body?: object | string | Uint8Array;
  /** Of the body. Default `application/json`. */
  readonly contentType?: string;
  /** Default `application/json`. */
  readonly accept?: string;
  readonly signal?: AbortSignal;
  /** How long the whole answer may take, or the first of a watch or stream; 0 for ever. The transport has a default. */
  readonly timeoutMs?: number;
  /** For watches and streams: how long silence is believed to be just silence. The transport has a default for watches. */
  readonly idleTimeoutMs?: number;
}

export interface ResponseHead {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The texts of `Warning` headers. */
  readonly warnings: readonly string[];
}

export interface TransportResponse extends ResponseHead {
  /** Parsed when it is JSON, a string otherwise. Treat it as read-only: in process it is shared and frozen. */
  readonly body: unknown;
}

/** One event of a watch as the API sends it. The object of an ERROR is a Status. */
export interface WireEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: KubeObject | Status;
}

/**
 * An answer that goes on. It can be iterated once. Leaving the loop closes it; so does `close`, after which the iteration
 * ends; when the request's signal is aborted it throws the signal's reason. A stream that the network cuts off throws a
 * `ClientError`; one that the server ends, ends.
 */
export interface TransportStream<T> extends ResponseHead, AsyncIterable<T> {
  close(): void;
}

/**
 * The way to an API server. All implementations behave the same and share their cases.
 *
 * - `request` resolves with whatever the server answers, failures included.
 * - `watch` and `stream` resolve when the server has agreed; they reject with a `StatusError` when it has not.
 * - What never reached the server, or never came back, rejects with a `ClientError`.
 * - Everything rejects with the signal's reason once the signal is aborted.
 * - `close` ends all that is open and leaves no socket and no timer; afterwards everything rejects with `CLOSED`.
 */
export interface Transport {
  request(request: TransportRequest): Promise<TransportResponse>;
  watch(request: TransportRequest): Promise<TransportStream<WireEvent>>;
  stream(request: TransportRequest): Promise<TransportStream<Uint8Array>>;
  close(): Promise<void>;
}
