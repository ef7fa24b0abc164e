import { formatTime, knativeConditionSet } from '@tektite/meta';
import type { RunCondition } from '../kinds/run-status.ts';
import type { VerificationResult } from './verification-result.ts';

/** The `Succeeded` condition that a run is to have. */
export interface RunOutcome {
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

/** The status of anything that succeeds or fails: runs, and requests for resources from elsewhere. */
export interface ConditionedStatus {
  readonly conditions?: readonly RunCondition[];
}

type Conditions = Parameters<typeof conditionSet.set>[0];
const conditionSet = knativeConditionSet('Succeeded', []);

export function succeededCondition(status: ConditionedStatus | undefined): RunCondition | undefined {
  return status?.conditions?.find(({ type }) => type === 'Succeeded');
}

/** Whether a status is final, for better or worse. */
export function isCompleted(status: ConditionedStatus | undefined): boolean {
  return (succeededCondition(status)?.status ?? 'Unknown') !== 'Unknown';
}

/** The status with this outcome. Conditions that already say so are returned unchanged, times included. */
export function withOutcome<S extends ConditionedStatus>(status: S, outcome: RunOutcome, now: number): S {
  const { message, ...rest } = outcome;
  return withCondition(status, { type: 'Succeeded', ...rest, ...(message ? { message } : {}) }, now);
}

/** Records whether a fetched resource carries the signature that policies require. */
export function withVerification<S extends ConditionedStatus>(
  status: S,
  { outcome }: VerificationResult,
  message: string,
  now: number,
): S {
  if (outcome === 'skipped') return status;
  const verified = outcome === 'passed' ? 'True' : 'False';
  const detail = outcome === 'passed' || !message ? {} : { message };
  return withCondition(status, { type: 'TrustedResourcesVerified', status: verified, ...detail }, now);
}

function withCondition<S extends ConditionedStatus>(
  status: S,
  condition: Parameters<typeof conditionSet.set>[1],
  now: number,
): S {
  const before = (status.conditions ?? []) as Conditions;
  return { ...status, conditions: conditionSet.set(before, condition, formatTime(now)) };
}
