import { setMaxListeners } from 'node:events';
import { type Client, kinds } from '@tektite/client';
import { isStatusError, sleep } from '@tektite/meta';
import type { Lease } from '@tektite/schema/kubernetes';
import { ControllerError } from '../controller-error.ts';
import { checkTiming, coreTiming, type ElectionTiming, jitterFactor } from './election-timing.ts';
import { GainedListeners } from './gained-listeners.ts';
import { uniqueIdentity } from './identity.ts';
import { heldSpec, holderOf, nextStep, promisedMs, releasedSpec } from './lease-record.ts';
import type { LeaseWatch } from './lease-watch.ts';
import type { Ownership } from './ownership.ts';
import { fenced, mayHaveArrived, Term } from './term.ts';

/** A transition of a lease, as this process sees it. */
export interface ElectionTransition {
  readonly lease: { readonly namespace: string; readonly name: string };
  /** `acquired`, `lost` and `released` are about us; `observed` is another holder, or none. */
  readonly type: 'acquired' | 'lost' | 'released' | 'observed';
  /** The current holder; empty for none. */
  readonly holder: string;
}

export interface LeaderElectorOptions extends Partial<ElectionTiming> {
  readonly lease: { readonly namespace: string; readonly name: string };
  /** Must be no other process's. Default: the host's name and a random uid. */
  readonly identity?: string;
  /** Give the lease away when `run` is stopped, so that others need not wait. Default true. */
  readonly releaseOnCancel?: boolean;
  /**
   * Awaited before the lease is given away: resolve when no work that needs it goes on. If it rejects or takes longer than
   * the lease is ours, the lease runs out instead.
   */
  readonly handOver?: () => Promise<void>;
  /** Awaited before each try to take the lease, to let others go first. */
  readonly beforeTry?: (signal: AbortSignal) => Promise<void>;
  /** Reports changes of the lease while this process waits for it. Without it, the lease is read periodically. */
  readonly watch?: LeaseWatch;
  /** For logs and metrics. */
  readonly onTransition?: (transition: ElectionTransition) => void;
  /** Called with errors. No action is required: the elector retries. */
  readonly onError?: (error: unknown) => void;
}

/** How often a lease that is to be given away is tried to be written. */
const releaseTries = 5;
const firstReleaseWaitMs = 100;

const abandoned = AbortSignal.abort(new ControllerError('LEASE_LOST', 'the lease is not held by this process'));
setMaxListeners(0, abandoned);

/**
 * One of several processes leads: the one whose name is in the Lease. Behaves as client-go's elector does, so both can
 * compete for the same Lease, and is stricter where that one leaves a gap.
 *
 * Flow: try to take the lease until that succeeds; renew it; when it is lost, start over; when stopped, hand it over.
 *
 * Guarantees
 * - `owns` is false and the signal aborted `renewDeadlineMs` after the last renewal that succeeded was *sent*. Others
 *   wait `leaseDurationMs` from when they *saw* it. So no two lead at once as long as clocks run at about the same
 *   speed (within the ratio of the two); what they show does not matter, and the times in the Lease are never compared.
 * - A process that was stopped for a while does not lead when it goes on: `owns` reads the clock, not a timer.
 * - All writes name the resourceVersion they saw. When an answer was lost, the Lease is read again before the next
 *   write.
 * - A lease is released only when `handOver` and all guarded writes are done, and it is known how those ended.
 *
 * Assumptions: identities are unique; the server's reads are as fresh as its writes.
 *
 * Errors: `run` never rejects for errors of the API; see `onError`.
 *
 * @example const elector = new LeaderElector(client, { lease: { namespace: 'tekton-pipelines', name: 'controller' } });
 * await elector.run(signal);
 */
export class LeaderElector implements Ownership {
  readonly identity: string;
  private readonly client: Client;
  private readonly options: LeaderElectorOptions & ElectionTiming;
  private readonly listeners = new GainedListeners();
  private term: Term | undefined;
  /** The Lease as last seen, since when it looks so, and whether the watch reported it. */
  private seen: { readonly lease: Lease; readonly since: number; watched: boolean } | undefined;
  /** Ends the wait for another holder. */
  private wake = () => {};
  /** Whether the Lease must be read before it is written again. */
  private stale = false;
  /** Whether the answer to the last write was lost, so that it may have succeeded. */
  private uncertain = false;
  private running = false;

  constructor(client: Client, options: LeaderElectorOptions) {
    this.client = client;
    this.options = { ...coreTiming, ...options };
    this.identity = options.identity ?? uniqueIdentity(client.random);
    checkTiming(this.options);
    if (this.identity === '') throw new ControllerError('ELECTION_INVALID', 'the identity must not be empty');
  }

  /** Whether this process leads at this moment. */
  get leading(): boolean {
    return this.term?.holds() ?? false;
  }

  /** The last observed holder of the lease; empty for none. */
  get leader(): string {
    return holderOf(this.seen?.lease);
  }

  owns(_key?: string): boolean {
    return this.leading;
  }

  signalFor(_key?: string): AbortSignal {
    return this.term && this.leading ? this.term.lost : abandoned;
  }

  onGained(listener: (owns: (key: string) => boolean) => void): Disposable {
    return this.listeners.add(listener);
  }

  guard<T>(_key: string, write: (limit: () => AbortSignal) => Promise<T>): Promise<T> {
    return this.term ? this.term.guard(write) : Promise.reject(fenced(abandoned.reason));
  }

  /** Competes until the signal is aborted; resolves when the lease, if it is ours then, has been handed over. */
  async run(signal: AbortSignal): Promise<void> {
    if (this.running) throw new ControllerError('ELECTION_INVALID', 'this elector is running already');
    this.running = true;
    try {
      while (!signal.aborted) {
        const term = await this.acquire(signal);
        if (term) await this.lead(term, signal);
      }
    } finally {
      this.running = false;
    }
  }

  private async acquire(signal: AbortSignal): Promise<Term | undefined> {
    const { beforeTry, watch, lease } = this.options;
    using _watching = watch?.subscribe(lease.name, (seen) => this.observe(seen));
    while (!signal.aborted) {
      await beforeTry?.(signal);
      const sent = signal.aborted ? undefined : await this.attempt(signal, () => this.tryTake(signal));
      if (sent !== undefined && !signal.aborted) return this.begin(sent);
      await this.waitForTurn(signal);
    }
    // The last try may have succeeded, whether we know it or not.
    if (this.uncertain || this.leader === this.identity) {
      await this.term?.settled();
      await this.release();
    }
    return undefined;
  }

  /**
   * A lease that is about to run out is tried to be taken at that moment, and not up to two periods later. One that the watch
   * reports is not read before: each renewal prolongs the wait, and a release ends it. If the watch is silent though the
   * holder renews, the read at the end of the wait finds that out, and the lease is read periodically again.
   */
  private async waitForTurn(signal: AbortSignal): Promise<void> {
    const turn = new AbortController();
    this.wake = () => turn.abort();
    const either = AbortSignal.any([signal, turn.signal]);
    do {
      const retryMs = this.options.retryPeriodMs * (1 + this.client.random.next() * jitterFactor);
      const leftMs = this.leftToHolder();
      // Those who wait for one lease do not all come at once. One that could be taken already was: another reason is in the way.
      const freeMs = leftMs < 0 ? Infinity : leftMs + this.client.random.next() * this.options.retryPeriodMs * 0.2;
      await this.pause(this.seen?.watched && freeMs < Infinity ? freeMs : Math.min(retryMs, freeMs), either);
    } while (!either.aborted && this.seen?.watched && this.leftToHolder() > 0);
  }

  /** How long the lease is another process's yet, by the last renewal that was seen; negative when it is not. */
  private leftToHolder(): number {
    if (!this.seen || this.leader === '' || this.leader === this.identity) return Number.NEGATIVE_INFINITY;
    const promised = promisedMs(this.seen.lease, this.options.leaseDurationMs);
    return promised - (this.client.clock.monotonic() - this.seen.since);
  }

  /** An event of the watch. Events may be older than the last answer, so that they never settle what is uncertain. */
  private observe(lease: Lease | undefined): void {
    if (this.stale || this.uncertain) return;
    if (lease) this.see(lease, true);
    else this.seen = undefined;
    if (this.leader === '') this.wake();
  }

  private begin(sent: number): Term {
    const { renewDeadlineMs, leaseDurationMs, onError } = this.options;
    const term = new Term(this.client.clock, sent + renewDeadlineMs, leaseDurationMs - renewDeadlineMs);
    this.term = term;
    this.notify('acquired');
    this.listeners.notify(() => term.holds(), onError);
    return term;
  }

  private async lead(term: Term, signal: AbortSignal): Promise<void> {
    const { renewDeadlineMs, retryPeriodMs } = this.options;
    const either = AbortSignal.any([signal, term.limit]);
    while (term.holds() && !signal.aborted) {
      await this.pause(retryPeriodMs, either);
      if (either.aborted || !term.holds()) break;
      const sent = await this.attempt(term.limit, () => this.tryRenew(term));
      if (sent !== undefined) term.extend(sent + renewDeadlineMs);
    }
    const inPeace = term.holds() && this.options.releaseOnCancel !== false && (await this.handOver(term));
    const given = inPeace && (await this.release(term.limit));
    term.end(new ControllerError('LEASE_LOST', given ? 'the lease was given away' : 'the lease was lost'));
    this.notify(given ? 'released' : 'lost');
  }

  /** Whether everything came to its end while the lease is ours. */
  private async handOver(term: Term): Promise<boolean> {
    term.close(new ControllerError('LEASE_LOST', 'this process stops and gives the lease away'));
    const work = async () => this.options.handOver?.();
    const done = Promise.all([term.settled(term.limit), work()]).then(
      () => true,
      (error: unknown) => {
        this.options.onError?.(error);
        return false;
      },
    );
    const tooLate = new Promise<false>((resolve) => {
      if (term.limit.aborted) resolve(false);
      term.limit.addEventListener('abort', () => resolve(false), { once: true });
    });
    return (await Promise.race([done, tooLate])) && term.isInTime();
  }

  /** Gives the moment before a write that succeeded; undefined when there was none, or it failed. */
  private async attempt(signal: AbortSignal, action: () => Promise<number | undefined>): Promise<number | undefined> {
    try {
      return await action();
    } catch (error) {
      if (!signal.aborted) this.options.onError?.(error);
      return undefined;
    }
  }

  private async tryTake(signal: AbortSignal): Promise<number | undefined> {
    const lease = await this.read(signal);
    if (!lease) return this.write(undefined);
    const { leaseDurationMs } = this.options;
    const silentMs = this.client.clock.monotonic() - (this.seen?.since ?? 0);
    const step = nextStep(lease, { identity: this.identity, silentMs, leaseDurationMs });
    // One that stops takes nothing any more.
    return step === 'wait' || signal.aborted ? undefined : this.write(lease);
  }

  /** The last known Lease is written over without reading it, as long as nothing failed since. */
  private async tryRenew(term: Term): Promise<number | undefined> {
    if (this.seen && !this.stale) {
      try {
        return await this.write(this.seen.lease, term.limit);
      } catch (error) {
        if (!isStatusError(error)) throw error;
        if (!isStatusError(error, 'Conflict') && !isStatusError(error, 'NotFound')) throw error;
      }
    }
    const lease = await this.read(term.limit);
    if (lease && holderOf(lease) === this.identity) return this.write(lease, term.limit);
    term.end(new ControllerError('LEASE_LOST', lease ? `the lease is ${this.leader}'s now` : 'the lease was deleted'));
    return undefined;
  }

  private async read(signal?: AbortSignal): Promise<Lease | undefined> {
    const lease = await this.within(
      (limit) => this.client.getOrUndefined(kinds.Lease, this.options.lease, { signal: limit }),
      signal,
    );
    if (lease) this.see(lease);
    else {
      this.seen = undefined;
      this.stale = this.uncertain = false;
    }
    return lease;
  }

  /** Makes the Lease ours, or keeps it so. Gives the moment before it was sent. */
  private async write(before: Lease | undefined, signal?: AbortSignal): Promise<number> {
    const { clock } = this.client;
    const { leaseDurationMs, lease: metadata } = this.options;
    const sent = clock.monotonic();
    const spec = heldSpec(before, { identity: this.identity, leaseDurationMs, now: clock.now() });
    await this.put(
      (limit) =>
        before
          ? this.client.update(kinds.Lease, { ...before, spec }, { signal: limit })
          : this.client.create(kinds.Lease, { metadata, spec }, { signal: limit }),
      signal,
    );
    return sent;
  }

  private async put(send: (limit: AbortSignal) => Promise<Lease>, signal?: AbortSignal): Promise<void> {
    try {
      this.see(await this.within(send, signal));
    } catch (error) {
      this.stale = true;
      this.uncertain = mayHaveArrived(error);
      throw error;
    }
  }

  /** Whether the Lease is released in the end. */
  private async release(signal?: AbortSignal): Promise<boolean> {
    const { clock } = this.client;
    for (let attempt = 0; attempt < releaseTries && !signal?.aborted; attempt++) {
      try {
        const lease = this.stale || !this.seen ? await this.read(signal) : this.seen.lease;
        if (!lease || holderOf(lease) !== this.identity) return true;
        const spec = releasedSpec(lease, clock.now());
        await this.put((limit) => this.client.update(kinds.Lease, { ...lease, spec }, { signal: limit }), signal);
        return true;
      } catch (error) {
        this.options.onError?.(error);
        if (!isStatusError(error, 'Conflict')) await this.pause(firstReleaseWaitMs * 2 ** attempt, signal);
      }
    }
    return false;
  }

  private see(lease: Lease, watched = false): void {
    this.stale = this.uncertain = false;
    const known = this.seen?.lease.metadata;
    const { uid, resourceVersion } = lease.metadata;
    // Any change counts as a renewal.
    if (this.seen && known?.uid === uid && known?.resourceVersion === resourceVersion) {
      this.seen.watched ||= watched;
      return;
    }
    const before = this.leader;
    this.seen = { lease, since: this.client.clock.monotonic(), watched };
    const holder = this.leader;
    if (holder !== before && holder !== this.identity && before !== this.identity) this.notify('observed');
  }

  private notify(type: ElectionTransition['type']): void {
    this.options.onTransition?.({ lease: this.options.lease, type, holder: this.leader });
  }

  /** A server that does not answer must not cost the time for another try. */
  private async within<T>(send: (limit: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const { retryPeriodMs, renewDeadlineMs } = this.options;
    const limit = new AbortController();
    const abort = () => limit.abort(signal?.reason);
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort, { once: true });
    using _timer = this.client.clock.setTimer(Math.max(retryPeriodMs, renewDeadlineMs / 2), () =>
      limit.abort(new ControllerError('LEASE_LOST', 'the server took too long to answer about the lease')),
    );
    try {
      return await send(limit.signal);
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  private pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
    // Aborting is a way to end the pause, not a failure.
    return sleep(this.client.clock, milliseconds, signal).catch(() => {});
  }
}
