import { labelSelectorOf, Quantity } from '@tektite/meta';
import type { PersistentVolume, PersistentVolumeClaim } from '@tektite/schema/kubernetes';

/** Whether a volume is meant for a claim: by its name, and by its uid once it is known. */
export function isMeantFor({ spec }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
  const reference = spec?.claimRef;
  if (!reference || reference.namespace !== metadata.namespace || reference.name !== metadata.name) return false;
  return !reference.uid || reference.uid === metadata.uid;
}

function storageOf(resources: Readonly<Record<string, string>> | undefined): Quantity {
  return Quantity.parse(resources?.['storage'] ?? '0');
}

/** Whether a volume has what a claim asks for. */
export function satisfies(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  const has = volume.spec ?? {};
  const asks = claim.spec ?? {};
  return (
    volume.metadata.deletionTimestamp === undefined &&
    (has.storageClassName ?? '') === (asks.storageClassName ?? '') &&
    (has.volumeMode ?? 'Filesystem') === (asks.volumeMode ?? 'Filesystem') &&
    (asks.accessModes ?? []).every((mode) => has.accessModes?.includes(mode)) &&
    storageOf(has.capacity).compare(storageOf(asks.resources?.requests)) >= 0 &&
    (!asks.selector || labelSelectorOf(asks.selector).matches(volume.metadata.labels))
  );
}

/** The volume for a claim: one that is meant for it, else the smallest free one that will do. */
export function findVolume(
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
  onlyMeant: boolean,
): PersistentVolume | undefined {
  const meant = volumes.find((volume) => isMeantFor(volume, claim));
  if (meant || onlyMeant) return meant;
  return volumes
    .filter(
      (volume) =>
        !volume.spec?.claimRef &&
        volume.status?.phase !== 'Released' &&
        volume.status?.phase !== 'Failed' &&
        satisfies(volume, claim),
    )
    .sort((a, b) => storageOf(a.spec?.capacity).compare(storageOf(b.spec?.capacity)))[0];
}
