import { ClientError, type ResponseHead, type TransportStream, type WireEvent } from '@tektite/client';
import { deepFreeze } from '@tektite/meta';
import type { WatchSource } from '../request/api-response.ts';
import { onAbort, type Signals } from './signals.ts';

/** A reader that lets so many events pile up is cut off, as over HTTP; it can resume from the last one it saw. */
const maxPendingEvents = 10_000;

type EventResult = IteratorResult<WireEvent, undefined>;

/** The events of a watch, waiting for their reader. */
export class EventQueue implements TransportStream<WireEvent>, AsyncIterator<WireEvent, undefined> {
  readonly status: number;
  readonly headers: ResponseHead['headers'];
  readonly warnings: ResponseHead['warnings'];
  private readonly source: WatchSource;
  private readonly unlink: () => void;
  private pending: WireEvent[] = [];
  /** How many of the pending events were read. */
  private read = 0;
  /** Nothing is too much before the reader had a chance: a watch may begin with everything there is. */
  private limit = Number.POSITIVE_INFINITY;
  private waiting: { resolve(result: EventResult): void; reject(error: Error): void } | undefined;
  private ended = false;
  private failure: Error | undefined;

  constructor(head: ResponseHead, source: WatchSource, signals: Signals) {
    this.status = head.status;
    this.headers = head.headers;
    this.warnings = head.warnings;
    this.source = source;
    this.unlink = onAbort(signals, (reason) => this.finish(reason, true));
    source.start({
      begin: (initial) => {
        for (let event = initial.next(); event; event = initial.next())
          this.push({ type: event.type, object: event.object });
      },
      push: (event) => this.push(event),
      end: () => this.finish(),
    });
    this.limit = this.pending.length + maxPendingEvents;
  }

  [Symbol.asyncIterator](): AsyncIterator<WireEvent, undefined> {
    return this;
  }

  next(): Promise<EventResult> {
    const event = this.shift();
    if (event) return Promise.resolve({ done: false, value: event });
    if (this.failure) return Promise.reject(this.failure);
    if (this.ended) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject };
    });
  }

  return(): Promise<EventResult> {
    this.close();
    return Promise.resolve({ done: true, value: undefined });
  }

  close(): void {
    this.pending = [];
    this.read = 0;
    this.failure = undefined;
    this.finish();
  }

  private shift(): WireEvent | undefined {
    const event = this.pending[this.read];
    if (!event) return undefined;
    this.read++;
    if (this.read === this.pending.length) {
      this.pending = [];
      this.read = 0;
    }
    return event;
  }

  private push(event: WireEvent): void {
    if (this.ended) return;
    deepFreeze(event);
    if (this.waiting) {
      this.waiting.resolve({ done: false, value: event });
      this.waiting = undefined;
      return;
    }
    this.pending.push(event);
    if (this.pending.length - this.read > this.limit)
      this.finish(
        new ClientError('CONNECTION_RESET', 'the reader of the watch is too slow and was cut off; resume it'),
      );
  }

  /** Pending events are still delivered, except after an abort. */
  private finish(failure?: Error, atOnce = false): void {
    if (this.ended) return;
    this.ended = true;
    this.failure = failure;
    if (atOnce) {
      this.pending = [];
      this.read = 0;
    }
    this.unlink();
    this.source.stop();
    if (failure) this.waiting?.reject(failure);
    else this.waiting?.resolve({ done: true, value: undefined });
    this.waiting = undefined;
  }
}
