import type { KeyPair } from '@tektite/certificates';
import type { Clock, Random } from '@tektite/meta';
import type { APIServiceSpec } from '@tektite/schema/kubernetes';
import { Agent, type Dispatcher, request } from 'undici';
import type { Dial } from '../admission/webhook/dial.ts';
import { findServiceEndpoint } from '../admission/webhook/service-endpoints.ts';
import { verifiedConnector } from '../admission/webhook/verified-connector.ts';
import type { Storage } from '../storage/storage.ts';

export interface RemoteServerParts {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly random: Random;
  readonly dial?: Dial | undefined;
  /** The certificate by which aggregated servers recognise this one. */
  readonly identity: KeyPair;
}

export interface RemoteRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body?: Uint8Array | string;
  readonly signal?: AbortSignal;
}

const idleMilliseconds = 30_000;
const connectMilliseconds = 5000;

/** An aggregated API server, reached over HTTPS through its Service. Loaded with undici by the first request. */
export class RemoteServer {
  private readonly agent: Agent;
  private readonly origin: string;

  constructor({ service, caBundle, insecureSkipTLSVerify }: APIServiceSpec, parts: RemoteServerParts) {
    const { namespace = '', name = '', port = 443 } = service ?? {};
    const host = `${name}.${namespace}.svc`;
    this.origin = `https://${host}:${port}`;
    const connect = verifiedConnector({
      host,
      ...(caBundle ? { authorities: Buffer.from(caBundle, 'base64').toString('utf8') } : {}),
      isVerified: insecureSkipTLSVerify !== true,
      identity: parts.identity,
      timeoutMs: connectMilliseconds,
      dial: parts.dial,
      now: () => parts.clock.now(),
    });
    this.agent = new Agent({
      keepAliveTimeout: idleMilliseconds,
      connect: (options, callback) => {
        try {
          const endpoint = findServiceEndpoint(parts.storage, parts.random, { namespace, name, port });
          connect({ ...options, hostname: endpoint.host, port: String(endpoint.port), servername: host }, callback);
        } catch (error) {
          callback(error as Error, null);
        }
      },
    });
  }

  send({ method, path, headers, body, signal }: RemoteRequest): Promise<Dispatcher.ResponseData> {
    return request(`${this.origin}${path}`, {
      dispatcher: this.agent,
      method: method as Dispatcher.HttpMethod,
      headers,
      // A watch may be silent for long.
      bodyTimeout: 0,
      ...(body === undefined ? {} : { body }),
      ...(signal ? { signal } : {}),
    });
  }

  async close(): Promise<void> {
    await this.agent.destroy();
  }
}
