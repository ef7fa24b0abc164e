import type { NewObject } from '@tektite/client';
import { controllerReference } from '@tektite/meta';
import type { ControllerRevision, PersistentVolumeClaim, Pod, StatefulSet } from '@tektite/schema/kubernetes';
import { templateOf } from '../revisions/controller-revisions.ts';

export const revisionLabel = 'controller-revision-hash';
const podNameLabel = 'statefulset.kubernetes.io/pod-name';
const indexLabel = 'apps.kubernetes.io/pod-index';

/** The number at the end of a Pod's name; undefined when the Pod is not one of the set's. */
export function ordinalOf({ metadata }: StatefulSet, pod: Pod): number | undefined {
  const prefix = `${metadata.name}-`;
  const { name = '' } = pod.metadata;
  const rest = name.startsWith(prefix) ? name.slice(prefix.length) : '';
  return /^(0|[1-9][0-9]{0,8})$/.test(rest) ? Number(rest) : undefined;
}

export function firstOrdinal({ spec }: StatefulSet): number {
  return spec?.ordinals?.start ?? 0;
}

export function claimName(template: PersistentVolumeClaim, pod: string): string {
  return `${template.metadata.name}-${pod}`;
}

/** The Pod of a number, in the form of a revision. */
export function statefulPod(set: StatefulSet, ordinal: number, revision: ControllerRevision): NewObject<Pod> {
  const template = templateOf(revision);
  const { namespace = '' } = set.metadata;
  const name = `${set.metadata.name}-${ordinal}`;
  const { labels, annotations, finalizers } = template.metadata ?? {};
  const claims = set.spec?.volumeClaimTemplates ?? [];
  const own = new Set(claims.map((claim) => claim.metadata.name));
  const volumes = [
    ...claims.map((claim) => ({
      name: claim.metadata.name ?? '',
      persistentVolumeClaim: { claimName: claimName(claim, name) },
    })),
    ...(template.spec?.volumes ?? []).filter((volume) => !own.has(volume.name)),
  ];
  return {
    metadata: {
      namespace,
      name,
      generateName: `${set.metadata.name}-`,
      labels: {
        ...labels,
        [podNameLabel]: name,
        [indexLabel]: String(ordinal),
        [revisionLabel]: revision.metadata.name ?? '',
      },
      ...(annotations ? { annotations } : {}),
      ...(finalizers ? { finalizers } : {}),
      ownerReferences: [controllerReference(set)],
    },
    spec: {
      ...template.spec,
      containers: template.spec?.containers ?? [],
      hostname: name,
      ...(set.spec?.serviceName ? { subdomain: set.spec.serviceName } : {}),
      ...(volumes.length > 0 ? { volumes } : {}),
    },
  };
}

/** The claims that the Pod of a number needs. */
export function statefulClaims(set: StatefulSet, pod: string): readonly NewObject<PersistentVolumeClaim>[] {
  const { namespace = '' } = set.metadata;
  const deleted = set.spec?.persistentVolumeClaimRetentionPolicy?.whenDeleted === 'Delete';
  return (set.spec?.volumeClaimTemplates ?? []).map((template) => ({
    metadata: {
      ...template.metadata,
      namespace,
      name: claimName(template, pod),
      labels: { ...template.metadata.labels, ...set.spec?.selector?.matchLabels },
      ...(deleted ? { ownerReferences: [controllerReference(set)] } : {}),
    },
    ...(template.spec ? { spec: template.spec } : {}),
  }));
}
