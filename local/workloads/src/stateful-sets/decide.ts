import type { ControllerRevision, Pod, StatefulSet } from '@tektite/schema/kubernetes';
import { isAvailable, isReady } from '../pods/pod-state.ts';
import { omitZero } from '../pods/omit-zero.ts';
import { firstOrdinal, ordinalOf, revisionLabel } from './stateful-pod.ts';

export interface SetView {
  readonly set: StatefulSet;
  readonly pods: readonly Pod[];
  /** The revision of most Pods, and the revision to update to. */
  readonly current: ControllerRevision;
  readonly update: ControllerRevision;
  readonly now: number;
}

export type SetChange =
  | { readonly type: 'create'; readonly ordinal: number; readonly revision: ControllerRevision }
  | { readonly type: 'delete'; readonly pod: Pod; readonly scaledDown: boolean };

const isDeleting = ({ metadata }: Pod) => metadata.deletionTimestamp !== undefined;
const hasEnded = ({ status }: Pod) => status?.phase === 'Failed' || status?.phase === 'Succeeded';
const isHealthy = (pod: Pod) => pod.status?.phase === 'Running' && isReady(pod) && !isDeleting(pod);

export function revisionOf({ metadata }: Pod): string | undefined {
  return metadata.labels?.[revisionLabel];
}

interface Slots {
  readonly first: number;
  readonly wanted: number;
  readonly slots: ReadonlyMap<number, Pod>;
  /** Beyond what is wanted, the highest first. */
  readonly condemned: readonly Pod[];
}

function slotsOf({ set, pods }: SetView): Slots {
  const first = firstOrdinal(set);
  const wanted = set.spec?.replicas ?? 1;
  const slots = new Map<number, Pod>();
  const condemned: { readonly pod: Pod; readonly ordinal: number }[] = [];
  for (const pod of pods) {
    const ordinal = ordinalOf(set, pod);
    if (ordinal === undefined) continue;
    if (ordinal >= first && ordinal < first + wanted) slots.set(ordinal, pod);
    else condemned.push({ pod, ordinal });
  }
  return { first, wanted, slots, condemned: condemned.sort((a, b) => b.ordinal - a.ordinal).map(({ pod }) => pod) };
}

/** Returns the next changes. With ordered Pods it is at most one, and only while all Pods before it are healthy. */
export function nextChanges(view: SetView): readonly SetChange[] {
  const { set } = view;
  if (set.metadata.deletionTimestamp !== undefined) return [];
  const ordered = set.spec?.podManagementPolicy !== 'Parallel';
  const slots = slotsOf(view);
  const changes: SetChange[] = [];
  for (let ordinal = slots.first; ordinal < slots.first + slots.wanted; ordinal++) {
    const pod = slots.slots.get(ordinal);
    if (!pod) changes.push({ type: 'create', ordinal, revision: revisionFor(view, ordinal) });
    else if (hasEnded(pod) && !isDeleting(pod)) changes.push({ type: 'delete', pod, scaledDown: false });
    else if (ordered && !(isHealthy(pod) && isAvailable(pod, set.spec?.minReadySeconds ?? 0, view.now))) return changes;
    if (ordered && changes.length > 0) return changes;
  }
  for (const pod of slots.condemned) {
    if (isDeleting(pod)) {
      if (ordered) return changes;
      continue;
    }
    if (ordered && (changes.length > 0 || waitsForOther(view, slots, pod))) return changes;
    changes.push({ type: 'delete', pod, scaledDown: true });
    if (ordered) return changes;
  }
  if (changes.length > 0 || set.spec?.updateStrategy?.type === 'OnDelete') return changes;
  return outdatedPods(view, slots);
}

/** Scaling down halts at a Pod that is not well, unless it is the lowest one that is not. */
function waitsForOther({ set, now }: SetView, { slots, condemned }: Slots, pod: Pod): boolean {
  const isWell = (each: Pod) => isHealthy(each) && isAvailable(each, set.spec?.minReadySeconds ?? 0, now);
  if (isWell(pod)) return false;
  const kept = [...slots].sort(([one], [other]) => one - other).map(([, each]) => each);
  return [...kept, ...condemned.toReversed()].find((each) => !isWell(each)) !== pod;
}

/** Pods of numbers below the partition stay as they were. */
function revisionFor({ set, current, update }: SetView, ordinal: number): ControllerRevision {
  const strategy = set.spec?.updateStrategy;
  if (strategy?.type === 'OnDelete') return update;
  const partition = strategy?.rollingUpdate?.partition;
  const first = firstOrdinal(set);
  if (partition) return ordinal < first + partition ? current : update;
  return ordinal < first + (set.status?.currentReplicas ?? 0) ? current : update;
}

/** From the highest number down, one at a time, and only while all above are well. */
function outdatedPods({ set, update, now }: SetView, { first, wanted, slots }: Slots): readonly SetChange[] {
  const { partition = 0, maxUnavailable = 1 } = set.spec?.updateStrategy?.rollingUpdate ?? {};
  const allowed =
    typeof maxUnavailable === 'number'
      ? Math.max(1, maxUnavailable)
      : Math.max(1, Math.floor((Number.parseInt(maxUnavailable, 10) * wanted) / 100));
  const changes: SetChange[] = [];
  let unwell = 0;
  for (let ordinal = first + wanted - 1; ordinal >= first + partition; ordinal--) {
    const pod = slots.get(ordinal);
    if (!pod) return changes;
    const outdated = revisionOf(pod) !== update.metadata.name;
    const well = isHealthy(pod) && isAvailable(pod, set.spec?.minReadySeconds ?? 0, now);
    if (outdated && !isDeleting(pod)) {
      changes.push({ type: 'delete', pod, scaledDown: false });
      unwell++;
    } else if (!well) unwell++;
    if (unwell >= allowed) return changes;
  }
  return changes;
}

export function statefulSetStatus({ set, pods, current, update, now }: SetView): NonNullable<StatefulSet['status']> {
  const mine = pods.filter((pod) => ordinalOf(set, pod) !== undefined);
  const alive = mine.filter((pod) => !isDeleting(pod) && !hasEnded(pod));
  const count = (revision: ControllerRevision) =>
    alive.filter((pod) => revisionOf(pod) === revision.metadata.name).length;
  const ready = mine.filter((pod) => pod.status?.phase === 'Running' && isReady(pod));
  const available = ready.filter((pod) => isAvailable(pod, set.spec?.minReadySeconds ?? 0, now));
  const updated = count(update);
  const complete =
    set.spec?.updateStrategy?.type !== 'OnDelete' && updated === mine.length && ready.length === mine.length;
  const { conditions } = set.status ?? {};
  return {
    replicas: mine.length,
    ...omitZero({
      observedGeneration: set.metadata.generation,
      readyReplicas: ready.length,
      currentReplicas: complete ? updated : count(current),
      updatedReplicas: updated,
    }),
    availableReplicas: available.length,
    currentRevision: (complete ? update : current).metadata.name ?? '',
    updateRevision: update.metadata.name ?? '',
    collisionCount: set.status?.collisionCount ?? 0,
    ...(conditions ? { conditions } : {}),
  };
}
