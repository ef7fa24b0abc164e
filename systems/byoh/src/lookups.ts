import { type KubeObject, type OwnerReference, parseApiVersion } from '@tektite/meta';
import { clusterNameLabel, pausedAnnotation } from './wire-names.ts';
import type { Cluster } from './kinds/cluster-api.ts';

type WithMetadata = Pick<KubeObject, 'metadata'>;

/** The first owner of this kind, in any version of its group. */
export function ownerOf({ metadata }: WithMetadata, group: string, kind: string): OwnerReference | undefined {
  return metadata.ownerReferences?.find(
    (reference) => reference.kind === kind && parseApiVersion(reference.apiVersion)?.group === group,
  );
}

/** Which cluster an object says it belongs to. */
export function clusterNameOf({ metadata }: WithMetadata): string | undefined {
  return metadata.labels?.[clusterNameLabel] || undefined;
}

export function isPausedObject({ metadata }: WithMetadata): boolean {
  return Object.hasOwn(metadata.annotations ?? {}, pausedAnnotation);
}

export function isPaused(cluster: Cluster, object: WithMetadata): boolean {
  return cluster.spec?.paused === true || isPausedObject(object);
}
