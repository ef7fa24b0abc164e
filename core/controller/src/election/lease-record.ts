import { formatMicroTime } from '@tektite/meta';
import type { Lease } from '@tektite/schema/kubernetes';

/** Who holds a lease; nobody is the empty text. */
export function holderOf(lease: Lease | undefined): string {
  return lease?.spec?.holderIdentity ?? '';
}

/**
 * What somebody who wants a lease does about the one it sees.
 * - `renew`: it is ours already; the answer that said so was lost.
 * - `take`: it is nobody's, or its holder gave no sign of life for as long as it promised to.
 * - `wait`: it is somebody else's.
 *
 * `silentMs` is how long, by our own clock, the lease has not changed. The times in it are never looked at: they come from
 * somebody else's clock.
 */
export function nextStep(
  lease: Lease,
  { identity, silentMs, leaseDurationMs }: { identity: string; silentMs: number; leaseDurationMs: number },
): 'renew' | 'take' | 'wait' {
  const holder = holderOf(lease);
  if (holder === identity) return 'renew';
  if (holder === '') return 'take';
  const promisedMs = (lease.spec?.leaseDurationSeconds ?? 0) * 1000 || leaseDurationMs;
  return silentMs >= promisedMs ? 'take' : 'wait';
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

/** The spec of a lease that was given away: nobody's, and short in case somebody looks at the duration alone. */
export function releasedSpec(before: Lease, now: number): LeaseSpec {
  const time = formatMicroTime(now);
  return { ...before.spec, holderIdentity: '', leaseDurationSeconds: 1, acquireTime: time, renewTime: time };
}
