import { type Clock, sleep } from '@tektite/meta';
import type { Transport, TransportRequest } from './transport.ts';

export interface RateLimit {
  /** How many requests a second, in the long run. */
  readonly qps: number;
  /** How many at once, after a rest. */
  readonly burst: number;
}

/**
 * The same transport, but it asks no more often than it may: who comes too soon waits, in order. Streams count when they
 * are opened. Without a limit a controller can keep an API server from serving others.
 */
export function rateLimitedTransport(inner: Transport, { qps, burst }: RateLimit, clock: Clock): Transport {
  /** When the next token is there, if each since the beginning had been waited for. */
  let next = clock.monotonic() - (burst / qps) * 1000;

  async function turn({ signal }: TransportRequest): Promise<void> {
    const now = clock.monotonic();
    next = Math.max(next, now - (burst / qps) * 1000) + 1000 / qps;
    const wait = next - now;
    if (wait > 0) await sleep(clock, wait, signal);
  }

  return {
    request: async (request) => {
      await turn(request);
      return inner.request(request);
    },
    watch: async (request) => {
      await turn(request);
      return inner.watch(request);
    },
    stream: async (request) => {
      await turn(request);
      return inner.stream(request);
    },
    close: () => inner.close(),
  };
}
