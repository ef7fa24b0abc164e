import { type Client, kinds, mergePatch } from '@tektite/client';
import { isStatusError, type KubeObject, sleep } from '@tektite/meta';
import { type Logger, silentLogger } from '../logger.ts';
import { type Correlation, EventCorrelator } from './event-correlator.ts';
import { coreEvent, eventName, type EventReporter, repetition, seriesEvent } from './event-object.ts';
import { type EventReference, eventReference, type EventText } from './event-text.ts';
import { RecentMap } from './recent-map.ts';

export interface EventRecorderOptions extends EventReporter {
  /** Which of the two APIs to write. Both show the same Events; upstream's controllers are split. Default `v1`. */
  readonly api?: 'v1' | 'events.k8s.io/v1';
  readonly log?: Logger;
}

interface Outgoing {
  readonly object: EventReference;
  readonly text: EventText;
  readonly correlation: Exclude<Correlation, { type: 'drop' }>;
  readonly now: number;
}

/** Events that wait to be sent, at most. They are a courtesy: when the API is slow, the newest are dropped, and counted. */
const maxQueueLength = 10_000;
/** The number of concurrent writes. Few: they compete with the writes of the reconcilers. */
const lanes = 2;
const attempts = 12;
const retryMs = 10_000;

/**
 * Records Events about objects.
 *
 * Guarantees: `event` returns at once and never throws. Events of one object are written in order. Repeated ones are
 * counted and masses are combined, as {@link EventCorrelator} says. Failures are retried for two minutes and then
 * dropped with a log line; a terminating namespace rejects new Events, which is no reason to try again.
 *
 * @example await using events = new EventRecorder(client, { component: 'memcached-operator' }); events.event(memcached,
 * { reason: 'ScalingUp', message: 'from 1 to 3 nodes' });
 */
export class EventRecorder implements AsyncDisposable {
  private readonly client: Client;
  private readonly options: EventRecorderOptions;
  private readonly correlator: EventCorrelator;
  private readonly names = new RecentMap<string>(4096);
  private readonly queue: Outgoing[] = [];
  private readonly controller = new AbortController();
  /** The pending writes, by object: events of one object are written in order. */
  private readonly sending = new Map<string, Promise<void>>();
  /** The number of requests in flight. The others wait for a retry, and block only their own object. */
  private writing = 0;
  private counter = 0;
  private lost = 0;

  constructor(client: Client, options: EventRecorderOptions) {
    this.client = client;
    this.options = options;
    this.correlator = new EventCorrelator(options.api ?? 'v1');
  }

  /** How many could not be written, or had no room. */
  get dropped(): number {
    return this.lost;
  }

  event(about: Pick<KubeObject, 'apiVersion' | 'kind' | 'metadata'>, text: EventText): void {
    if (this.controller.signal.aborted) return;
    const object = eventReference(about);
    const now = this.client.clock.now();
    const correlation = this.correlator.correlate(object, text, now);
    if (correlation.type === 'drop') return;
    // A repetition that waits to be sent is overtaken by the next one.
    if (correlation.type === 'count' && this.overtake({ object, text, correlation, now })) return;
    if (this.queue.length >= maxQueueLength) {
      this.lost++;
      this.correlator.forget(correlation.id);
      return;
    }
    this.queue.push({ object, text, correlation, now });
    this.send();
  }

  /** Resolves when everything so far is written or given up. */
  async flushed(): Promise<void> {
    while (this.sending.size > 0) await Promise.all(this.sending.values());
  }

  /** Gives up what is not written yet. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.controller.abort(new Error('the recorder was closed'));
    this.queue.length = 0;
    await this.flushed();
  }

  private overtake(later: Outgoing): boolean {
    const { id } = later.correlation;
    const waiting = this.queue.findIndex(({ correlation }) => correlation.id === id && correlation.type === 'count');
    if (waiting >= 0) this.queue[waiting] = later;
    return waiting >= 0;
  }

  private send(): void {
    while (this.writing < lanes) {
      const index = this.queue.findIndex(({ object }) => !this.sending.has(laneOf(object)));
      // Nearly always the first, which is many times cheaper to take.
      const next = index === 0 ? this.queue.shift() : this.queue.splice(index, index < 0 ? 0 : 1)[0];
      if (!next) return;
      const lane = laneOf(next.object);
      const done = this.sendOrDrop(next).finally(() => {
        this.sending.delete(lane);
        this.send();
      });
      this.sending.set(lane, done);
    }
  }

  private async sendOrDrop(next: Outgoing): Promise<void> {
    const { signal } = this.controller;
    try {
      await this.sendOne(next, signal);
    } catch (error) {
      if (signal.aborted) return;
      this.lost++;
      this.correlator.forget(next.correlation.id);
      // Nothing new may be in a namespace that is going: no reason to say a word.
      if (isStatusError(error, 'Forbidden') && error.message.includes('because it is being terminated')) return;
      (this.options.log ?? silentLogger).warn('an event could not be written', {
        ...next.object,
        reason: next.text.reason,
        error,
      });
    }
  }

  private async sendOne(outgoing: Outgoing, signal: AbortSignal): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      this.writing++;
      try {
        await this.write(outgoing, signal);
        return;
      } catch (error) {
        if (attempt >= attempts || signal.aborted || isStatusError(error)) throw error;
      } finally {
        this.writing--;
      }
      this.send();
      await sleep(this.client.clock, retryMs * (0.5 + this.client.random.next()), signal);
    }
  }

  private async write({ object, text, correlation, now }: Outgoing, signal: AbortSignal): Promise<void> {
    const api = this.options.api ?? 'v1';
    const kind = api === 'v1' ? kinds.Event : kinds.EventsV1Event;
    const known = correlation.type === 'count' ? this.names.get(correlation.id) : undefined;
    if (correlation.type === 'count' && known !== undefined) {
      const key = { namespace: object.namespace ?? 'default', name: known };
      try {
        await this.client.patch<KubeObject>(kind, key, mergePatch(repetition(api, correlation, now)), { signal });
        return;
      } catch (error) {
        // Events live for an hour, so it may be deleted; and an account may be allowed to create Events and no more.
        if (!isStatusError(error, 'NotFound') && !isStatusError(error, 'Forbidden')) throw error;
      }
    }
    const name = eventName(object, now, this.counter++);
    const make = api === 'v1' ? coreEvent : seriesEvent;
    const count = correlation.type === 'count' ? correlation.count : 1;
    const { message, at } = correlation;
    await this.client.create<KubeObject>(kind, make(name, object, text, { message, at, count }, now, this.options), {
      signal,
    });
    this.names.set(correlation.id, name);
  }
}

function laneOf({ uid, namespace, kind, name }: EventReference): string {
  return uid ?? `${kind}/${namespace}/${name}`;
}
