import type { Clock } from '@tektite/meta';

/** A response that waits for its client to read. */
interface Waiting {
  readonly client: string;
  readonly bytes: number;
  readonly cut: () => void;
}

export interface SlowReaderLimits {
  /** What all waiting responses may hold. */
  readonly maxBytes: number;
  /** A client that reads nothing for so long is cut off. */
  readonly patienceMs: number;
}

/**
 * Bounds the memory that clients hold by not reading their answers. When all of it is taken, the client that holds the most is
 * cut off, its oldest response first: a single one cannot use up the share of the others.
 */
export class SlowReaders {
  private readonly clock: Clock;
  private readonly limits: SlowReaderLimits;
  private readonly byClient = new Map<string, { bytes: number; readonly waiting: Set<Waiting> }>();
  private total = 0;

  constructor(clock: Clock, limits: SlowReaderLimits) {
    this.clock = clock;
    this.limits = limits;
  }

  /** A response starts to wait; dispose when its client reads again. `cut` ends the response. */
  wait(client: string, bytes: number, cut: () => void): Disposable {
    const waiting: Waiting = { client, bytes, cut };
    let share = this.byClient.get(client);
    if (!share) this.byClient.set(client, (share = { bytes: 0, waiting: new Set() }));
    share.waiting.add(waiting);
    share.bytes += bytes;
    this.total += bytes;
    const timer = this.clock.setTimer(this.limits.patienceMs, () => this.cut(waiting));
    while (this.total > this.limits.maxBytes) this.cutLargest();
    return {
      [Symbol.dispose]: () => {
        timer[Symbol.dispose]();
        this.remove(waiting);
      },
    };
  }

  private cutLargest(): void {
    let largest: { bytes: number; readonly waiting: Set<Waiting> } | undefined;
    for (const share of this.byClient.values()) if (!largest || share.bytes > largest.bytes) largest = share;
    const [oldest] = largest?.waiting ?? [];
    if (oldest) this.cut(oldest);
  }

  private cut(waiting: Waiting): void {
    this.remove(waiting);
    waiting.cut();
  }

  private remove(waiting: Waiting): void {
    const share = this.byClient.get(waiting.client);
    if (!share?.waiting.delete(waiting)) return;
    share.bytes -= waiting.bytes;
    this.total -= waiting.bytes;
    if (share.waiting.size === 0) this.byClient.delete(waiting.client);
  }
}
