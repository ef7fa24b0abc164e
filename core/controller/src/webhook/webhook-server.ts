import { GuardedServer } from '@tektite/http';
import { answerRequest } from './answer-request.ts';
import { ReviewHandler, type ReviewHandlerOptions, type Webhook } from './review-handler.ts';

/** The certificate and key of a server, PEM. */
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
  /** Larger bodies are denied. Default 3 MB, more than any API server sends. */
  readonly maxBodyBytes?: number;
  /** Decides `/readyz`. `/healthz` only says that the server answers. */
  readonly isReady?: () => boolean;
}

const defaultMaxBodyBytes = 3 * 1024 * 1024;
const defaultPort = 8443;
/** Time for answers under way when the server stops. */
const defaultDrainMs = 15_000;

/**
 * Serves webhooks over HTTPS: HTTP/2 for API servers that speak it, HTTP/1.1 with kept connections for the rest.
 *
 * Guarantees
 * - A certificate is replaced without cutting a connection: open ones go on, new ones see the new one.
 * - Bad requests (no such path, no POST, no JSON, no review, too large) are answered with a Status that names the reason.
 * - `stop` takes no new connections, lets answers that are under way be sent, and leaves nothing behind.
 *
 * @example
 * await using server = await WebhookServer.start({ webhooks, certificate, port: 8443 });
 */
export class WebhookServer implements AsyncDisposable {
  private readonly server: GuardedServer;
  private stopping: Promise<void> | undefined;

  /** Resolves when the server listens. Rejects when it cannot. */
  static async start(options: WebhookServerOptions): Promise<WebhookServer> {
    const { host, clock } = options;
    const handler = new ReviewHandler(options.webhooks, options);
    const isReady = options.isReady ?? (() => true);
    const maxBodyBytes = options.maxBodyBytes ?? defaultMaxBodyBytes;
    const server = await GuardedServer.start({
      port: options.port ?? defaultPort,
      ...(host === undefined ? {} : { host }),
      ...(clock ? { clock } : {}),
      tls: options.certificate,
      onRequest: (request, response) => answerRequest(request, response, { handler, isReady, maxBodyBytes }),
    });
    return new WebhookServer(server);
  }

  private constructor(server: GuardedServer) {
    this.server = server;
  }

  get port(): number {
    return this.server.port;
  }

  /** New connections see this certificate. Throws when the key does not belong to it. */
  use(certificate: ServingCertificate): void {
    this.server.use(certificate);
  }

  /** Answers as before, each on a connection that ends with it: the next one may go to another replica. */
  retire(): void {
    this.server.retire();
  }

  /** Ends the server; answers under way get `drainMs`. */
  stop(drainMs: number = defaultDrainMs): Promise<void> {
    return (this.stopping ??= this.server.drain(drainMs));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}
