import type { Random } from '@tektite/meta';

export interface BackoffOptions {
  readonly firstMs: number;
  readonly maxMs: number;
}

/** Waits that double up to a limit, each with up to half of chance, so that many clients do not come back together. */
export class Backoff {
  private readonly random: Random;
  private readonly options: BackoffOptions;
  private attempts = 0;

  constructor(random: Random, options: BackoffOptions) {
    this.random = random;
    this.options = options;
  }

  next(): number {
    const { firstMs, maxMs } = this.options;
    const full = Math.min(maxMs, firstMs * 2 ** Math.min(this.attempts++, 30));
    return full * (0.5 + this.random.next() / 2);
  }

  reset(): void {
    this.attempts = 0;
  }
}
