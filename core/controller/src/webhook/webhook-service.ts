import { type Clock, sleep } from '@tektite/meta';
import { ControllerError, isControllerError } from '../controller-error.ts';
import type { WebhookCertificate } from './certificate-data.ts';
import { type CertificateSecretOptions, ensureCertificate } from './certificate-secret.ts';
import { type CheckOutcome, checkAtStart, checkPeriodically, outcomeOf } from './check-periodically.ts';
import type { WebhookAddress } from './webhook-configurations.ts';
import { type RegistrationOptions, registerWebhooks } from './webhook-registration.ts';
import { WebhookServer, type WebhookServerOptions } from './webhook-server.ts';

export interface WebhookServiceOptions
  extends Omit<RegistrationOptions, 'address'>,
    Omit<WebhookServerOptions, 'certificate' | 'clock' | 'webhooks'>,
    Omit<CertificateSecretOptions, 'secret' | 'hosts' | 'client'> {
  /** The Service in front of this process. Its names are those the certificate is for. */
  readonly service: { readonly namespace: string; readonly name: string; readonly port?: number };
  /** Where API servers outside of the cluster reach this process, instead of through the Service; may depend on the port. */
  readonly url?: string | ((port: number) => string);
  /** Default: the name of the Service and `-certs`. It is in the namespace of the Service. */
  readonly secretName?: string;
  /** More names for the certificate. */
  readonly hosts?: readonly string[];
  /** How often certificates and configurations are checked. Default once a minute. */
  readonly checkEveryMs?: number;
  /** How long API servers get to hear of a new authority before its certificate is shown. Default ten seconds. */
  readonly settleMs?: number;
}

/** How the webhooks of a process are doing. */
export interface WebhookHealth {
  /** Certificates are valid and the webhooks are registered. */
  readonly healthy: boolean;
  /** When the certificate in use expires, in milliseconds since the epoch. */
  readonly notAfter: number;
  readonly registered: boolean;
  readonly lastError: Error | undefined;
}

const defaultCheckMs = 60_000;
const defaultSettleMs = 10_000;

/**
 * Serves webhooks on a cluster: HTTPS, certificates in a Secret, configurations and definitions that trust them.
 *
 * A certificate is renewed in three steps, by each replica: the new one with its authority is in the Secret (one
 * replica makes it, the others find it); the API server is configured to trust old and new; only then, and after a
 * while, is the new one served. At no time is a certificate served that the API server is not configured to trust,
 * unless the one in use has expired. A replica that read the Secret before the renewal may write the former authorities
 * after it: Secret and configurations are read again before the certificate is served, and the wait starts over when
 * they were not as they should be.
 *
 * Failed steps are retried at the next check, a minute later; until then everything stays as it is.
 *
 * @example await using webhooks = await WebhookService.start({ client, webhooks: [defaulting, validation], service: {
 * namespace: 'cache-system', name: 'cache-webhook' }, });
 */
export class WebhookService implements AsyncDisposable {
  private readonly options: WebhookServiceOptions;
  private readonly server: WebhookServer;
  private readonly clock: Clock;
  private readonly controller = new AbortController();
  private shown: WebhookCertificate;
  private registered = false;
  private lastError: Error | undefined;
  private running: Promise<void> | undefined;

  /** Resolves when the webhooks can be called and are registered; a failure is retried later. */
  static async start(options: WebhookServiceOptions, signal?: AbortSignal): Promise<WebhookService> {
    const certificate = await ensureCertificate(certificateOptions(options), signal);
    const server = await WebhookServer.start({ ...options, clock: options.client.clock, certificate });
    const service = new WebhookService(options, server, certificate);
    try {
      const { checkEveryMs = defaultCheckMs } = options;
      const check = (until?: AbortSignal) => service.check(until);
      await checkAtStart(service.clock, check, signal);
      const first = outcomeOf(service.lastError);
      service.running = checkPeriodically(service.clock, checkEveryMs, check, service.controller.signal, first);
      return service;
    } catch (error) {
      await service.stop();
      throw error;
    }
  }

  private constructor(options: WebhookServiceOptions, server: WebhookServer, certificate: WebhookCertificate) {
    this.options = options;
    this.server = server;
    this.clock = options.client.clock;
    this.shown = certificate;
  }

  get port(): number {
    return this.server.port;
  }

  health(): WebhookHealth {
    const { registered, lastError } = this;
    const { notAfter } = this.shown;
    return { healthy: registered && notAfter > this.clock.now(), notAfter, registered, lastError };
  }

  /** For a process that is about to stop: API servers are asked to open other connections, to other replicas. */
  retire(): void {
    this.server.retire();
  }

  /** Ends the server; answers under way are still given. Configurations stay: other replicas may serve them. */
  async stop(): Promise<void> {
    this.controller.abort(new Error('the webhooks were stopped'));
    await this.running;
    await this.server.stop();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  /** One check: certificate, registration, rotation. Rejects only when the signal is aborted. */
  private async check(signal?: AbortSignal): Promise<CheckOutcome> {
    try {
      await this.rotate(signal);
      this.lastError = undefined;
    } catch (error) {
      if (signal?.aborted) throw error;
      this.fail(error);
    }
    return outcomeOf(this.lastError);
  }

  /** Registers the certificate of the Secret, and serves it once all of it was found as it should be, a while after it was written. */
  private async rotate(signal?: AbortSignal): Promise<void> {
    let settling: string | undefined;
    for (;;) {
      const certificate = await ensureCertificate(certificateOptions(this.options), signal);
      const written = await this.register(certificate, signal);
      if (certificate.certificate === this.shown.certificate) return;
      const settled = settling === certificate.certificate && !written;
      if (settled || this.shown.notAfter <= this.clock.now()) return this.show(certificate);
      settling = certificate.certificate;
      await sleep(this.clock, this.options.settleMs ?? defaultSettleMs, signal);
    }
  }

  /** Returns whether anything was written. */
  private async register({ authorities }: WebhookCertificate, signal?: AbortSignal): Promise<boolean> {
    try {
      const written = await registerWebhooks({ ...this.options, address: this.address() }, authorities, signal);
      this.registered = true;
      return written;
    } catch (error) {
      this.registered = false;
      // A certificate that may not be trusted yet is better only than an expired one.
      if (this.shown.notAfter > this.clock.now() || signal?.aborted) throw error;
      this.fail(error);
      return false;
    }
  }

  private address(): WebhookAddress {
    const { service, url } = this.options;
    if (url === undefined) return { service };
    return { url: typeof url === 'string' ? url : url(this.port) };
  }

  private show(certificate: WebhookCertificate): void {
    this.server.use(certificate);
    this.shown = certificate;
  }

  private fail(error: unknown): void {
    const cause = error instanceof Error ? error : new Error(String(error));
    this.lastError = cause;
    try {
      const reported = isControllerError(cause)
        ? cause
        : new ControllerError('CERTIFICATE_FAILED', cause.message, { cause });
      this.options.onError?.(reported);
    } catch {
      // A log that fails must not end the renewal.
    }
  }
}

function certificateOptions(options: WebhookServiceOptions): CertificateSecretOptions {
  const { service, url, secretName = `${service.name}-certs`, hosts = [], ...rest } = options;
  const { name, namespace } = service;
  const names = [`${name}.${namespace}.svc`, `${name}.${namespace}.svc.cluster.local`, `${name}.${namespace}`, name];
  const outside = url === undefined ? [] : [hostOf(typeof url === 'string' ? url : url(options.port ?? 0))];
  return { ...rest, secret: { namespace, name: secretName }, hosts: [...names, ...outside, ...hosts] };
}

function hostOf(url: string): string {
  return new URL(url).hostname.replaceAll(/^\[|\]$/g, '');
}
