import type { KubeObject, Status } from '@tektite/meta';

export type WriteMethod = 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface WriteOptions {
  readonly body?: unknown;
  /** Default `application/json`; `application/merge-patch+json` for PATCH. */
  readonly contentType?: string;
}

/** Receives a stream. `onEnd` is called once, with a Status when the stream failed; not after the stream was closed by its reader. */
export interface StreamReader {
  onData(bytes: Uint8Array): void;
  onEnd(status?: Status): void;
}

/** The Kubernetes API as the page reaches it. Paths begin with `/api` or `/apis` and have their query. */
export interface KubeApi {
  /** Rejects with an {@link ApiError}. */
  get<T>(path: string, options?: { readonly accept?: string; readonly signal?: AbortSignal }): Promise<T>;
  write<T>(method: WriteMethod, path: string, options?: WriteOptions): Promise<T>;
  /** Opens a watch or a log. The result closes it. */
  stream(path: string, reader: StreamReader): () => void;
}

/** A failure that the server explains with a Status, or a connection that failed (code 0). */
export class ApiError extends Error {
  readonly status: Status;

  constructor(status: Status) {
    super(status.message ?? status.reason ?? `error ${status.code ?? 0}`);
    this.name = 'ApiError';
    this.status = status;
  }

  get code(): number {
    return this.status.code ?? 0;
  }
}

/** A Status for a connection that failed. */
export function connectionStatus(message: string): Status {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code: 0, message };
}

/** A page of a list. */
export interface KubeList {
  readonly metadata: { readonly resourceVersion?: string; readonly continue?: string };
  readonly items?: readonly KubeObject[];
  readonly kind?: string;
  readonly apiVersion?: string;
}
