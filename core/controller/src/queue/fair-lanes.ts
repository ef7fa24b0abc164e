/** `fresh`: a change that a client may be waiting for. `bulk`: one of many keys of a first list or a resync. */
export type Lane = 'fresh' | 'bulk';

const defaultPatience = 8;

/**
 * Two lines of waiting keys. Each is first in, first out; a key is in one of them at most.
 *
 * The rule of ageing: whenever a fresh key is taken while bulk keys wait, the bulk line grows older by one; when its age
 * reaches `patience`, a bulk key is taken and the age is zero again.
 *
 * Guarantees, with p = patience
 * - A bulk key with b bulk keys before it is taken within (b + 1)(p + 1) takes, however many fresh keys come.
 * - A fresh key with f fresh keys before it is taken within (f + 1) + ceil((f + 1) / p) takes, however many bulk keys wait.
 * - Adding a bulk key as fresh moves it to the end of the fresh line. Adding a fresh key as bulk changes nothing.
 *
 * Not guaranteed: order between the lines.
 */
export class FairLanes {
  private readonly patience: number;
  private readonly fresh = new Line();
  private readonly bulk = new Line();
  private age = 0;

  constructor(patience: number = defaultPatience) {
    if (!(patience >= 1)) throw new RangeError('the patience of a queue is at least 1');
    this.patience = patience;
  }

  get size(): number {
    return this.fresh.size + this.bulk.size;
  }

  add(key: string, lane: Lane): void {
    if (this.fresh.has(key)) return;
    if (lane === 'bulk') this.bulk.add(key);
    else {
      this.bulk.delete(key);
      this.fresh.add(key);
    }
  }

  take(): string | undefined {
    const bulkIsNext = this.bulk.size > 0 && (this.fresh.size === 0 || this.age >= this.patience);
    if (bulkIsNext) {
      this.age = 0;
      return this.bulk.take();
    }
    this.age = this.bulk.size > 0 ? this.age + 1 : 0;
    return this.fresh.take();
  }

  clear(): void {
    this.fresh.clear();
    this.bulk.clear();
    this.age = 0;
  }
}

/**
 * A line of different keys from which any can step out. One iterator lives as long as there are keys: a new one for each
 * take would have to step over all that were taken before.
 */
class Line {
  private readonly keys = new Set<string>();
  private next: Iterator<string> | undefined;

  get size(): number {
    return this.keys.size;
  }

  has(key: string): boolean {
    return this.keys.has(key);
  }

  add(key: string): void {
    this.keys.add(key);
  }

  delete(key: string): void {
    this.keys.delete(key);
  }

  take(): string | undefined {
    this.next ??= this.keys.values();
    const { value, done } = this.next.next();
    if (done) {
      this.next = undefined;
      return undefined;
    }
    this.keys.delete(value);
    if (this.keys.size === 0) this.next = undefined;
    return value;
  }

  clear(): void {
    this.keys.clear();
    this.next = undefined;
  }
}
