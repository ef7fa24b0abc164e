import type { EventReference, EventText } from './event-text.ts';
import { RecentMap } from './recent-map.ts';

/** The result of correlating an event: a new object, a count in an existing one, or nothing. */
export type Correlation =
  | { readonly type: 'create'; readonly id: string; readonly message: string; readonly at: number }
  | {
      readonly type: 'count';
      readonly id: string;
      readonly message: string;
      /** When it was first seen. */
      readonly at: number;
      readonly count: number;
    }
  | { readonly type: 'drop' };

interface Seen {
  readonly first: number;
  count: number;
  last: number;
}

interface Similar {
  readonly messages: Set<string>;
  last: number;
}

interface Allowance {
  left: number;
  at: number;
}

/** The limits of upstream's correlator. */
const remembered = 4096;
const similarLimit = 10;
const similarWindowMs = 600_000;
const burst = 25;
const refillMs = 300_000;
/** A series ends after this silence; the next event starts another. Only for events.k8s.io/v1. */
const seriesWindowMs = 360_000;

/**
 * Keeps a controller that repeats itself from filling the API with Events.
 *
 * - The same text about the same object is counted in one Event.
 * - More than ten different texts of the same reason about one object within ten minutes become one Event that says it was
 *   combined.
 * - One object gets at most 25 at once and then one in five minutes.
 *
 * For `events.k8s.io` the text does not count: what has the same reason, action and object is one series until it has been
 * silent for six minutes.
 */
export class EventCorrelator {
  private readonly api: 'v1' | 'events.k8s.io/v1';
  private readonly seen = new RecentMap<Seen>(remembered);
  private readonly similar = new RecentMap<Similar>(remembered);
  private readonly allowances = new RecentMap<Allowance>(remembered);

  constructor(api: 'v1' | 'events.k8s.io/v1') {
    this.api = api;
  }

  correlate(object: EventReference, text: EventText, now: number): Correlation {
    const about = [object.apiVersion, object.kind, object.namespace ?? '', object.name, object.uid ?? ''].join('\0');
    const kindOfEvent = [about, text.type ?? 'Normal', text.reason].join('\0');
    if (!this.allowed(about, now)) return { type: 'drop' };
    if (this.api === 'events.k8s.io/v1') {
      const { apiVersion = '', kind = '', metadata } = text.related ?? {};
      const id = [
        kindOfEvent,
        text.action ?? '',
        apiVersion,
        kind,
        metadata?.namespace ?? '',
        metadata?.name ?? '',
      ].join('\0');
      return this.count(id, text.message, now, seriesWindowMs);
    }
    if (this.isCombined(kindOfEvent, text.message, now))
      return this.count(kindOfEvent, `(combined from similar events): ${text.message}`, now);
    return this.count([kindOfEvent, text.message].join('\0'), text.message, now);
  }

  /** The counted Event was deleted; the next one has to be new. */
  forget(id: string): void {
    this.seen.delete(id);
  }

  private count(id: string, message: string, now: number, windowMs: number = Infinity): Correlation {
    const seen = this.seen.get(id);
    if (!seen || now - seen.last > windowMs) {
      this.seen.set(id, { first: now, count: 1, last: now });
      return { type: 'create', id, message, at: now };
    }
    seen.count++;
    seen.last = now;
    return { type: 'count', id, message, at: seen.first, count: seen.count };
  }

  private isCombined(kindOfEvent: string, message: string, now: number): boolean {
    let similar = this.similar.get(kindOfEvent);
    if (!similar || now - similar.last > similarWindowMs) similar = { messages: new Set(), last: now };
    similar.last = now;
    if (similar.messages.size < similarLimit) similar.messages.add(message);
    this.similar.set(kindOfEvent, similar);
    return similar.messages.size >= similarLimit && !similar.messages.has(message);
  }

  private allowed(about: string, now: number): boolean {
    const allowance = this.allowances.get(about) ?? { left: burst, at: now };
    const left = Math.min(burst, allowance.left + (now - allowance.at) / refillMs);
    const allowed = left >= 1;
    this.allowances.set(about, { left: allowed ? left - 1 : left, at: now });
    return allowed;
  }
}
