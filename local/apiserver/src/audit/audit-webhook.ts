import { type Clock, sleep, stringifyJson } from '@tektite/meta';
import type { WebhookServer } from '../request/webhook-server.ts';
import type { AuditEvent } from './auditor.ts';

/** How events are collected before they are sent. The defaults are upstream's for the mode `batch`. */
export interface AuditBatching {
  /** Events that wait; more are dropped. Default 10,000. */
  readonly maxWaiting?: number;
  /** Events of one request. Default 400. */
  readonly maxBatch?: number;
  /** The time until an incomplete batch is sent. Default 30 s. */
  readonly maxWaitMs?: number;
  /** The pause after a request that failed; it doubles with each of the five attempts. Default 10 s. */
  readonly firstRetryMs?: number;
}

const attempts = 5;
const timeoutMs = 30_000;
/** How long the end of the process waits for the last events. */
const lastTimeoutMs = 2000;

/**
 * Sends audit events to another server, in batches, as upstream's webhook backend does: one `EventList` at a time, in order.
 * Events are dropped, and reported, where the server does not take them in time.
 */
export class AuditWebhook implements AsyncDisposable {
  private readonly server: WebhookServer;
  private readonly clock: Clock;
  private readonly onError: (error: Error) => void;
  private readonly limits: Required<AuditBatching>;
  private readonly stopped = new AbortController();
  private waiting: AuditEvent[] = [];
  private timer: Disposable | undefined;
  private sending: Promise<void> | undefined;
  private droppedCount = 0;

  constructor(server: WebhookServer, clock: Clock, onError: (error: Error) => void, batching: AuditBatching = {}) {
    this.server = server;
    this.clock = clock;
    this.onError = onError;
    this.limits = { maxWaiting: 10_000, maxBatch: 400, maxWaitMs: 30_000, firstRetryMs: 10_000, ...batching };
  }

  /** How many events were not delivered. */
  get dropped(): number {
    return this.droppedCount;
  }

  write(event: AuditEvent): void {
    if (this.waiting.length >= this.limits.maxWaiting) {
      if (this.droppedCount++ === 0) this.onError(new Error('the audit webhook is too slow; events are dropped'));
      return;
    }
    this.waiting.push(event);
    if (this.waiting.length >= this.limits.maxBatch) this.flush();
    else this.timer ??= this.clock.setTimer(this.limits.maxWaitMs, () => this.flush());
  }

  /** Sends what waits, once: a server that does not answer does not hold up the end of the process. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.stopped.abort();
    this.flush();
    await this.sending;
    await this.server.close();
  }

  private flush(): void {
    this.timer?.[Symbol.dispose]();
    this.timer = undefined;
    this.sending ??= this.sendAll().finally(() => {
      this.sending = undefined;
      if (this.waiting.length > 0 && !this.stopped.signal.aborted)
        this.timer ??= this.clock.setTimer(this.limits.maxWaitMs, () => this.flush());
    });
  }

  private async sendAll(): Promise<void> {
    const { maxBatch } = this.limits;
    do {
      const batch = this.waiting.splice(0, maxBatch);
      if (batch.length > 0) await this.send(batch);
    } while (this.waiting.length >= maxBatch || (this.stopped.signal.aborted && this.waiting.length > 0));
  }

  private async send(items: readonly AuditEvent[]): Promise<void> {
    const body = stringifyJson({ kind: 'EventList', apiVersion: 'audit.k8s.io/v1', metadata: {}, items });
    for (let attempt = 1; ; attempt++) {
      try {
        const { aborted } = this.stopped.signal;
        await this.server.post(body, { timeoutMs: aborted ? lastTimeoutMs : timeoutMs });
        return;
      } catch (error) {
        if (attempt < attempts && !this.stopped.signal.aborted) {
          await sleep(this.clock, this.limits.firstRetryMs * 2 ** (attempt - 1), this.stopped.signal).catch(
            () => undefined,
          );
          continue;
        }
        this.droppedCount += items.length;
        this.onError(new Error(`${items.length} audit events were not delivered: ${(error as Error).message}`));
        return;
      }
    }
  }
}
