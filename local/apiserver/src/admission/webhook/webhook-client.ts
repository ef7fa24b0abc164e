import { posix } from 'node:path';
import { cloneJson } from '@tektite/meta';
import type { LocalWebhook, LocalWebhooks, LocalWrite } from './local-webhooks.ts';
import type { ClientConfig, RemoteParts, RemoteWebhook } from './remote-webhook.ts';
import { NoEndpointError, serviceEndpoints } from './service-endpoints.ts';
import { describeTransportError } from './transport-error.ts';

/** The dependencies of clients of webhooks. */
export interface ClientParts extends RemoteParts {
  /** Those of this process, which are not called over the network. */
  readonly local: LocalWebhooks;
}

/** Calls one webhook, which is at a URL, or behind a Service of this server; or in this process, in place of such a Service. */
export class WebhookClient {
  private readonly parts: ClientParts;
  private readonly config: ClientConfig;
  private readonly url: string;
  private readonly host: string;
  private readonly path: string;
  private readonly service: ClientConfig['service'];
  private remote: Promise<RemoteWebhook> | undefined;
  private readonly calls = new Set<Promise<unknown>>();
  private retired = false;

  /** `config` is valid; it was checked when it was stored. */
  constructor(config: ClientConfig, parts: ClientParts) {
    this.parts = parts;
    this.config = config;
    const { service } = config;
    const url = new URL(config.url ?? `https://${service?.name}.${service?.namespace}.svc:${service?.port ?? 443}`);
    const path = posix.normalize(`/${config.url === undefined ? (service?.path ?? '') : url.pathname}`);
    this.host = url.hostname.replace(/^\[|\]$/g, '');
    // Go's form of the address: the port is printed even where it is the default.
    const authority = service && config.url === undefined ? `${url.hostname}:${service.port ?? 443}` : url.host;
    this.path = path.length > 1 ? path.replace(/\/$/, '') : path;
    this.service = config.url === undefined ? service : undefined;
    this.url = `https://${authority}${this.path}`;
  }

  /** Whether a write is allowed without a review, which only webhooks of this process can decide. */
  passes(write: LocalWrite): boolean {
    return this.service !== undefined && this.parts.local.passes(this.service, this.path, write);
  }

  /**
   * Posts a review and gives back the value that was answered. Throws an Error that says, in upstream's words, what went
   * wrong.
   */
  async post(body: unknown, timeoutSeconds: number): Promise<unknown> {
    const call = this.send(body, timeoutSeconds);
    this.calls.add(call);
    try {
      return await call;
    } finally {
      this.calls.delete(call);
      if (this.retired && this.calls.size === 0) await this.close();
    }
  }

  private async send(body: unknown, timeoutSeconds: number): Promise<unknown> {
    const url = `${this.url}?timeout=${timeoutSeconds}s`;
    const abort = new AbortController();
    const timer = this.parts.clock.setTimer(timeoutSeconds * 1000, () => abort.abort());
    try {
      if (this.service) await this.parts.local.started(this.service, abort.signal);
      const local = this.service && this.parts.local.find(this.service);
      if (local) return await this.ask(local, body as object, timeoutSeconds * 1000, abort.signal);
      return await (await this.connected()).post(url, body, abort.signal);
    } catch (error) {
      if (abort.signal.aborted) throw new Error(`Post "${url}": context deadline exceeded`, { cause: error });
      if (!isTransportError(error)) throw error;
      throw new Error(`Post "${url}": ${describeTransportError(error, this.host)}`, { cause: error });
    } finally {
      timer[Symbol.dispose]();
    }
  }

  /** The response is copied: nothing is shared with the webhook, as over a network. */
  private async ask(webhook: LocalWebhook, review: object, timeoutMs: number, signal: AbortSignal): Promise<unknown> {
    const late = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });
    const { code, body } = await Promise.race([webhook.answer(this.path, review, timeoutMs, signal), late]);
    if (code >= 200 && code <= 206) return cloneJson(body);
    throw new Error((body as { readonly message?: string }).message ?? `the webhook answered with the code ${code}`);
  }

  /**
   * For a client that is not given out any more: ends its connections when no call is under way. A request that got it before may still
   * call, on a connection of its own.
   */
  async retire(): Promise<void> {
    this.retired = true;
    while (this.calls.size > 0) await Promise.allSettled(this.calls);
    await this.close();
  }

  /** Ends all connections, calls under way included. */
  async close(): Promise<void> {
    const { remote } = this;
    this.remote = undefined;
    await (await remote)?.close();
  }

  private connected(): Promise<RemoteWebhook> {
    if (this.remote) return this.remote;
    // Without an endpoint, the client is not loaded.
    if (this.service) serviceEndpoints(this.parts.storage, this.service);
    this.remote = import('./remote-webhook.ts').then(
      ({ RemoteWebhook: Remote }) => new Remote(this.config, this.host, this.parts),
    );
    return this.remote;
  }
}

/** Errors without a code come from reading the answer, and say all there is to say. */
function isTransportError(error: unknown): boolean {
  return (
    (error as { code?: unknown }).code !== undefined ||
    error instanceof AggregateError ||
    error instanceof NoEndpointError
  );
}
