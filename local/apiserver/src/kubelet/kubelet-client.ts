import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { KeyPair } from '@tektite/certificates';
import { type Clock, StatusError } from '@tektite/meta';
import type { Node } from '@tektite/schema/kubernetes';
import type { Dial } from '../admission/webhook/dial.ts';
import { type KubeletAddress, kubeletAddress } from './kubelet-address.ts';

/** How kubelets of other machines recognise this server, and this server recognises them. */
export interface KubeletTrust {
  /** The certificate that is shown to kubelets. They ask this server what its user may do. */
  readonly identity: KeyPair;
  /** PEM of the authorities that sign the serving certificates of kubelets. */
  readonly authorities: string;
}

export interface KubeletClientOptions {
  readonly clock: Clock;
  /** Called for every connection: certificates are renewed while the server runs. */
  readonly trust: () => Promise<KubeletTrust>;
  readonly dial?: Dial | undefined;
}

export interface KubeletRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: Uint8Array | string;
  readonly signal?: AbortSignal;
}

/** A connection that the kubelet has upgraded, or its answer if it has not. */
export type Upgraded =
  | { readonly socket: Duplex; readonly headers: IncomingMessage['headers'] }
  | { readonly response: IncomingMessage };

const connectMs = 5000;

/**
 * Talks to the kubelets of other machines: logs, sessions, and the proxy of nodes.
 *
 * Guarantees
 * - A kubelet has to show a certificate of the cluster's authority for the address that is dialled; its own word for who it is
 *   is not taken.
 * - Credentials of clients never reach a kubelet. It sees this server's certificate.
 * - A connection serves one request and is closed with it.
 */
export class KubeletClient {
  private readonly options: KubeletClientOptions;

  constructor(options: KubeletClientOptions) {
    this.options = options;
  }

  /** Sends a request; resolves with the answer once its head is there. */
  async send(node: Node, request: KubeletRequest): Promise<IncomingMessage> {
    const opened = await this.open(node, request);
    if ('response' in opened) return opened.response;
    opened.socket.destroy();
    throw unreachable(node, new Error('the kubelet switched protocols without being asked'));
  }

  /** Asks the kubelet to switch protocols, as the headers of the request say. */
  upgrade(node: Node, request: KubeletRequest): Promise<Upgraded> {
    return this.open(node, request);
  }

  private async open(node: Node, { method, path, headers, body, signal }: KubeletRequest): Promise<Upgraded> {
    const address = kubeletAddress(node);
    const socket = await this.connect(address).catch((error: unknown) => {
      throw unreachable(node, error);
    });
    const { request } = await import('node:http');
    return new Promise((resolve, reject) => {
      const { host, port } = address;
      const outgoing = request({
        // Without an agent, which would open another connection.
        createConnection: () => socket,
        host,
        port,
        method,
        path,
        headers: { ...headers, host: `${host.includes(':') ? `[${host}]` : host}:${port}` } as Record<string, string>,
        ...(signal ? { signal } : {}),
      });
      outgoing.on('response', (response) => resolve({ response }));
      outgoing.on('upgrade', (response, upgraded, head) => {
        if (head.length > 0) upgraded.unshift(head);
        resolve({ socket: upgraded, headers: response.headers });
      });
      outgoing.on('error', (error) => {
        socket.destroy();
        reject(unreachable(node, error));
      });
      outgoing.end(body);
    });
  }

  private async connect({ host, port }: KubeletAddress): Promise<Duplex> {
    const { verifiedConnector } = await import('../admission/webhook/verified-connector.ts');
    const { clock, trust, dial } = this.options;
    const { identity, authorities } = await trust();
    const connect = verifiedConnector({
      host,
      authorities,
      identity,
      timeoutMs: connectMs,
      dial,
      now: () => clock.now(),
    });
    const hostname = host.includes(':') ? `[${host}]` : host;
    return new Promise((resolve, reject) => {
      connect({ hostname, host: `${hostname}:${port}`, protocol: 'https:', port: String(port) }, (error, socket) =>
        error ? reject(error) : resolve(socket as Duplex),
      );
    });
  }
}

/** Upstream's code and first words; the rest is why. */
function unreachable({ metadata }: Node, cause: unknown): StatusError {
  return new StatusError({
    code: 500,
    reason: '',
    message: `error dialing backend: node ${JSON.stringify(metadata.name)}: ${(cause as Error).message}`,
  });
}
