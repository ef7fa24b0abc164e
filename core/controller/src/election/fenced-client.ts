import type { Client, Interceptor, RequestHandler, TransportRequest, TransportResponse } from '@tektite/client';
import type { Ownership } from './ownership.ts';
import { fenced } from './term.ts';

/** A key whose owner alone may write. */
export interface Claim {
  readonly ownership: Ownership;
  readonly key: string;
}

/**
 * The same client, but it refuses to write once the signal is aborted: a process that lost its lease, or a reconcile
 * that timed out, must not change objects of the new owner.
 *
 * With a claim it also checks the ownership before each write, which reads the clock: after a pause of the process the
 * signal may be late. And a lease is not given away while a write is under way: that write is seen to its end even when
 * the caller's signal is aborted, and the caller alone goes on at once.
 *
 * It cannot call back a request that is already on the wire when time runs out. Such a write has the time between the
 * renew deadline and the end of the lease to arrive, and a resourceVersion in it closes the rest of the gap.
 *
 * @example const mine = fencedClient(client, ownership.signalFor(key), { ownership, key });
 */
export function fencedClient(client: Client, signal: AbortSignal, claim?: Claim): Client {
  return client.intercepted(new Fence(signal, claim));
}

class Fence implements Interceptor {
  private readonly signal: AbortSignal;
  private readonly claim: Claim | undefined;

  constructor(signal: AbortSignal, claim: Claim | undefined) {
    this.signal = signal;
    this.claim = claim;
  }

  async request(request: TransportRequest, next: RequestHandler): Promise<TransportResponse> {
    if (request.method === 'GET' || request.method === 'HEAD') return next.request(request);
    if (this.signal.aborted) throw fenced(this.signal.reason);
    if (!this.claim) return next.request(request);
    const { ownership, key } = this.claim;
    if (!ownership.owns(key)) throw fenced(undefined);
    if (!ownership.guard) return next.request(request);
    const { signal: caller, ...rest } = request;
    caller?.throwIfAborted();
    return untilAborted(
      ownership.guard(key, (limit) => next.request(withSignal(rest, limit))),
      caller,
    );
  }
}

/** The signal is read again at each attempt, because a busy server can make the client wait in between. */
function withSignal(request: Omit<TransportRequest, 'signal'>, signal: () => AbortSignal): TransportRequest {
  return Object.defineProperty({ ...request }, 'signal', { get: signal, enumerable: true });
}

/** The result of `promise`, or the signal's reason if that comes first. */
function untilAborted(promise: Promise<TransportResponse>, signal?: AbortSignal): Promise<TransportResponse> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
