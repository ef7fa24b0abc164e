import { Quantity } from '@tektite/meta';
import type { PersistentVolumeClaim, StorageClass } from '@tektite/schema/kubernetes';
import type { Storage } from '../../storage/storage.ts';
import { type AdmissionPlugin, isResource, admissionForbidden } from '../admission.ts';

/** A claim may only grow while it is bound, and if its storage class can make volumes grow. */
export function persistentVolumeClaimResize(storage: Storage): AdmissionPlugin {
  return {
    name: 'PersistentVolumeClaimResize',
    validate(request) {
      if (
        request.operation !== 'UPDATE' ||
        !isResource(request, '', 'persistentvolumeclaims') ||
        request.subresource !== ''
      )
        return;
      const claim = request.object as PersistentVolumeClaim;
      const old = request.oldObject as PersistentVolumeClaim;
      if (sizeOf(claim).compare(sizeOf(old)) <= 0) return;
      if (old.status?.phase !== 'Bound')
        throw admissionForbidden(request, 'Only bound persistent volume claims can be expanded');
      const name = classOf(claim);
      const found = storage.latest(`/registry/storageclasses/${name}`)?.value as StorageClass | undefined;
      if (name === '' || name !== classOf(old) || found?.allowVolumeExpansion !== true)
        throw admissionForbidden(
          request,
          'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
        );
    },
  };
}

function sizeOf({ spec }: PersistentVolumeClaim): Quantity {
  return Quantity.parse(spec?.resources?.requests?.storage ?? '0');
}

function classOf({ metadata, spec }: PersistentVolumeClaim): string {
  return metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? spec?.storageClassName ?? '';
}
