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

const maxInt64 = 2n ** 63n - 1n;

/** Revisions are 64 bits wide; what is no such number counts as none, as it does for Go. */
export function revisionOf({ metadata }: Pick<ReplicaSet | Deployment, 'metadata'>): bigint {
  const text = metadata.annotations?.[revisionAnnotation] ?? '';
  const revision = /^[+-]?[0-9]+$/.test(text) ? BigInt(text.replace('+', '')) : 0n;
  return revision > maxInt64 || revision < -maxInt64 - 1n ? 0n : revision;
}

/** The revision of the current ReplicaSet: one more than any old one has. */
export function currentRevision({ old }: Rollout): bigint {
  return old.map(revisionOf).reduce((max, each) => (each > max ? each : max), 0n) + 1n;
}

/** Records the desired and the maximal replicas, by which a later reconcile detects that the Deployment was scaled. */
export function sizeAnnotations(deployment: Deployment): Annotations {
  const wanted = wantedOf(deployment);
  return { [desiredAnnotation]: String(wanted), [maxAnnotation]: String(wanted + tolerance(deployment).surge) };
}

/** Whether a ReplicaSet records the replicas that the Deployment has now. */
export function isSized({ metadata }: ReplicaSet, deployment: Deployment): boolean {
  return Object.entries(sizeAnnotations(deployment)).every(([key, value]) => metadata.annotations?.[key] === value);
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
  const known = current ? revisionOf(current) : 0n;
  if (known >= revision) return { ...own };
  const history = known > 0n ? [...(before[historyAnnotation]?.split(',') ?? []), String(known)] : [];
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
