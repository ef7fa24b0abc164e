import { type Clock, isTransientStatus, type Random, sleep } from '@tektite/meta';
import { isClientError } from '../client-error.ts';
import { retryAfterOf } from './response-status.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';

export interface RetryOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** How often a request is repeated at most. Default 5; 0 for never. */
  readonly maxRetries?: number;
  /** A server that asks for more patience than this gets no second try. Default 30 seconds. */
  readonly maxWaitMs?: number;
}

const firstWaitMs = 100;

/**
 * Repeats what is safe to repeat. A server that answers 429 or 5xx with `Retry-After` did not process the request, so
 * any request is repeated after that time. The outcome of a cut connection is unknown, so only reads are repeated.
 * Watches and streams pass through: their readers know where to resume.
 */
export function retryingTransport(inner: Transport, options: RetryOptions): Transport {
  const { clock, random, maxRetries = 5, maxWaitMs = 30_000 } = options;

  async function request(request: TransportRequest): Promise<TransportResponse> {
    for (let attempt = 0; ; attempt++) {
      let wait: number | undefined;
      try {
        const response = await inner.request(request);
        wait = waitAskedFor(response);
        if (wait === undefined || wait > maxWaitMs || attempt >= maxRetries) return response;
      } catch (error) {
        if (attempt >= maxRetries || !isWorthAnother(request, error)) throw error;
        wait = firstWaitMs * 2 ** attempt;
      }
      // Many clients receive the same `Retry-After`; jitter keeps them from coming back together.
      await sleep(clock, wait * (1 + random.next() * 0.25), request.signal);
    }
  }

  return {
    request,
    watch: (watch) => inner.watch(watch),
    stream: (stream) => inner.stream(stream),
    close: () => inner.close(),
  };
}

function isWorthAnother(request: TransportRequest, error: unknown): boolean {
  return (request.method === 'GET' || request.method === 'HEAD') && isClientError(error, 'CONNECTION_RESET');
}

function waitAskedFor(response: TransportResponse): number | undefined {
  if (!isTransientStatus(response.status)) return undefined;
  const seconds = retryAfterOf(response);
  return seconds === undefined ? undefined : seconds * 1000;
}
