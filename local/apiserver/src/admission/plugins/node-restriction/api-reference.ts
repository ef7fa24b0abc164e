import type { Pod, Volume } from '@tektite/schema/kubernetes';
import { podReferences } from '../../../auth/node/pod-references.ts';

/**
 * The kind of API object that a Pod refers to, in upstream's words; nothing for one that refers to none. A node must not create a Pod
 * that does: it would get access to the object.
 */
export function apiReference(pod: Pod): string | undefined {
  const { spec } = pod;
  const { secrets, configMaps } = podReferences(pod);
  if (spec?.serviceAccountName) return 'serviceaccounts';
  if (secrets.size > 0) return 'secrets';
  if (configMaps.size > 0) return 'configmaps';
  if (spec?.resourceClaims?.length) return 'resourceclaims';
  for (const volume of spec?.volumes ?? []) {
    const found = volumeReference(volume);
    if (found !== undefined) return found;
  }
  return undefined;
}

function volumeReference(volume: Volume): string | undefined {
  if (volume.csi) return 'csidrivers (via CSI volumes)';
  if (volume.glusterfs) return 'endpoints (via glusterFS volumes)';
  if (volume.persistentVolumeClaim) return 'persistentvolumeclaims';
  if (volume.ephemeral) return 'persistentvolumeclaims (via ephemeral volumes)';
  if (volume.azureFile) return 'secrets (via azureFile volumes)';
  for (const source of volume.projected?.sources ?? []) {
    if (source.configMap) return 'configmaps (via projected volumes)';
    if (source.secret) return 'secrets (via projected volumes)';
    if (source.serviceAccountToken) return 'serviceaccounts (via projected volumes)';
    if (source.clusterTrustBundle) return 'clustertrustbundles';
    if (source.podCertificate) return 'podcertificates';
  }
  return undefined;
}
