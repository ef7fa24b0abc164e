import type { StorageEvent } from './storage.ts';

/** The selection of a watcher. */
export interface WatchRequest {
  readonly prefix: string;
  /** The last revision that is known already. */
  readonly after: number;
  readonly listener: (event: StorageEvent) => void;
}

interface Watcher extends WatchRequest {
  active: boolean;
}

/** Events on their way to those who watched when they happened. */
interface Delivery {
  readonly events: readonly StorageEvent[];
  readonly watchers: readonly Watcher[];
}

/**
 * The watchers of a storage, and their notification: each receives every event once, in order, after those that it
 * missed.
 */
export class Watchers {
  private readonly groups = new Map<string, Set<Watcher>>();
  private readonly deliveries: Delivery[] = [];
  private delivering = false;

  /** Adds a watcher, which first receives the events that it missed. */
  add({ prefix, after, listener }: WatchRequest, missed: readonly StorageEvent[]): Disposable {
    const watcher: Watcher = { prefix, after, listener, active: true };
    const group = resourceOf(prefix) ?? everything;
    let set = this.groups.get(group);
    if (!set) this.groups.set(group, (set = new Set()));
    set.add(watcher);
    this.deliver({ events: missed, watchers: [watcher] });
    return {
      [Symbol.dispose]: () => {
        watcher.active = false;
        set.delete(watcher);
        if (set.size === 0 && this.groups.get(group) === set) this.groups.delete(group);
      },
    };
  }

  notify(event: StorageEvent): void {
    const watchers = this.watchersOf(event.key);
    // A watcher that is added during a notification has this event among those that it missed.
    if (watchers.length > 0) this.deliver({ events: [event], watchers });
  }

  close(): void {
    for (const set of this.groups.values()) for (const watcher of set) watcher.active = false;
    this.groups.clear();
  }

  private watchersOf(key: string): Watcher[] {
    const own = this.groups.get(resourceOf(key) ?? everything) ?? [];
    const wide = this.groups.get(everything);
    return wide && wide !== own ? [...own, ...wide] : Array.from(own);
  }

  /**
   * Notifies watchers, one event after the other: a write of a watcher waits until all have received the first event.
   */
  private deliver(delivery: Delivery): void {
    this.deliveries.push(delivery);
    if (this.delivering) return;
    this.delivering = true;
    for (let next = this.deliveries.shift(); next; next = this.deliveries.shift()) {
      for (const event of next.events) for (const watcher of next.watchers) notify(watcher, event);
    }
    this.delivering = false;
  }
}

/** A watcher must not throw, so an exception is a bug to be seen; the others are notified all the same. */
function notify(watcher: Watcher, event: StorageEvent): void {
  if (!watcher.active || event.revision <= watcher.after || !event.key.startsWith(watcher.prefix)) return;
  try {
    watcher.listener(event);
  } catch (error) {
    watcher.active = false;
    queueMicrotask(() => {
      throw error;
    });
  }
}

/** The group of watchers whose prefix is too short to name one resource. */
const everything = '';

/** The part of a key that names its resource; watchers are grouped by it, so a write wakes only those of its kind. */
function resourceOf(key: string): string | undefined {
  const end = key.indexOf('/', key.indexOf('/', 1) + 1);
  return end < 0 ? undefined : key.slice(0, end + 1);
}
