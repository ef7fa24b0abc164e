import type { Clock, Random } from '@tektite/meta';

/** Says how long a key has to wait. */
export interface RateLimiter {
  /** How long to wait now, in milliseconds. Each question counts as one more try. */
  next(key: string): number;
  /** The key is well again: its tries are forgotten. */
  forget(key: string): void;
  /** How many tries since the key was last forgotten. */
  retries(key: string): number;
}

export interface ExponentialOptions {
  /** The wait after the first failure. Default 5 ms. */
  readonly firstMs?: number;
  /** Default 1000 seconds. */
  readonly maxMs?: number;
  /** The part of the wait that is left to chance, between 0 and 0.5. Default 0.5. */
  readonly jitter?: number;
}

/**
 * Waits that double with each try of a key.
 *
 * Guarantees: with full(n) = min(maxMs, firstMs·2ⁿ), the wait after n earlier tries lies in ((1 − jitter)·full(n), full(n)],
 * so with a jitter of one half or less waits never become shorter before they reach the limit. Keys do not influence each
 * other. Memory: one number for each key that was not forgotten.
 */
export function exponentialLimiter(random: Random, options: ExponentialOptions = {}): RateLimiter {
  const { firstMs = 5, maxMs = 1_000_000, jitter = 0.5 } = options;
  if (!(jitter >= 0 && jitter <= 0.5)) throw new RangeError('the jitter of a back-off lies between 0 and 0.5');
  const tries = new Map<string, number>();
  return {
    next(key) {
      const count = tries.get(key) ?? 0;
      tries.set(key, count + 1);
      // Beyond that exponent the number would overflow, and the limit is reached anyway.
      return Math.min(maxMs, firstMs * 2 ** Math.min(count, 60)) * (1 - jitter * random.next());
    },
    forget: (key) => void tries.delete(key),
    retries: (key) => tries.get(key) ?? 0,
  };
}

export interface TokenBucketOptions {
  /** Default 10. */
  readonly perSecond?: number;
  /** Default 100. */
  readonly burst?: number;
}

/**
 * One bucket for all keys: so that a thousand failing keys do not become a thousand requests at once.
 *
 * Guarantees: in any span of s seconds, the waits it gave out end at most burst + perSecond·s times. Questions are answered
 * in order: a later one never gets an earlier time.
 */
export function tokenBucketLimiter(clock: Clock, options: TokenBucketOptions = {}): RateLimiter {
  const { perSecond = 10, burst = 100 } = options;
  if (!(perSecond > 0 && burst >= 1)) throw new RangeError('a token bucket needs a rate and a burst of at least one');
  let tokens = burst;
  let filledAt = clock.monotonic();
  return {
    next() {
      const now = clock.monotonic();
      tokens = Math.min(burst, tokens + ((now - filledAt) * perSecond) / 1000);
      filledAt = now;
      // Below zero the bucket is in debt: that many have to be dripped in first.
      tokens -= 1;
      return tokens >= 0 ? 0 : (-tokens / perSecond) * 1000;
    },
    forget: () => undefined,
    retries: () => 0,
  };
}

/** The longest wait that any of them asks for. All are asked each time. */
export function maxOfLimiters(...limiters: readonly RateLimiter[]): RateLimiter {
  return {
    next: (key) => limiters.reduce((wait, limiter) => Math.max(wait, limiter.next(key)), 0),
    forget: (key) => {
      for (const limiter of limiters) limiter.forget(key);
    },
    retries: (key) => limiters.reduce((count, limiter) => Math.max(count, limiter.retries(key)), 0),
  };
}
