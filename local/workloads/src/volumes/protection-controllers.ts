import { kinds, mergePatch, ignoreNotFound } from '@tektite/client';
import { type ControllerDefinition, defineController, mapped } from '@tektite/controller';
import type { KubeObject } from '@tektite/meta';
import type { PersistentVolume, PersistentVolumeClaim, Pod } from '@tektite/schema/kubernetes';
import { claimNames } from './claim-names.ts';

const claimFinalizer = 'kubernetes.io/pvc-protection';
const volumeFinalizer = 'kubernetes.io/pv-protection';
const attributesFinalizer = 'kubernetes.io/vac-protection';

const claimKeys = (pod: Pod): string[] => claimNames(pod).map((name) => `${pod.metadata.namespace}/${name}`);

/** Lets claims that are to go be until no Pod uses them. */
export function claimProtection(): ControllerDefinition {
  const pods = mapped(kinds.Pod, claimKeys, { indexes: { claim: claimKeys } });
  return defineController({
    name: 'pvc-protection',
    kind: kinds.PersistentVolumeClaim,
    sources: [pods],
    async reconcile(claim, { cache, client, key, namespace = '', name }) {
      if (claim.metadata.deletionTimestamp === undefined) return;
      const users = cache(pods).byIndex('claim', key);
      if (
        users.some(({ spec, status }) => spec?.nodeName && status?.phase !== 'Succeeded' && status?.phase !== 'Failed')
      )
        return;
      await letGo(claim, claimFinalizer, (patch) =>
        client.patch(kinds.PersistentVolumeClaim, { namespace, name }, patch),
      );
    },
  });
}

/** Lets volumes that are to go be until no claim is bound to them. */
export function volumeProtection(): ControllerDefinition {
  return defineController({
    name: 'pv-protection',
    kind: kinds.PersistentVolume,
    async reconcile(volume, { client, name }) {
      if (volume.metadata.deletionTimestamp === undefined || volume.status?.phase === 'Bound') return;
      await letGo(volume, volumeFinalizer, (patch) => client.patch(kinds.PersistentVolume, { name }, patch));
    },
  });
}

/** The classes that a claim uses, asked for, or is changed to. */
function claimClasses({ spec, status }: PersistentVolumeClaim): string[] {
  return [
    spec?.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ].filter((name): name is string => name !== undefined && name !== '');
}

const volumeClasses = ({ spec }: PersistentVolume): string[] =>
  spec?.volumeAttributesClassName ? [spec.volumeAttributesClassName] : [];

/** Lets VolumeAttributesClasses that are to go be until neither a claim nor a volume uses them. */
export function attributesClassProtection(): ControllerDefinition {
  const claims = mapped(kinds.PersistentVolumeClaim, claimClasses, { indexes: { attributesClass: claimClasses } });
  const volumes = mapped(kinds.PersistentVolume, volumeClasses, { indexes: { attributesClass: volumeClasses } });
  return defineController({
    name: 'vac-protection',
    kind: kinds.VolumeAttributesClass,
    sources: [claims, volumes],
    async reconcile(attributesClass, { cache, client, name }) {
      if (attributesClass.metadata.deletionTimestamp === undefined) return;
      const users = [claims, volumes].map(
        (source) => cache<KubeObject>(source).byIndex('attributesClass', name).length,
      );
      if (users.some((count) => count > 0)) return;
      await letGo(attributesClass, attributesFinalizer, (patch) =>
        client.patch(kinds.VolumeAttributesClass, { name }, patch),
      );
    },
  });
}

async function letGo(
  { metadata }: KubeObject,
  finalizer: string,
  write: (patch: ReturnType<typeof mergePatch>) => Promise<unknown>,
): Promise<void> {
  if (!metadata.finalizers?.includes(finalizer)) return;
  const finalizers = metadata.finalizers.filter((each) => each !== finalizer);
  const { uid, resourceVersion } = metadata;
  await write(mergePatch({ metadata: { uid, resourceVersion, finalizers } })).catch(ignoreNotFound);
}
