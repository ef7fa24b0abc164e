import type { Container, Pod } from '@tektite/schema/kubernetes';
import type { BackOff, ContainerRole } from './container-record.ts';

/** Whether a container that ended with this code is to be run again. */
export function shouldRestart(pod: Pod, container: Container, role: ContainerRole, exitCode: number): boolean {
  if (role === 'sidecar') return true;
  if (role === 'ephemeral') return false;
  for (const { exitCodes, action } of container.restartPolicyRules ?? []) {
    const listed = exitCodes?.values?.includes(exitCode) ?? false;
    if (exitCodes && listed === (exitCodes.operator === 'In'))
      return action === 'Restart' || action === 'RestartAllContainers';
  }
  const policy = container.restartPolicy ?? pod.spec?.restartPolicy ?? 'Always';
  if (policy === 'Never') return false;
  // A successful init container is not repeated.
  if (policy === 'OnFailure' || role === 'init') return exitCode !== 0;
  return true;
}

export const firstBackOffMs = 10_000;
export const longestBackOffMs = 300_000;

/** Until when a container that ended at this time has to wait; undefined if it need not. */
export function backOffUntil(backOff: BackOff | undefined, finishedAt: number, now: number): number | undefined {
  if (!backOff || hasExpired(backOff, finishedAt)) return undefined;
  const until = finishedAt + backOff.delayMs;
  return now < until ? until : undefined;
}

/** The state after one more restart, of a container that ended at this time. */
export function nextBackOff(backOff: BackOff | undefined, finishedAt: number, now: number): BackOff {
  if (!backOff || hasExpired(backOff, finishedAt)) return { delayMs: firstBackOffMs, updatedAt: now };
  return { delayMs: Math.min(backOff.delayMs * 2, longestBackOffMs), updatedAt: now };
}

/** A container that ran for long enough starts without back-off. */
function hasExpired({ updatedAt }: BackOff, finishedAt: number): boolean {
  return finishedAt - updatedAt > 2 * longestBackOffMs;
}

/** `10s`, `2m40s`: as Go writes durations. */
export function backOffText(delayMs: number): string {
  const seconds = Math.round(delayMs / 1000);
  const minutes = Math.floor(seconds / 60);
  return minutes > 0 ? `${minutes}m${seconds % 60}s` : `${seconds}s`;
}
