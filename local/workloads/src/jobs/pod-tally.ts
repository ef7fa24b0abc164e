import type { Job, Pod } from '@tektite/schema/kubernetes';
import { isActive, isReady, isTerminating } from '../pods/pod-state.ts';
import { parseIndexes } from './completion-indexes.ts';
import { failedIndexes, indexFailures, type IndexFailures, limitsEachIndex } from './index-failures.ts';
import { indexOf, isIndexed, trackingFinalizer } from './job-pod.ts';
import { failureActionOf } from './pod-failure-policy.ts';

/** The Pods of a Job, counted once each, whatever happens in between. */
export interface Tally {
  readonly active: readonly Pod[];
  readonly ready: number;
  readonly terminating: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly succeededIndexes: ReadonlySet<number>;
  readonly newlySucceeded: readonly Pod[];
  readonly newlyFailed: readonly Pod[];
  /** Ended Pods that still have to be let go; all are in the status by then. */
  readonly release: readonly Pod[];
  /** Counted Pods whose finalizer is not removed yet, as the status lists them. */
  readonly uncounted: { readonly succeeded: readonly string[]; readonly failed: readonly string[] };
  /** The counts of Pods that are let go. */
  readonly settled: { readonly succeeded: number; readonly failed: number };
  /** For Jobs with a limit for each index. */
  readonly indexFailures: ReadonlyMap<number, IndexFailures>;
  readonly failedIndexes: ReadonlySet<number>;
  /** Why a Pod's failure ends the Job, if one does. */
  readonly failJob: string | undefined;
}

export const isTracked = ({ metadata }: Pod): boolean => metadata.finalizers?.includes(trackingFinalizer) ?? false;

/** Also one that is deleted before it ended: it can no longer succeed. */
function hasFailed({ spec }: Job, { metadata, status }: Pod): boolean {
  if (status?.phase === 'Failed') return true;
  if (metadata.deletionTimestamp === undefined) return false;
  return spec?.podReplacementPolicy === 'Failed' ? status?.phase === 'Pending' : status?.phase !== 'Succeeded';
}

export function tally(job: Job, pods: readonly Pod[], now: number): Tally {
  const { status = {} } = job;
  const byUid = new Map(pods.map((pod) => [pod.metadata.uid ?? '', pod]));
  const before = {
    succeeded: status.uncountedTerminatedPods?.succeeded ?? [],
    failed: status.uncountedTerminatedPods?.failed ?? [],
  };
  const isHeld = (uid: string) => {
    const pod = byUid.get(uid);
    return pod !== undefined && isTracked(pod);
  };
  const held = { succeeded: before.succeeded.filter(isHeld), failed: before.failed.filter(isHeld) };
  const known = new Set([...before.succeeded, ...before.failed]);
  const fresh = pods.filter((pod) => isTracked(pod) && !known.has(pod.metadata.uid ?? ''));
  const newlySucceeded = fresh.filter((pod) => pod.status?.phase === 'Succeeded' && inRange(job, pod));
  const failures = fresh.filter((pod) => pod.status?.phase !== 'Succeeded' && hasFailed(job, pod) && inRange(job, pod));
  const actions = new Map(failures.map((pod) => [pod, failureActionOf(job, pod)]));
  const newlyFailed = failures.filter((pod) => actions.get(pod)?.action !== 'Ignore');
  const ignored = fresh.filter((pod) => actions.get(pod)?.action === 'Ignore' || isStray(job, pod));
  const uidsOf = (each: readonly Pod[]) => each.map(({ metadata }) => metadata.uid ?? '');
  const active = pods.filter(isActive);
  const succeededIndexes = indexesOf(job, newlySucceeded);
  const total = status.succeeded ?? 0;
  const isCounted = (pod: Pod) =>
    pod.status?.phase !== 'Succeeded' && hasFailed(job, pod) && failureActionOf(job, pod).action !== 'Ignore';
  const failuresByIndex = limitsEachIndex(job) ? indexFailures(pods, isCounted, now) : new Map<number, IndexFailures>();
  const givenUp = failures.filter((pod) => actions.get(pod)?.action === 'FailIndex').map((pod) => indexOf(pod) ?? -1);
  return {
    active,
    ready: active.filter(isReady).length,
    terminating: pods.filter(isTerminating).length,
    succeeded: isIndexed(job) ? succeededIndexes.size : total + before.succeeded.length + newlySucceeded.length,
    failed: (status.failed ?? 0) + before.failed.length + newlyFailed.length,
    succeededIndexes,
    newlySucceeded,
    newlyFailed,
    release: [
      ...pods.filter((pod) => isTracked(pod) && known.has(pod.metadata.uid ?? '')),
      ...newlySucceeded,
      ...newlyFailed,
      ...ignored,
    ],
    uncounted: {
      succeeded: [...held.succeeded, ...uidsOf(newlySucceeded)],
      failed: [...held.failed, ...uidsOf(newlyFailed)],
    },
    settled: {
      succeeded: isIndexed(job) ? succeededIndexes.size : total + before.succeeded.length - held.succeeded.length,
      failed: (status.failed ?? 0) + before.failed.length - held.failed.length,
    },
    indexFailures: failuresByIndex,
    failedIndexes: failedIndexes(job, failuresByIndex, new Set(givenUp), succeededIndexes),
    failJob: [...actions.values()].find(({ action }) => action === 'FailJob')?.message,
  };
}

function inRange(job: Job, pod: Pod): boolean {
  return !isIndexed(job) || (indexOf(pod) ?? Number.POSITIVE_INFINITY) < (job.spec?.completions ?? 0);
}

/** An ended Pod of an index that the Job no longer has. */
function isStray(job: Job, pod: Pod): boolean {
  return !inRange(job, pod) && !isActive(pod);
}

function indexesOf(job: Job, newlySucceeded: readonly Pod[]): Set<number> {
  const indexes = parseIndexes(job.status?.completedIndexes, job.spec?.completions ?? 0);
  if (isIndexed(job)) for (const pod of newlySucceeded) indexes.add(indexOf(pod) ?? 0);
  return indexes;
}
