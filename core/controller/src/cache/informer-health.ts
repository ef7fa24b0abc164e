import type { Clock } from '@tektite/meta';

/** How an informer is doing; for health checks and gauges. */
export interface InformerHealth {
  /**
   * `listing` until the first complete list and while one is read again, then `watching`. `failing` from a failure on
   * until the server sends something or accepts a watch.
   */
  readonly state: 'idle' | 'listing' | 'watching' | 'failing' | 'stopped';
  /** Whether there was a complete list. */
  readonly synced: boolean;
  /**
   * Synced, running, every object transformed, and neither failing nor out of contact for too long. Silence of an open
   * watch is not illness: transports give up silent connections, and if no other can be opened, that is a failure.
   */
  readonly healthy: boolean;
  /** When the server last sent something or accepted a watch, in milliseconds since the epoch. */
  readonly lastEventAt: number | undefined;
  /**
   * How long ago that was. The cache has everything that happened before the server last sent something, so this is how
   * old it can be at most. A server that sends bookmarks keeps it near a minute on a quiet kind; others up to the ten
   * minutes after which a watch is reopened.
   */
  readonly lagMs: number | undefined;
  /** Failures since then. */
  readonly failures: number;
  /** How often everything had to be read again because the server forgot the history. */
  readonly restarts: number;
  readonly lastError: Error | undefined;
  /** Objects of which the cache lacks the newest state because the transform threw. */
  readonly failedObjects: readonly string[];
}

/** A watch is reopened after ten minutes at most; an informer without any contact for longer is stuck. */
const maxSilenceMs = 900_000;

/** Keeps the account of an informer's health. */
export class HealthRecord {
  state: InformerHealth['state'] = 'idle';
  synced = false;
  failures = 0;
  restarts = 0;
  lastError: Error | undefined;
  private readonly failedObjects: ReadonlySet<string>;
  private readonly clock: Clock;
  private readonly failingMs: number;
  private failingSince: number | undefined;
  private last: { readonly at: number; readonly monotonic: number } | undefined;

  constructor(clock: Clock, failingMs: number, failedObjects: ReadonlySet<string>) {
    this.failedObjects = failedObjects;
    this.clock = clock;
    this.failingMs = failingMs;
  }

  heard(state: 'listing' | 'watching'): void {
    if (this.state !== 'stopped') this.state = state;
    this.failures = 0;
    this.failingSince = undefined;
    this.last = { at: this.clock.now(), monotonic: this.clock.monotonic() };
  }

  failed(error: Error): void {
    if (this.state !== 'stopped') this.state = 'failing';
    this.failures++;
    this.failingSince ??= this.clock.monotonic();
    this.lastError = error;
  }

  report(): InformerHealth {
    const { state, synced, failures, restarts, lastError, failedObjects, last } = this;
    const now = this.clock.monotonic();
    const lagMs = last && now - last.monotonic;
    const running = state !== 'idle' && state !== 'stopped';
    const inContact =
      lagMs !== undefined && lagMs <= maxSilenceMs && now - (this.failingSince ?? now) <= this.failingMs;
    const healthy = synced && running && inContact && failedObjects.size === 0;
    return {
      state,
      synced,
      healthy,
      lastEventAt: last?.at,
      lagMs,
      failures,
      restarts,
      lastError,
      failedObjects: [...failedObjects],
    };
  }
}
