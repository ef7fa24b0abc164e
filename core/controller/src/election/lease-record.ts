import { formatMicroTime } from '@tektite/meta';
import type { Lease } from '@tektite/schema/kubernetes';

/** The holder of a lease; empty for none. */
export function holderOf(lease: Lease | undefined): string {
  return lease?.spec?.holderIdentity ?? '';
}

/**
 * The step of a candidate for an observed lease.
 * - `renew`: this process holds it already; the answer that said so was lost.
 * - `take`: it has no holder, or its holder did not renew it for its duration.
 * - `wait`: another process holds it.
 *
 * `silentMs` is how long, by our own clock, the lease has not changed. The times in it are never compared: they come
 * from another clock.
 */
export function nextStep(
  lease: Lease,
  { identity, silentMs, leaseDurationMs }: { identity: string; silentMs: number; leaseDurationMs: number },
): 'renew' | 'take' | 'wait' {
  const holder = holderOf(lease);
  if (holder === identity) return 'renew';
  if (holder === '') return 'take';
  return silentMs >= promisedMs(lease, leaseDurationMs) ? 'take' : 'wait';
}

/** How long its holder may be silent: what the lease says, not what this process would write. */
export function promisedMs(lease: Lease, leaseDurationMs: number): number {
  return (lease.spec?.leaseDurationSeconds ?? 0) * 1000 || leaseDurationMs;
}

type LeaseSpec = NonNullable<Lease['spec']>;

interface Holding {
  readonly identity: string;
  readonly leaseDurationMs: number;
  /** By the wall clock, for people to read. */
  readonly now: number;
}

/** The spec that makes a lease ours, or keeps it. A new holder counts as a transition; the first one does not. */
export function heldSpec(before: Lease | undefined, { identity, leaseDurationMs, now }: Holding): LeaseSpec {
  const old = before?.spec;
  const time = formatMicroTime(now);
  const kept = before !== undefined && holderOf(before) === identity;
  return {
    ...old,
    holderIdentity: identity,
    leaseDurationSeconds: leaseDurationMs / 1000,
    acquireTime: kept ? (old?.acquireTime ?? time) : time,
    renewTime: time,
    leaseTransitions: (old?.leaseTransitions ?? 0) + (before === undefined || kept ? 0 : 1),
  };
}

/** The spec of a released lease: without a holder, and short in case a candidate checks the duration alone. */
export function releasedSpec(before: Lease, now: number): LeaseSpec {
  const time = formatMicroTime(now);
  return { ...before.spec, holderIdentity: '', leaseDurationSeconds: 1, acquireTime: time, renewTime: time };
}
