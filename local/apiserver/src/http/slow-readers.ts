import type { Clock } from '@tektite/meta';

/** A response that waits for its client to read. */
export interface WaitingResponse {
  /** Names the client whose share the response takes. */
  readonly client: string;
  /** About how many bytes the response holds. May grow while it waits. */
  held(): number;
  /** Ends the response. */
  cut(): void;
}

export interface SlowReaderLimits {
  /** The bytes that all waiting responses may hold. */
  readonly maxBytes: number;
  /** A client that reads nothing for so long is cut off. */
  readonly patienceMs: number;
}

/** Counts a response as slow until it is disposed, which is when its client reads again. */
export interface SlowReader extends Disposable {
  /** Measures the response again, after it has grown. */
  measure(): void;
}

/** A waiting response and what it held when it was last measured. */
interface Waiting {
  readonly response: WaitingResponse;
  bytes: number;
}

interface Share {
  bytes: number;
  readonly waiting: Set<Waiting>;
}

/** How often responses that wait are measured again. */
const measureEveryMs = 1000;

/**
 * Bounds the memory that clients hold by not reading their answers. When all of it is taken, the client that holds the most is
 * cut off, its oldest response first: a single one cannot use up the share of the others.
 */
export class SlowReaders {
  private readonly clock: Clock;
  private readonly limits: SlowReaderLimits;
  private readonly byClient = new Map<string, Share>();
  private total = 0;
  private measuring: Disposable | undefined;

  constructor(clock: Clock, limits: SlowReaderLimits) {
    this.clock = clock;
    this.limits = limits;
  }

  /** A response starts to wait. */
  wait(response: WaitingResponse): SlowReader {
    const waiting: Waiting = { response, bytes: 0 };
    let share = this.byClient.get(response.client);
    if (!share) this.byClient.set(response.client, (share = { bytes: 0, waiting: new Set() }));
    share.waiting.add(waiting);
    this.measure(waiting);
    const timer = this.clock.setTimer(this.limits.patienceMs, () => this.cut(waiting));
    this.measuring ??= this.measureLater();
    this.cutUntilWithinLimits();
    return {
      measure: () => {
        this.measure(waiting);
        this.cutUntilWithinLimits();
      },
      [Symbol.dispose]: () => {
        timer[Symbol.dispose]();
        this.remove(waiting);
      },
    };
  }

  private measureLater(): Disposable {
    return this.clock.setTimer(measureEveryMs, () => {
      for (const share of this.byClient.values()) for (const each of share.waiting) this.measure(each);
      this.cutUntilWithinLimits();
      this.measuring = this.byClient.size > 0 ? this.measureLater() : undefined;
    });
  }

  private measure(waiting: Waiting): void {
    const share = this.byClient.get(waiting.response.client);
    if (!share?.waiting.has(waiting)) return;
    const grown = waiting.response.held() - waiting.bytes;
    waiting.bytes += grown;
    share.bytes += grown;
    this.total += grown;
  }

  private cutUntilWithinLimits(): void {
    while (this.total > this.limits.maxBytes) {
      let largest: Share | undefined;
      for (const share of this.byClient.values()) if (!largest || share.bytes > largest.bytes) largest = share;
      const [oldest] = largest?.waiting ?? [];
      if (!oldest) return;
      this.cut(oldest);
    }
  }

  private cut(waiting: Waiting): void {
    this.remove(waiting);
    waiting.response.cut();
  }

  private remove(waiting: Waiting): void {
    const { client } = waiting.response;
    const share = this.byClient.get(client);
    if (!share?.waiting.delete(waiting)) return;
    share.bytes -= waiting.bytes;
    this.total -= waiting.bytes;
    if (share.waiting.size > 0) return;
    this.byClient.delete(client);
    if (this.byClient.size > 0) return;
    this.measuring?.[Symbol.dispose]();
    this.measuring = undefined;
  }
}
