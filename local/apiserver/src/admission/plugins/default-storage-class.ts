import { type Mutable, parseTime, instantToMilliseconds } from '@tektite/meta';
import type { PersistentVolumeClaim, StorageClass } from '@tektite/schema/kubernetes';
import type { Storage } from '../../storage/storage.ts';
import { type AdmissionPlugin, isResource } from '../admission.ts';

const annotation = 'storageclass.kubernetes.io/is-default-class';

/** A claim that names no class gets the default one; of several, the youngest. */
export function defaultStorageClass(storage: Storage): AdmissionPlugin {
  return {
    name: 'DefaultStorageClass',
    mutate(request) {
      if (
        request.operation !== 'CREATE' ||
        !isResource(request, '', 'persistentvolumeclaims') ||
        request.subresource !== ''
      )
        return;
      const claim = request.object as Mutable<PersistentVolumeClaim>;
      if (
        !claim.spec ||
        claim.spec.storageClassName !== undefined ||
        claim.metadata.annotations?.['volume.beta.kubernetes.io/storage-class']
      )
        return;
      const [chosen] = storage
        .list('/registry/storageclasses/')
        .entries.map(({ value }) => value as StorageClass)
        .filter(({ metadata }) => metadata.annotations?.[annotation] === 'true')
        .sort((a, b) => bornAt(b) - bornAt(a) || ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1));
      if (chosen) claim.spec.storageClassName = chosen.metadata.name as string;
    },
  };
}

function bornAt({ metadata }: StorageClass): number {
  return metadata.creationTimestamp ? instantToMilliseconds(parseTime(metadata.creationTimestamp)) : 0;
}
