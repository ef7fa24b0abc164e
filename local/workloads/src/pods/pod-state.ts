import { instantToMilliseconds, parseTime } from '@tektite/meta';
import type { Pod } from '@tektite/schema/kubernetes';

/** Neither ended nor on its way out. */
export function isActive({ metadata, status }: Pod): boolean {
  return status?.phase !== 'Succeeded' && status?.phase !== 'Failed' && metadata.deletionTimestamp === undefined;
}

export function isTerminating({ metadata, status }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined && status?.phase !== 'Succeeded' && status?.phase !== 'Failed';
}

function readyCondition({ status }: Pod) {
  return status?.conditions?.find(({ type }) => type === 'Ready');
}

export function isReady(pod: Pod): boolean {
  return readyCondition(pod)?.status === 'True';
}

/** Since when it is ready, in milliseconds. */
export function readySince(pod: Pod): number | undefined {
  const condition = readyCondition(pod);
  if (condition?.status !== 'True') return undefined;
  return condition.lastTransitionTime ? instantToMilliseconds(parseTime(condition.lastTransitionTime)) : 0;
}

/** Ready for at least so long. */
export function isAvailable(pod: Pod, minReadySeconds: number, now: number): boolean {
  const since = readySince(pod);
  return since !== undefined && (minReadySeconds === 0 || since + minReadySeconds * 1000 <= now);
}

/** When the next of these Pods becomes available by waiting alone; undefined when none does. */
export function nextAvailableIn(pods: readonly Pod[], minReadySeconds: number, now: number): number | undefined {
  let next: number | undefined;
  for (const pod of pods) {
    const since = readySince(pod);
    if (since === undefined || minReadySeconds === 0) continue;
    const left = since + minReadySeconds * 1000 - now;
    if (left > 0) next = Math.min(next ?? left, left);
  }
  return next;
}

/** The most restarts of a container. */
export function restartsOf({ status }: Pod): number {
  return Math.max(0, ...(status?.containerStatuses ?? []).map(({ restartCount }) => restartCount));
}

export function createdAt({ metadata }: Pick<Pod, 'metadata'>): number {
  return metadata.creationTimestamp ? instantToMilliseconds(parseTime(metadata.creationTimestamp)) : 0;
}
