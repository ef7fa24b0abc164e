import { posix } from 'node:path';
import { type Clock, cloneJson, type Random } from '@tektite/meta';
import type { AdmissionregistrationV1WebhookClientConfig } from '@tektite/schema/kubernetes';
import { Agent, type buildConnector, request as send } from 'undici';
import type { Storage } from '../../storage/storage.ts';
import type { LocalWebhook, LocalWebhooks } from './local-webhooks.ts';
import { readAnswer } from './server-response.ts';
import { findServiceEndpoint } from './service-endpoints.ts';
import { describeTransportError } from './transport-error.ts';
import { verifiedConnector } from './verified-connector.ts';

/** Where a webhook is; that of conversion webhooks is the same. */
export type ClientConfig = AdmissionregistrationV1WebhookClientConfig;

/** What clients of webhooks need. */
export interface ClientParts {
  /** Those of this process, which are not called over the network. */
  readonly local: LocalWebhooks;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly random: Random;
}

/** Larger answers are cut off, and then are no JSON any more. */
const maxAnswerBytes = 3 * 1024 * 1024;
const idleMilliseconds = 30_000;
const headers = {
  accept: 'application/json, */*',
  'content-type': 'application/json',
  'user-agent': 'kube-apiserver-admission',
};

/**
 * Calls one webhook over HTTPS, on connections that are kept for the next call. A webhook is at a URL, or behind a Service
 * of this server. Idle connections do not keep the process alive.
 */
export class WebhookClient {
  private readonly parts: ClientParts;
  private readonly url: string;
  private readonly host: string;
  private readonly path: string;
  private readonly service: ClientConfig['service'];
  private readonly agent: Agent;

  /** `config` is valid; it was checked when it was stored. */
  constructor(config: ClientConfig, parts: ClientParts) {
    this.parts = parts;
    const { service } = config;
    const url = new URL(config.url ?? `https://${service?.name}.${service?.namespace}.svc:${service?.port ?? 443}`);
    const path = posix.normalize(`/${config.url === undefined ? (service?.path ?? '') : url.pathname}`);
    this.host = url.hostname.replace(/^\[|\]$/g, '');
    // Go's form of the address: the port is told even where it is the usual one.
    const authority = service && config.url === undefined ? `${url.hostname}:${service.port ?? 443}` : url.host;
    this.path = path.length > 1 ? path.replace(/\/$/, '') : path;
    this.service = config.url === undefined ? service : undefined;
    this.url = `https://${authority}${this.path}`;
    this.agent = new Agent({
      connections: 32,
      keepAliveTimeout: idleMilliseconds,
      connect: connector(config, this.host, parts),
    });
  }

  /** Whether the answer is known before the question, which only webhooks of this process can tell. */
  passes(write: { readonly operation: string; readonly subresource: string }): boolean {
    const local = this.service && this.parts.local.find(this.service);
    return local?.passes?.(this.path, write) === true;
  }

  /**
   * Posts a review and gives back the value that was answered. Throws an Error that says, in upstream's words, what went
   * wrong.
   */
  async post(body: unknown, timeoutSeconds: number): Promise<unknown> {
    const url = `${this.url}?timeout=${timeoutSeconds}s`;
    const abort = new AbortController();
    const timer = this.parts.clock.setTimer(timeoutSeconds * 1000, () => abort.abort());
    const local = this.service && this.parts.local.find(this.service);
    try {
      if (local) return await this.ask(local, body as object, timeoutSeconds * 1000, abort.signal);
      const response = await send(url, {
        dispatcher: this.agent,
        method: 'POST',
        headers,
        body: JSON.stringify(body),
        signal: abort.signal,
        headersTimeout: 0,
        bodyTimeout: 0,
      });
      const contentType = response.headers['content-type'] ?? '';
      return readAnswer({
        code: response.statusCode,
        contentType: typeof contentType === 'string' ? contentType : (contentType[0] ?? ''),
        body: await readAll(response.body),
      });
    } catch (error) {
      if (abort.signal.aborted) throw new Error(`Post "${url}": context deadline exceeded`, { cause: error });
      if (!isTransportError(error)) throw error;
      throw new Error(`Post "${url}": ${describeTransportError(error, this.host)}`, { cause: error });
    } finally {
      timer[Symbol.dispose]();
    }
  }

  /** What comes back is a copy: nothing is shared with the webhook, as it would not be over a network. */
  private async ask(webhook: LocalWebhook, review: object, timeoutMs: number, signal: AbortSignal): Promise<unknown> {
    const late = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });
    const { code, body } = await Promise.race([webhook.answer(this.path, review, timeoutMs, signal), late]);
    if (code >= 200 && code <= 206) return cloneJson(body);
    throw new Error((body as { readonly message?: string }).message ?? `the webhook answered with the code ${code}`);
  }

  /** Ends all connections, calls under way included. */
  async close(): Promise<void> {
    await this.agent.destroy();
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

/** There is nobody behind a Service. */
class NoEndpointError extends Error {
  override readonly name = 'NoEndpointError';
}

function connector(
  config: ClientConfig,
  host: string,
  { storage, random, clock }: ClientParts,
): buildConnector.connector {
  const connect = verifiedConnector({
    host,
    ...(config.caBundle ? { authorities: Buffer.from(config.caBundle, 'base64').toString('utf8') } : {}),
    // Connections outlive calls; each call has a deadline of its own.
    timeoutMs: idleMilliseconds,
    now: () => clock.now(),
  });
  const { service } = config;
  if (!service || config.url !== undefined) return connect;
  return (options, callback) => {
    try {
      const endpoint = findServiceEndpoint(storage, random, { ...service, port: service.port ?? 443 });
      connect({ ...options, hostname: endpoint.host, port: String(endpoint.port), servername: host }, callback);
    } catch (error) {
      callback(new NoEndpointError((error as Error).message), null);
    }
  };
}

async function readAll(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > maxAnswerBytes) break;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
