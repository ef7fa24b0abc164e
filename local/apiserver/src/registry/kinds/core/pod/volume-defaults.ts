import type { Mutable } from '@tektite/meta';
import type {
  DownwardAPIVolumeFile,
  PersistentVolumeClaimSpec,
  PersistentVolumeSpec,
  ProjectedVolumeSource,
  Volume,
} from '@tektite/schema/kubernetes';
import { roundResources } from '../resource-list-defaults.ts';
import { imageTag } from './image-reference.ts';

const defaultFileMode = 0o644;

/** Fills in a volume of a Pod; one without a source is an empty directory. */
export function defaultVolume(volume: Mutable<Volume>): void {
  if (Object.keys(volume).every((field) => field === 'name' || volume[field as keyof Volume] === undefined))
    volume.emptyDir = {};
  defaultVolumeSource(volume);
  const { image } = volume;
  if (image) image.pullPolicy ||= imageTag(image.reference ?? '') === 'latest' ? 'Always' : 'IfNotPresent';
  for (const source of [volume.secret, volume.configMap, volume.downwardAPI, volume.projected])
    if (source) source.defaultMode ??= defaultFileMode;
  for (const file of volume.downwardAPI?.items ?? []) defaultDownwardFile(file);
  if (volume.projected) defaultProjected(volume.projected);
  const claim = volume.ephemeral?.volumeClaimTemplate?.spec;
  if (claim) defaultClaimSpec(claim);
}

/** The sources that Pods share with PersistentVolumes. */
export function defaultVolumeSource(
  source: Pick<Mutable<Volume>, 'hostPath' | 'azureDisk'> & {
    iscsi?: Mutable<Pick<NonNullable<PersistentVolumeSpec['iscsi']>, 'iscsiInterface'>>;
    rbd?: Mutable<Pick<NonNullable<PersistentVolumeSpec['rbd']>, 'pool' | 'user' | 'keyring'>>;
    scaleIO?: Mutable<Pick<NonNullable<PersistentVolumeSpec['scaleIO']>, 'storageMode' | 'fsType'>>;
  },
): void {
  const { hostPath, azureDisk, iscsi, rbd, scaleIO } = source;
  if (hostPath) hostPath.type ??= '';
  if (azureDisk) {
    azureDisk.cachingMode ??= 'ReadWrite';
    azureDisk.fsType ??= 'ext4';
    azureDisk.readOnly ??= false;
    azureDisk.kind ??= 'Shared';
  }
  if (iscsi) iscsi.iscsiInterface ||= 'default';
  if (rbd) {
    rbd.pool ||= 'rbd';
    rbd.user ||= 'admin';
    rbd.keyring ||= '/etc/ceph/keyring';
  }
  if (scaleIO) {
    scaleIO.storageMode ||= 'ThinProvisioned';
    scaleIO.fsType ||= 'xfs';
  }
}

function defaultDownwardFile(file: Mutable<DownwardAPIVolumeFile>): void {
  if (file.fieldRef) file.fieldRef.apiVersion ||= 'v1';
  if (file.resourceFieldRef) file.resourceFieldRef.divisor ??= '0';
}

function defaultProjected(projected: Mutable<ProjectedVolumeSource>): void {
  for (const source of projected.sources ?? []) {
    for (const file of source.downwardAPI?.items ?? []) defaultDownwardFile(file);
    if (source.serviceAccountToken) source.serviceAccountToken.expirationSeconds ??= 3600;
  }
}

export function defaultClaimSpec(spec: Mutable<PersistentVolumeClaimSpec>): void {
  spec.volumeMode ??= 'Filesystem';
  roundResources(spec.resources?.limits);
  roundResources(spec.resources?.requests);
}
