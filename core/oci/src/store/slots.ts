/** Lets a number of things happen at once; the rest waits in order. */
export class Slots {
  private free: number;
  private readonly waiting: (() => void)[] = [];

  constructor(count: number) {
    this.free = count;
  }

  /** Disposing gives the slot back. */
  async take(): Promise<Disposable> {
    if (this.free > 0) this.free--;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    let isTaken = true;
    return {
      [Symbol.dispose]: () => {
        if (!isTaken) return;
        isTaken = false;
        const next = this.waiting.shift();
        if (next) next();
        else this.free++;
      },
    };
  }
}
