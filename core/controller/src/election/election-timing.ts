import { ControllerError } from '../controller-error.ts';

/** How patient those are who hold a lease, and those who want it. */
export interface ElectionTiming {
  /** Candidates may take over a lease whose holder has not renewed it for this long. Whole seconds, as in the Lease. */
  readonly leaseDurationMs: number;
  /** A holder that could not renew for so long stops. Must be shorter, so that it stops before others may start. */
  readonly renewDeadlineMs: number;
  /** The time between two tries, of holders and of those who wait. */
  readonly retryPeriodMs: number;
}

/** As Kubernetes' own components. */
export const coreTiming: ElectionTiming = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000 };

/** Those who wait sleep up to so many periods more than one, so that they do not all come at once. */
export const jitterFactor = 1.2;

/** Throws `ELECTION_INVALID` for durations with which there could be two leaders, or none for long. */
export function checkTiming({ leaseDurationMs, renewDeadlineMs, retryPeriodMs }: ElectionTiming): void {
  const invalid = (message: string) => new ControllerError('ELECTION_INVALID', message);
  if (!(retryPeriodMs >= 1)) throw invalid('retryPeriod must be greater than zero');
  if (!(renewDeadlineMs > retryPeriodMs * jitterFactor))
    throw invalid(`renewDeadline must be greater than retryPeriod*${jitterFactor}`);
  if (!(leaseDurationMs > renewDeadlineMs)) throw invalid('leaseDuration must be greater than renewDeadline');
  // A Lease contains its duration in whole seconds; other candidates would read a shorter one.
  if (!(Number.isSafeInteger(leaseDurationMs / 1000) && leaseDurationMs / 1000 < 2 ** 31))
    throw invalid('leaseDuration must be a whole number of seconds');
}
