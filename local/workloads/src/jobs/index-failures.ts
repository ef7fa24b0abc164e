import { instantToMilliseconds, parseTime } from '@tektite/meta';
import type { Job, Pod } from '@tektite/schema/kubernetes';
import { parseIndexes } from './completion-indexes.ts';
import { indexOf } from './job-pod.ts';

/** On each Pod of a Job with a limit for each index: how often its index had failed before. */
export const failureCountAnnotation = 'batch.kubernetes.io/job-index-failure-count';

/** How often an index has failed, and when last, computed from its finished Pods. */
export interface IndexFailures {
  readonly count: number;
  readonly lastAt: number;
}

export function limitsEachIndex({ spec }: Job): boolean {
  return spec?.backoffLimitPerIndex !== undefined;
}

export function indexFailures(
  pods: readonly Pod[],
  counts: (pod: Pod) => boolean,
  now: number,
): ReadonlyMap<number, IndexFailures> {
  const failures = new Map<number, IndexFailures>();
  for (const pod of pods) {
    const index = indexOf(pod);
    if (index === undefined) continue;
    const before = Number(pod.metadata.annotations?.[failureCountAnnotation] ?? '0') || 0;
    const failed = counts(pod);
    const known = failures.get(index) ?? { count: 0, lastAt: 0 };
    failures.set(index, {
      count: Math.max(known.count, before + (failed ? 1 : 0)),
      lastAt: failed ? Math.max(known.lastAt, finishedAt(pod) ?? now) : known.lastAt,
    });
  }
  return failures;
}

/** When the last container of a Pod ended. */
export function finishedAt({ status }: Pod): number | undefined {
  const ends = (status?.containerStatuses ?? []).flatMap(({ state }) => state?.terminated?.finishedAt ?? []);
  return ends.length > 0 ? Math.max(...ends.map((time) => instantToMilliseconds(parseTime(time)))) : undefined;
}

/** The indexes that are not tried again: those that were given up before, and those that have failed too often. */
export function failedIndexes(
  { spec, status }: Job,
  failures: ReadonlyMap<number, IndexFailures>,
  givenUp: ReadonlySet<number>,
  succeeded: ReadonlySet<number>,
): Set<number> {
  const failed = parseIndexes(status?.failedIndexes, spec?.completions ?? 0);
  for (const [index, { count }] of failures)
    if (index < (spec?.completions ?? 0) && (count > (spec?.backoffLimitPerIndex ?? 0) || givenUp.has(index)))
      failed.add(index);
  for (const index of succeeded) failed.delete(index);
  return failed;
}
