import { webFetch } from '@tektite/client';
import { type Clock, sleep } from '@tektite/meta';
import type { CloudEvent } from './cloud-event.ts';

/** Called with the result of a delivery; without an error on success. */
export type Delivered = (error: Error | undefined) => void;

const attempts = 10;
const firstRetryMs = 10;
const answerMs = 30_000;
/** The maximum of pending deliveries. Further events are dropped, and reported as failures. */
const maxWaiting = 1000;
/** Answers after which another try may help. */
const passing = new Set([404, 413, 425, 429, 502, 503, 504]);

/**
 * Delivers events over HTTP, in the background: the caller does not wait, and a slow or unreachable sink blocks no
 * reconcile. Events that are not delivered when it is closed are lost, as upstream's are.
 */
export class Outbox implements AsyncDisposable {
  private readonly clock: Clock;
  private readonly authorities: () => string;
  private readonly abort = new AbortController();
  private readonly open = new Set<Promise<void>>();

  /** Sinks are checked against these certificate authorities, too, PEM. */
  constructor(clock: Clock, authorities: () => string = () => '') {
    this.clock = clock;
    this.authorities = authorities;
  }

  post(sink: string, event: CloudEvent, delivered: Delivered): void {
    if (this.open.size >= maxWaiting) {
      delivered(new Error(`${maxWaiting} events are waiting for the sink`));
      return;
    }
    const delivery = this.deliver(sink, event).then(
      () => delivered(undefined),
      (error: unknown) => {
        if (!this.abort.signal.aborted) delivered(error as Error);
      },
    );
    this.open.add(delivery);
    void delivery.finally(() => this.open.delete(delivery));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.abort.abort(new Error('the outbox is closed'));
    await Promise.allSettled(this.open);
  }

  private async deliver(sink: string, event: CloudEvent): Promise<void> {
    const { signal } = this.abort;
    for (let attempt = 1; ; attempt++) {
      const failure = await this.send(sink, event);
      if (!failure) return;
      if (!failure.mayPass || attempt > attempts || signal.aborted) throw failure.error;
      await sleep(this.clock, firstRetryMs * 2 ** (attempt - 1), signal);
    }
  }

  private async send(
    sink: string,
    { id, source, type, subject, time, data }: CloudEvent,
  ): Promise<{ readonly error: Error; readonly mayPass: boolean } | undefined> {
    const attributes = { id, source, type, subject, time, specversion: '1.0' };
    const headers = Object.fromEntries(
      Object.entries(attributes).map(([name, value]) => [`ce-${name}`, encoded(value)]),
    );
    try {
      const request = {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(data),
        signal: AbortSignal.any([this.abort.signal, AbortSignal.timeout(answerMs)]),
      };
      const response = await webFetch(sink, request, { authorities: this.authorities() });
      await response.arrayBuffer();
      if (response.ok) return undefined;
      return { error: new Error(`${response.status}: ${response.statusText}`), mayPass: passing.has(response.status) };
    } catch (cause) {
      const { message, cause: inner } = cause as Error;
      const reason = inner instanceof Error ? inner.message : message;
      return { error: new Error(`Post "${sink}": ${reason}`, { cause }), mayPass: true };
    }
  }
}

/** Headers have no room for all characters; CloudEvents says how others are written. */
function encoded(text: string): string {
  return text.replaceAll(/[^\x21\x23\x24\x26-\x7e]/gu, (character) =>
    Array.from(
      new TextEncoder().encode(character),
      (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
    ).join(''),
  );
}
