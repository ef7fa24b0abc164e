import { stringifyJson } from '@tektite/meta';
import type { Clock, Random } from '@tektite/meta';
import type { AdmissionregistrationV1WebhookClientConfig } from '@tektite/schema/kubernetes';
import { Agent, type buildConnector, request } from 'undici';
import type { Storage } from '../../storage/storage.ts';
import type { Dial } from './dial.ts';
import { readAnswer } from './server-response.ts';
import { findServiceEndpoint } from './service-endpoints.ts';
import { verifiedConnector } from './verified-connector.ts';

/** Where a webhook is; that of conversion webhooks is the same. */
export type ClientConfig = AdmissionregistrationV1WebhookClientConfig;

/** The address and the trust of a remote webhook. */
export interface RemoteParts {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly random: Random;
  readonly dial?: Dial | undefined;
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
 * A webhook over HTTPS, on connections that are kept for the next call. Idle connections do not keep the process alive. A separate module
 * with undici that is loaded with the first call: webhooks of this process do without it.
 */
export class RemoteWebhook {
  private readonly agent: Agent;

  constructor(config: ClientConfig, host: string, parts: RemoteParts) {
    this.agent = new Agent({
      connections: 32,
      keepAliveTimeout: idleMilliseconds,
      connect: connector(config, host, parts),
    });
  }

  /** Posts a review and gives back the value that was answered. */
  async post(url: string, body: unknown, signal: AbortSignal): Promise<unknown> {
    const response = await request(url, {
      dispatcher: this.agent,
      method: 'POST',
      headers,
      body: stringifyJson(body),
      signal,
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    const contentType = response.headers['content-type'] ?? '';
    return readAnswer({
      code: response.statusCode,
      contentType: typeof contentType === 'string' ? contentType : (contentType[0] ?? ''),
      body: await readAll(response.body),
    });
  }

  /** Ends all connections, calls under way included. */
  async close(): Promise<void> {
    await this.agent.destroy();
  }
}

function connector(
  config: ClientConfig,
  host: string,
  { storage, random, clock, dial }: RemoteParts,
): buildConnector.connector {
  const connect = verifiedConnector({
    host,
    ...(config.caBundle ? { authorities: Buffer.from(config.caBundle, 'base64').toString('utf8') } : {}),
    // Connections outlive calls; each call has a separate deadline.
    timeoutMs: idleMilliseconds,
    dial,
    now: () => clock.now(),
  });
  const { service } = config;
  if (!service || config.url !== undefined) return connect;
  return (options, callback) => {
    try {
      const endpoint = findServiceEndpoint(storage, random, service);
      connect({ ...options, hostname: endpoint.host, port: String(endpoint.port), servername: host }, callback);
    } catch (error) {
      callback(error as Error, null);
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
