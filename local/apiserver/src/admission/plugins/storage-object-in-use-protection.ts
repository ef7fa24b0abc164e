import { type AdmissionPlugin, isResource } from '../admission.ts';

const finalizers = [
  ['', 'persistentvolumes', 'kubernetes.io/pv-protection'],
  ['', 'persistentvolumeclaims', 'kubernetes.io/pvc-protection'],
  ['storage.k8s.io', 'volumeattributesclasses', 'kubernetes.io/vac-protection'],
] as const;

/** Keeps volumes and claims from going while something uses them: a controller takes the finalizer off when nothing does. */
export const storageObjectInUseProtection: AdmissionPlugin = {
  name: 'StorageObjectInUseProtection',
  mutate(request) {
    if (request.operation !== 'CREATE' || request.subresource !== '' || !request.object) return;
    for (const [group, plural, finalizer] of finalizers) {
      if (!isResource(request, group, plural)) continue;
      const { metadata } = request.object;
      if (!metadata.finalizers?.includes(finalizer)) metadata.finalizers = [...(metadata.finalizers ?? []), finalizer];
    }
  },
};
