import type { Container, EphemeralContainer, PersistentVolume, Pod, Volume } from '@tektite/schema/kubernetes';

type Reference = { readonly name?: string } | null | undefined;

/** The names that a Pod refers to; all are in its own namespace. */
export interface PodReferences {
  readonly secrets: ReadonlySet<string>;
  readonly configMaps: ReadonlySet<string>;
  readonly claims: ReadonlySet<string>;
  readonly resourceClaims: ReadonlySet<string>;
}

/** Everything that the kubelet needs to run a Pod. */
export function podReferences(pod: Pod): PodReferences {
  const { spec } = pod;
  const secrets = new Set<string>();
  const configMaps = new Set<string>();
  for (const reference of spec?.imagePullSecrets ?? []) add(secrets, reference);
  for (const containers of [spec?.initContainers, spec?.containers, spec?.ephemeralContainers])
    for (const container of containers ?? []) addEnvironment(container, secrets, configMaps);
  for (const volume of spec?.volumes ?? []) {
    addVolumeSecrets(volume, secrets);
    add(configMaps, volume.configMap);
    for (const source of volume.projected?.sources ?? []) {
      add(secrets, source.secret);
      add(configMaps, source.configMap);
    }
  }
  return { secrets, configMaps, claims: claimsOf(pod), resourceClaims: resourceClaimsOf(pod) };
}

function add(names: Set<string>, reference: Reference): void {
  if (reference?.name) names.add(reference.name);
}

function addEnvironment(
  { env, envFrom }: Container | EphemeralContainer,
  secrets: Set<string>,
  configMaps: Set<string>,
): void {
  for (const { valueFrom } of env ?? []) {
    add(secrets, valueFrom?.secretKeyRef);
    add(configMaps, valueFrom?.configMapKeyRef);
  }
  for (const { secretRef, configMapRef } of envFrom ?? []) {
    add(secrets, secretRef);
    add(configMaps, configMapRef);
  }
}

function addVolumeSecrets(volume: Volume, secrets: Set<string>): void {
  add(secrets, { name: volume.secret?.secretName ?? '' });
  add(secrets, { name: volume.azureFile?.secretName ?? '' });
  add(secrets, volume.csi?.nodePublishSecretRef);
  const { cephfs, cinder, flexVolume, iscsi, rbd, scaleIO, storageos } = volume;
  for (const source of [cephfs, cinder, flexVolume, iscsi, rbd, scaleIO, storageos]) add(secrets, source?.secretRef);
}

/** The claim of an ephemeral volume is named after the Pod and the volume. */
function claimsOf({ metadata, spec }: Pod): ReadonlySet<string> {
  const claims = new Set<string>();
  for (const { name, persistentVolumeClaim, ephemeral } of spec?.volumes ?? []) {
    if (persistentVolumeClaim) add(claims, { name: persistentVolumeClaim.claimName });
    else if (ephemeral) add(claims, { name: `${metadata.name}-${name}` });
  }
  return claims;
}

/** A claim that is made from a template has its name in the status. */
function resourceClaimsOf({ spec, status }: Pod): ReadonlySet<string> {
  const claims = new Set<string>();
  for (const { name, resourceClaimName } of spec?.resourceClaims ?? []) {
    const made = status?.resourceClaimStatuses?.find((candidate) => candidate.name === name)?.resourceClaimName;
    add(claims, { name: resourceClaimName ?? made ?? '' });
  }
  add(claims, { name: status?.extendedResourceClaimStatus?.resourceClaimName ?? '' });
  return claims;
}

/** The Secrets, as `namespace/name`, that a node needs to mount a volume. Those for controllers alone are not among them. */
export function volumeSecrets({ spec }: PersistentVolume): ReadonlySet<string> {
  const secrets = new Set<string>();
  const claimNamespace = spec?.claimRef?.namespace ?? '';
  const addSecret = (reference: { readonly name?: string; readonly namespace?: string } | null | undefined) => {
    if (reference?.name) secrets.add(`${reference.namespace || claimNamespace}/${reference.name}`);
  };
  const { azureFile, csi } = spec ?? {};
  if (azureFile) addSecret({ name: azureFile.secretName, namespace: azureFile.secretNamespace ?? '' });
  for (const field of ['nodePublishSecretRef', 'nodeStageSecretRef', 'nodeExpandSecretRef'] as const)
    addSecret(csi?.[field]);
  const { cephfs, cinder, flexVolume, iscsi, rbd, scaleIO, storageos } = spec ?? {};
  for (const source of [cephfs, cinder, flexVolume, iscsi, rbd, scaleIO, storageos]) addSecret(source?.secretRef);
  return secrets;
}
