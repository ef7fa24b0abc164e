import type { Deployment, ReplicaSet } from '@tektite/schema/kubernetes';
import { equalJson } from '@tektite/meta';
import { type Rollout, tolerance, wantedOf } from './rollout.ts';

export const revisionAnnotation = 'deployment.kubernetes.io/revision';
const historyAnnotation = 'deployment.kubernetes.io/revision-history';
export const desiredAnnotation = 'deployment.kubernetes.io/desired-replicas';
export const maxAnnotation = 'deployment.kubernetes.io/max-replicas';

/** Annotations of the Deployment, or of one ReplicaSet, that are not copied to the other. */
const notCopied = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  revisionAnnotation,
  historyAnnotation,
  desiredAnnotation,
  maxAnnotation,
  'deprecated.deployment.rollback.to',
]);

type Annotations = Readonly<Record<string, string>>;

export function revisionOf({ metadata }: Pick<ReplicaSet | Deployment, 'metadata'>): number {
  const revision = Number(metadata.annotations?.[revisionAnnotation] ?? '0');
  return Number.isSafeInteger(revision) ? revision : 0;
}

/** The revision of the current ReplicaSet: one more than any old one has. */
export function currentRevision({ old }: Rollout): number {
  return Math.max(0, ...old.map(revisionOf)) + 1;
}

/** Records the desired and the maximal replicas, by which a later reconcile detects that the Deployment was scaled. */
export function sizeAnnotations(deployment: Deployment): Annotations {
  const wanted = wantedOf(deployment);
  return { [desiredAnnotation]: String(wanted), [maxAnnotation]: String(wanted + tolerance(deployment).surge) };
}

/** The annotations that the current ReplicaSet should have. Keeps what others wrote; remembers the revisions it was before. */
export function currentAnnotations(rollout: Rollout): Annotations {
  const { deployment, current } = rollout;
  const before = current?.metadata.annotations ?? {};
  const copied = Object.fromEntries(
    Object.entries(deployment.metadata.annotations ?? {}).filter(([key]) => !notCopied.has(key)),
  );
  const own = { ...before, ...copied };
  const revision = currentRevision(rollout);
  const known = current ? revisionOf(current) : 0;
  if (known >= revision) return { ...own };
  const history = known > 0 ? [...(before[historyAnnotation]?.split(',') ?? []), String(known)] : [];
  return {
    ...own,
    [revisionAnnotation]: String(revision),
    ...(history.length > 0 ? { [historyAnnotation]: history.join() } : {}),
  };
}

/** Whether the current ReplicaSet has to be written because of what it should say of the Deployment. */
export function needsUpdate(rollout: Rollout): boolean {
  const { current, deployment } = rollout;
  if (!current) return false;
  return (
    !equalJson(currentAnnotations(rollout), current.metadata.annotations ?? {}) ||
    (current.spec?.minReadySeconds ?? 0) !== (deployment.spec?.minReadySeconds ?? 0)
  );
}
