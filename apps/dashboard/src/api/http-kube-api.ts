import type { Status } from '@tektite/meta';
import {
  ApiError,
  connectionStatus,
  type KubeApi,
  type StreamReader,
  type WriteMethod,
  type WriteOptions,
} from './kube-api.ts';
import type { StreamConnection } from './stream-connection.ts';
import type { ToolAnswers, ToolApi, ToolInput, ToolName } from './tool-answers.ts';

export interface HttpKubeApiOptions {
  readonly fetch: typeof globalThis.fetch;
  /** Absent until there is a session. */
  readonly csrfToken: () => string | undefined;
  readonly streams: StreamConnection;
  /** The session has ended. */
  readonly onUnauthorized: () => void;
}

/** The API through the page's own server. */
export class HttpKubeApi implements KubeApi, ToolApi {
  private readonly options: HttpKubeApiOptions;

  constructor(options: HttpKubeApiOptions) {
    this.options = options;
  }

  get<T>(path: string, { accept, signal }: { accept?: string; signal?: AbortSignal } = {}): Promise<T> {
    return this.request(`/api/kube${path}`, { headers: accept ? { accept } : {}, ...(signal ? { signal } : {}) });
  }

  write<T>(method: WriteMethod, path: string, { body, contentType }: WriteOptions = {}): Promise<T> {
    const type = contentType ?? (method === 'PATCH' ? 'application/merge-patch+json' : 'application/json');
    const sent = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) };
    return this.request(`/api/kube${path}`, { method, headers: { 'content-type': type }, ...sent });
  }

  stream(path: string, reader: StreamReader): () => void {
    return this.options.streams.open(path, reader);
  }

  call<N extends ToolName>(tool: N, input: ToolInput): Promise<ToolAnswers[N]> {
    const headers = { 'content-type': 'application/json' };
    return this.request(`/api/tools/${tool}`, { method: 'POST', headers, body: JSON.stringify(input) });
  }

  /** A route of the page's own server. */
  async request<T>(path: string, init: RequestInit & { readonly headers?: Record<string, string> } = {}): Promise<T> {
    const token = this.options.csrfToken();
    const headers = { ...init.headers, ...(token ? { 'x-tektite-csrf': token } : {}) };
    let response: Response;
    try {
      response = await this.options.fetch(path, { ...init, headers, credentials: 'same-origin' });
    } catch (error) {
      if (init.signal?.aborted) throw error;
      throw new ApiError(connectionStatus('the server cannot be reached'));
    }
    const body = await readJson(response);
    if (response.ok) return body as T;
    if (response.status === 401) this.options.onUnauthorized();
    throw new ApiError(isStatus(body) ? body : { ...connectionStatus(response.statusText), code: response.status });
  }
}

async function readJson(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch {
    throw new ApiError({ ...connectionStatus('the answer is not JSON'), code: response.status });
  }
}

function isStatus(body: unknown): body is Status {
  return typeof body === 'object' && body !== null && (body as Partial<Status>).kind === 'Status';
}
