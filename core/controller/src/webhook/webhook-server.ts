import { createSecureServer, type Http2SecureServer, type ServerHttp2Session } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import { type Clock, systemClock } from '@tektite/meta';
import { answerRequest, type WebhookRequest, type WebhookResponse } from './answer-request.ts';
import { ReviewHandler, type ReviewHandlerOptions, type Webhook } from './review-handler.ts';

/** What a server shows who it is with, PEM. */
export interface ServingCertificate {
  readonly certificate: string;
  readonly key: string;
}

export interface WebhookServerOptions extends ReviewHandlerOptions {
  readonly webhooks: readonly Webhook[];
  readonly certificate: ServingCertificate;
  /** Default: all addresses. */
  readonly host?: string;
  /** Default 8443, which Knative's webhooks use too; 0 is any free port. */
  readonly port?: number;
  /** Larger bodies are refused. Default 3 MB, more than any API server sends. */
  readonly maxBodyBytes?: number;
  /** Whether the process is well; asked by `/readyz`. `/healthz` only says that the server answers. */
  readonly isReady?: () => boolean;
}

const defaultMaxBodyBytes = 3 * 1024 * 1024;
const defaultPort = 8443;
const keepAliveTimeout = 120_000;
/** How long those who are being answered get, when the server stops. */
const defaultDrainMs = 15_000;

/**
 * Serves webhooks over HTTPS: HTTP/2 for API servers that speak it, HTTP/1.1 with kept connections for the rest.
 *
 * Guarantees
 * - A certificate is changed without cutting anybody off: open connections go on, new ones see the new one.
 * - Bad requests (no such path, no POST, no JSON, no review, too large) are answered with a Status that says so.
 * - `stop` takes no new connections, lets answers that are under way be sent, and leaves nothing behind.
 *
 * @example
 * await using server = await WebhookServer.start({ webhooks, certificate, port: 8443 });
 */
export class WebhookServer implements AsyncDisposable {
  readonly port: number;
  private readonly server: Http2SecureServer;
  private readonly clock: Clock;
  private readonly sockets = new Set<Socket>();
  private readonly sessions = new Set<ServerHttp2Session>();
  private readonly busy = new Set<Promise<void>>();
  private stopping: Promise<void> | undefined;

  /** Resolves when the server listens. Rejects when it cannot. */
  static async start(options: WebhookServerOptions): Promise<WebhookServer> {
    const server = createSecureServer({
      key: options.certificate.key,
      cert: options.certificate.certificate,
      allowHTTP1: true,
      minVersion: 'TLSv1.2',
    });
    // Longer than API servers keep theirs: who closes last never sends into a closed connection.
    Object.assign(server, { keepAliveTimeout });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(options.port ?? defaultPort, options.host, () => {
        server.off('error', reject);
        resolve();
      });
    });
    return new WebhookServer(server, options);
  }

  private constructor(server: Http2SecureServer, options: WebhookServerOptions) {
    this.server = server;
    this.clock = options.clock ?? systemClock;
    this.port = (server.address() as AddressInfo).port;
    const handler = new ReviewHandler(options.webhooks, options);
    const isReady = options.isReady ?? (() => true);
    const maxBodyBytes = options.maxBodyBytes ?? defaultMaxBodyBytes;
    this.track();
    server.on('request', (request: WebhookRequest, response: WebhookResponse) => {
      if (this.stopping) response.setHeader('connection', 'close');
      const answered = answerRequest(request, response, { handler, isReady, maxBodyBytes }).finally(() =>
        this.busy.delete(answered),
      );
      this.busy.add(answered);
    });
  }

  /** From now on new connections see this certificate. Throws when the key does not belong to it. */
  use({ certificate, key }: ServingCertificate): void {
    this.server.setSecureContext({ cert: certificate, key, minVersion: 'TLSv1.2' });
  }

  /** Ends the server; answers under way get `drainMs`. */
  stop(drainMs: number = defaultDrainMs): Promise<void> {
    return (this.stopping ??= this.drain(drainMs));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  private async drain(drainMs: number): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      this.server.close(() => resolve());
    });
    // Those of HTTP/2 end by themselves after their last stream.
    for (const session of this.sessions) session.close();
    let timer: Disposable | undefined;
    const late = new Promise<void>((resolve) => {
      timer = this.clock.setTimer(drainMs, resolve);
    });
    await Promise.race([Promise.allSettled(this.busy), late]);
    timer?.[Symbol.dispose]();
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  private track(): void {
    const { server, sockets, sessions } = this;
    const follow = (socket: Socket) => {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      socket.on('error', () => socket.destroy());
    };
    // From their first moment: one that never says hello would keep the server from closing.
    server.on('connection', follow);
    server.on('secureConnection', follow);
    server.on('session', (session) => {
      sessions.add(session);
      session.once('close', () => sessions.delete(session));
    });
    // A client that breaks off, or does not trust us, is no event.
    server.on('sessionError', () => {});
    server.on('tlsClientError', () => {});
    server.on('clientError', (_, socket) => socket.destroy());
  }
}
