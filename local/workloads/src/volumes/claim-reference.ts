import type { ObjectReference, PersistentVolumeClaim } from '@tektite/schema/kubernetes';

/** How a volume names the claim that it belongs to. */
export function claimReference({ metadata }: PersistentVolumeClaim): ObjectReference {
  const { namespace, name, uid, resourceVersion } = metadata;
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    ...(namespace ? { namespace } : {}),
    ...(name ? { name } : {}),
    ...(uid ? { uid } : {}),
    ...(resourceVersion ? { resourceVersion } : {}),
  };
}
