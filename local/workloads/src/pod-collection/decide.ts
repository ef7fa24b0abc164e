import type { Pod } from '@tektite/schema/kubernetes';

export type PodFate =
  | { readonly type: 'keep' }
  /** Reconcile again when the node is known not to come back. */
  | { readonly type: 'wait'; readonly milliseconds: number }
  | { readonly type: 'delete'; readonly fail?: { readonly reason: string; readonly message: string } };

export interface PodSurroundings {
  readonly now: number;
  readonly nodeExists: boolean;
  /** Since when the node is missed. */
  readonly missingSince: number | undefined;
  /** Whether the Pod is among those that are too many of the ended ones. */
  readonly surplus: boolean;
}

const quarantineMs = 40_000;

export function hasEnded({ status }: Pick<Pod, 'status'>): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

/** Decides over Pods that no other controller deletes. */
export function podFate(pod: Pod, { now, nodeExists, missingSince, surplus }: PodSurroundings): PodFate {
  const deleting = pod.metadata.deletionTimestamp !== undefined;
  if (deleting && !pod.spec?.nodeName) return { type: 'delete' };
  if (pod.spec?.nodeName && !nodeExists) {
    const left = quarantineMs - (now - (missingSince ?? now));
    if (left > 0) return { type: 'wait', milliseconds: left };
    if (hasEnded(pod)) return { type: 'delete' };
    return { type: 'delete', fail: { reason: 'DeletionByPodGC', message: 'PodGC: node no longer exists' } };
  }
  if (surplus && !deleting) return { type: 'delete' };
  return { type: 'keep' };
}

/** The oldest of those that ended, as many as there are too many. */
export function surplusPods(ended: readonly Pod[], threshold: number): ReadonlySet<Pod> {
  const excess = ended.length - threshold;
  if (excess <= 0) return new Set();
  const age = ({ metadata }: Pod) => metadata.creationTimestamp ?? '';
  return new Set(ended.toSorted((a, b) => (age(a) < age(b) ? -1 : age(a) > age(b) ? 1 : 0)).slice(0, excess));
}
