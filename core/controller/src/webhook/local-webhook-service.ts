import { ControllerError, isControllerError } from '../controller-error.ts';
import type { ReviewedWrite } from './admission-webhook.ts';
import { type CheckOutcome, checkAtStart, checkPeriodically, outcomeOf } from './check-periodically.ts';
import { type ReviewAnswer, ReviewHandler, type ReviewHandlerOptions } from './review-handler.ts';
import { type RegistrationOptions, registerWebhooks } from './webhook-registration.ts';

/** An API server in the same process that can be given webhooks. `ApiServer.localWebhooks` of `@tektite/apiserver` is one. */
export interface LocalWebhookHost {
  serve(
    service: { readonly namespace: string; readonly name: string },
    webhook: {
      answer(path: string, review: object, timeoutMs: number, signal: AbortSignal): Promise<ReviewAnswer>;
      passes(path: string, write: ReviewedWrite): boolean;
    },
  ): Disposable;
}

export interface LocalWebhookServiceOptions
  extends Omit<RegistrationOptions, 'address'>,
    Omit<ReviewHandlerOptions, 'clock'> {
  readonly host: LocalWebhookHost;
  /** The Service that configurations name. There need not be one. */
  readonly service: { readonly namespace: string; readonly name: string };
  /** How often the configurations are checked. Default once a minute. */
  readonly checkEveryMs?: number;
}

const defaultCheckMs = 60_000;

/**
 * Serves webhooks to an API server of the same process: no HTTPS, no certificates, the same configurations, the same answers.
 *
 * @example
 * await using webhooks = await LocalWebhookService.start({
 *   host: server.localWebhooks, client, webhooks: [defaulting, validation],
 *   service: { namespace: 'cache-system', name: 'cache-webhook' },
 * });
 */
export class LocalWebhookService implements AsyncDisposable {
  private readonly options: LocalWebhookServiceOptions;
  private readonly controller = new AbortController();
  private readonly served: Disposable;
  private running: Promise<void> | undefined;
  private failure: Error | undefined;

  /** Resolves when the webhooks are in force; when the API refuses them, it is tried again later. */
  static async start(options: LocalWebhookServiceOptions, signal?: AbortSignal): Promise<LocalWebhookService> {
    const service = new LocalWebhookService(options);
    try {
      const { checkEveryMs = defaultCheckMs } = options;
      const { clock } = options.client;
      const check = (until?: AbortSignal) => service.check(until);
      await checkAtStart(clock, check, signal);
      const first = outcomeOf(service.failure);
      service.running = checkPeriodically(clock, checkEveryMs, check, service.controller.signal, first);
      return service;
    } catch (error) {
      await service.stop();
      throw error;
    }
  }

  private constructor(options: LocalWebhookServiceOptions) {
    this.options = options;
    const handler = new ReviewHandler(options.webhooks, { ...options, clock: options.client.clock });
    this.served = options.host.serve(options.service, {
      answer: (path, review, _, signal) => handler.handleUntil(path, review, signal),
      passes: (path, write) => handler.passes(path, write),
    });
  }

  health(): { readonly healthy: boolean; readonly lastError: Error | undefined } {
    return { healthy: this.failure === undefined, lastError: this.failure };
  }

  /** The configurations stay, so that nothing passes unseen until the webhooks are served again. */
  async stop(): Promise<void> {
    this.controller.abort(new Error('the webhooks were stopped'));
    await this.running;
    this.served[Symbol.dispose]();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  private async check(signal?: AbortSignal): Promise<CheckOutcome> {
    const { service } = this.options;
    try {
      await registerWebhooks({ ...this.options, address: { service } }, undefined, signal);
      this.failure = undefined;
    } catch (error) {
      if (signal?.aborted) throw error;
      this.failure = error as Error;
      this.report(error);
    }
    return outcomeOf(this.failure);
  }

  private report(cause: unknown): void {
    const error = isControllerError(cause)
      ? cause
      : new ControllerError('REGISTRATION_FAILED', String(cause), { cause });
    try {
      this.options.onError?.(error);
    } catch {
      // A failing log must not end the check.
    }
  }
}
