import {
  badRequestError,
  type Clock,
  isStatusError,
  type Status,
  StatusError,
  systemClock,
  timeoutError,
} from '@tektite/meta';
import { ControllerError, isControllerError } from '../controller-error.ts';
import { readAdmissionReview } from './admission-review.ts';
import type { AdmissionWebhook, ReviewedWrite } from './admission-webhook.ts';
import { readConversionReview } from './conversion-review.ts';
import type { ConversionWebhook } from './conversion-webhook.ts';

export type Webhook = AdmissionWebhook | ConversionWebhook;

export interface ReviewHandlerOptions {
  readonly clock?: Clock;
  /** The longest a webhook may take, whatever the API server allows. Default 30 seconds, upstream's limit. */
  readonly timeoutMs?: number;
  /** Called for webhooks that throw or time out. */
  readonly onError?: (error: ControllerError) => void;
}

/** An HTTP answer before it is encoded: a review, or a Status that says what is wrong with the question. */
export interface ReviewAnswer {
  readonly code: number;
  readonly body: object;
}

/** Runs a webhook, for as long as the caller waits. */
type RunWebhook = <T>(webhook: Webhook, work: (signal: AbortSignal) => Promise<T>) => Promise<T>;

const defaultTimeoutMs = 30_000;

/**
 * Answers reviews: finds the webhook, decodes the review, and returns the webhook's response in time. The same for
 * requests over HTTPS and in the process.
 *
 * A webhook that throws or times out is a failure (500, 504), not a denial: the failure policy decides whether that
 * stops the request. It does not affect other requests.
 */
export class ReviewHandler {
  private readonly webhooks: ReadonlyMap<string, Webhook>;
  private readonly clock: Clock;
  private readonly timeoutMs: number;
  private readonly onError: (error: ControllerError) => void;

  constructor(webhooks: readonly Webhook[], options: ReviewHandlerOptions = {}) {
    this.webhooks = byPath(webhooks);
    this.clock = options.clock ?? systemClock;
    this.timeoutMs = options.timeoutMs ?? defaultTimeoutMs;
    this.onError = options.onError ?? (() => {});
  }

  hasPath(path: string): boolean {
    return this.webhooks.has(path);
  }

  /** Whether the webhook at a path allows writes of this sort without a call. */
  passes(path: string, write: ReviewedWrite): boolean {
    const webhook = this.webhooks.get(path);
    return webhook !== undefined && webhook.type !== 'conversion' && webhook.passes?.(write) === true;
  }

  /** Never rejects. `timeoutMs`: how long the caller waits; `signal`: the caller no longer waits. */
  handle(path: string, body: unknown, timeoutMs = this.timeoutMs, signal?: AbortSignal): Promise<ReviewAnswer> {
    const limit = Math.min(timeoutMs, this.timeoutMs);
    return this.answer(path, body, (webhook, work) => this.inTime(webhook, limit, signal, work));
  }

  /** For callers that keep the timeout themselves, and abort the signal. Never rejects. */
  handleUntil(path: string, body: unknown, signal: AbortSignal): Promise<ReviewAnswer> {
    return this.answer(path, body, (_, work) => work(signal));
  }

  private async answer(path: string, body: unknown, run: RunWebhook): Promise<ReviewAnswer> {
    const webhook = this.webhooks.get(path);
    try {
      if (!webhook) throw unknownPath(path);
      return { code: 200, body: await this.review(webhook, body, run) };
    } catch (error) {
      return failureAnswer(error);
    }
  }

  private async review(webhook: Webhook, body: unknown, run: RunWebhook): Promise<object> {
    if (webhook.type === 'conversion') {
      const { apiVersion, request } = readConversionReview(body);
      const response = await this.checked(webhook, () => run(webhook, () => webhook.convert(request)));
      return { kind: 'ConversionReview', apiVersion, response: { uid: request.uid, ...response } };
    }
    const { apiVersion, request } = readAdmissionReview(body);
    const response = await this.checked(webhook, () => run(webhook, (ends) => webhook.review(request, ends)));
    return { kind: 'AdmissionReview', apiVersion, response: { uid: request.uid, ...response } };
  }

  private async checked<T>(webhook: Webhook, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (cause) {
      throw this.failure(webhook, cause);
    }
  }

  /** Gives up waiting after a while; what the webhook does afterwards is of no interest. */
  private async inTime<T>(
    webhook: Webhook,
    timeoutMs: number,
    outer: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const abort = new AbortController();
    const ended = new Promise<never>((_, reject) => {
      abort.signal.addEventListener('abort', () => reject(abort.signal.reason as Error), { once: true });
    });
    // Made only when it comes to that: an error notes where it was made, which is dear.
    const late = () =>
      abort.abort(new ControllerError('WEBHOOK_TIMEOUT', `${nameOf(webhook)} gave no answer within ${timeoutMs} ms`));
    const gone = () =>
      abort.abort(new ControllerError('WEBHOOK_FAILED', `the caller of ${nameOf(webhook)} disconnected`));
    const timer = this.clock.setTimer(timeoutMs, late);
    outer?.addEventListener('abort', gone, { once: true });
    try {
      return await Promise.race([work(abort.signal), ended]);
    } finally {
      timer[Symbol.dispose]();
      outer?.removeEventListener('abort', gone);
    }
  }

  private failure(webhook: Webhook, cause: unknown): StatusError {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const isOurs = isControllerError(cause, 'WEBHOOK_TIMEOUT') || isControllerError(cause, 'WEBHOOK_FAILED');
    const error = isOurs
      ? cause
      : new ControllerError('WEBHOOK_FAILED', `${nameOf(webhook)} failed: ${reason}`, { cause });
    try {
      this.onError(error);
    } catch {
      // A log that fails must not keep the answer back.
    }
    if (error.code === 'WEBHOOK_TIMEOUT') return timeoutError(error.message);
    return new StatusError({ code: 500, reason: 'InternalError', message: error.message }, { cause: error });
  }
}

function byPath(webhooks: readonly Webhook[]): ReadonlyMap<string, Webhook> {
  const known = new Map<string, Webhook>();
  for (const webhook of webhooks) {
    const { path } = webhook;
    if (!path.startsWith('/')) throw new Error(`the path ${path} of ${nameOf(webhook)} does not begin with a slash`);
    const other = known.get(path);
    if (other) throw new Error(`${nameOf(other)} and ${nameOf(webhook)} both want the path ${path}`);
    known.set(path, webhook);
  }
  return known;
}

function nameOf(webhook: Webhook): string {
  return webhook.type === 'conversion' ? `conversion webhook ${webhook.path}` : `webhook ${webhook.name}`;
}

function unknownPath(path: string): StatusError {
  const message = `there is no webhook at ${JSON.stringify(path.slice(0, 200))}`;
  return new StatusError({ code: 404, reason: 'NotFound', message });
}

/** A failure as a Status; API servers show its message to their users. */
export function failureAnswer(error: unknown): ReviewAnswer {
  const status: Status = isStatusError(error)
    ? error.status
    : error instanceof RangeError
      ? badRequestError('the review is nested too deeply').status
      : new StatusError({ code: 500, reason: 'InternalError', message: 'the webhook failed' }).status;
  return { code: status.code ?? 500, body: status };
}
