import { formatTime } from '@tektite/meta';
import type { APIServiceCondition, APIServiceStatus } from '@tektite/schema/kubernetes';

/** The result of a check of an aggregated server. */
export interface Availability {
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

export const passed: Availability = { status: 'True', reason: 'Passed', message: 'all checks passed' };

export function failedCheck(url: string, cause: string): Availability {
  return {
    status: 'False',
    reason: 'FailedDiscoveryCheck',
    message: `failing or missing response from ${url}: ${cause}`,
  };
}

/** The status with this result; `undefined` when it says so already. The time changes with the status alone. */
export function withAvailability(
  status: APIServiceStatus | undefined,
  { status: value, reason, message }: Availability,
  now: number,
): APIServiceStatus | undefined {
  const conditions = status?.conditions ?? [];
  const old = conditions.find(({ type }) => type === 'Available');
  if (old?.status === value && old.reason === reason && old.message === message) return undefined;
  const lastTransitionTime = old?.status === value ? old.lastTransitionTime : formatTime(now);
  const next: APIServiceCondition = {
    type: 'Available',
    status: value,
    ...(lastTransitionTime ? { lastTransitionTime } : {}),
    reason,
    message,
  };
  return { ...status, conditions: [...conditions.filter(({ type }) => type !== 'Available'), next] };
}
