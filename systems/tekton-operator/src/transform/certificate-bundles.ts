import type { Volume, VolumeMount } from '@tektite/schema/kubernetes';
import type { Mutable } from '@tektite/meta';
import { type DraftContainer, putVariable, replaceByName } from './workload.ts';

const bundles = [
  { volume: 'config-trusted-cabundle-volume', map: 'config-trusted-cabundle', key: 'ca-bundle.crt' },
  { volume: 'config-service-cabundle-volume', map: 'config-service-cabundle', key: 'service-ca.crt' },
];
const variable = 'SSL_CERT_DIR';
const folders = '/tekton-custom-certs:/etc/ssl/certs:/etc/pki/tls/certs';

/** Volumes with the ConfigMaps of certificates after the others. Pods start without these ConfigMaps, too. */
export function withCertificateVolumes(volumes: readonly Volume[] = []): readonly Volume[] {
  return [
    ...volumes.filter(({ name }) => !bundles.some(({ volume }) => volume === name)),
    ...bundles.map(({ volume, map, key }) => ({
      name: volume,
      configMap: { name: map, optional: true, items: [{ key, path: key }] },
    })),
  ];
}

/** Mounts the certificates into the first folder of `SSL_CERT_DIR`, for the programs that read it. */
export function mountCertificates(container: DraftContainer): void {
  const own = container.env?.find(({ name }) => name === variable);
  if (!own) putVariable(container, { name: variable, value: folders });
  const [folder = ''] = (own ? (own.value ?? '') : folders).split(':');
  const mounts = bundles.map(({ volume, key }) => ({
    name: volume,
    mountPath: `${folder}/${key}`.replace(/^\/+/, '/'),
    subPath: key,
    readOnly: true,
  }));
  container.volumeMounts = replaceByName<VolumeMount>(container.volumeMounts, mounts) as Mutable<VolumeMount>[];
}
