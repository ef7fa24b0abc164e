import { type Client, kinds, mergePatch } from '@tektite/client';
import { type ControllerDefinition, defineController, mapped } from '@tektite/controller';
import { isStatusError } from '@tektite/meta';
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '@tektite/schema/kubernetes';
import type { RecordEvent } from '../component-events.ts';
import { bind } from './bind.ts';
import { type ClaimStep, nextClaimStep, nothingFits } from './decide-claim.ts';
import { folderVolume } from './folder-volume.ts';
import { provisioner, type StorageOptions } from './storage-options.ts';

const noFolder = {
  reason: 'ExternalProvisioning',
  message: `No folder for volumes is configured for '${provisioner}'`,
};

/** Finds, or makes, a volume for each claim. Without `storage` volumes are only found. */
export function claimController(record: RecordEvent, storage: StorageOptions | undefined): ControllerDefinition {
  // A volume that comes or becomes free may be what any claim waits for.
  const volumes = mapped(kinds.PersistentVolume, ({ spec }, own) =>
    spec?.claimRef ? [`${spec.claimRef.namespace}/${spec.claimRef.name}`] : own.keys(),
  );
  const classes = mapped(kinds.StorageClass, (_, own) => own.keys());
  return defineController({
    name: 'persistent-volume-claim',
    kind: kinds.PersistentVolumeClaim,
    sources: [volumes, classes],
    concurrency: 1,
    async reconcile(claim, { cache, client }) {
      const step = nextClaimStep(
        claim,
        { get: (name) => cache(volumes).get(name), all: () => cache(volumes).list() },
        (name) => cache(classes).get(name),
      );
      await act(client, claim, step, record, storage);
    },
  });
}

async function act(
  client: Client,
  claim: PersistentVolumeClaim,
  step: ClaimStep,
  record: RecordEvent,
  storage: StorageOptions | undefined,
): Promise<void> {
  const { namespace = '', name = '' } = claim.metadata;
  switch (step.type) {
    case 'rest':
      return;
    case 'wait':
      if (step.event) record(claim, step.event);
      return;
    case 'delegate':
      await nameProvisioner(client, claim, step.provisioner);
      record(claim, step.event);
      return;
    case 'bind':
      await bind(client, step.volume, claim);
      return;
    case 'lost':
      if (claim.status?.phase === 'Lost') return;
      await client.patchStatus(
        kinds.PersistentVolumeClaim,
        { namespace, name },
        mergePatch({ status: { phase: 'Lost' } }),
      );
      record(claim, step.event);
      return;
    case 'provision': {
      const { storageClass } = step;
      if (!storage) return record(claim, storageClass ? noFolder : nothingFits);
      const named = storageClass ? await nameProvisioner(client, claim, provisioner) : claim;
      await bind(client, await provision(client, named, storageClass, storage, record), named);
    }
  }
}

async function nameProvisioner(
  client: Client,
  claim: PersistentVolumeClaim,
  by: string,
): Promise<PersistentVolumeClaim> {
  const { namespace = '', name = '', annotations = {}, resourceVersion } = claim.metadata;
  const wanted = {
    'volume.beta.kubernetes.io/storage-provisioner': by,
    'volume.kubernetes.io/storage-provisioner': by,
  };
  if (Object.entries(wanted).every(([key, value]) => annotations[key] === value)) return claim;
  const patch = mergePatch({ metadata: { resourceVersion, annotations: wanted } });
  return client.patch(kinds.PersistentVolumeClaim, { namespace, name }, patch);
}

async function provision(
  client: Client,
  claim: PersistentVolumeClaim,
  storageClass: StorageClass | undefined,
  storage: StorageOptions,
  record: RecordEvent,
): Promise<PersistentVolume> {
  const wanted = folderVolume(claim, storageClass, storage);
  const { name = '' } = wanted.metadata;
  await storage.createFolder?.(wanted.spec?.hostPath?.path ?? '');
  try {
    const volume = await client.create(kinds.PersistentVolume, wanted);
    record(claim, { reason: 'ProvisioningSucceeded', message: `Successfully provisioned volume ${name}` });
    return volume;
  } catch (error) {
    // Made before a crash: the name has the claim's uid in it.
    if (isStatusError(error, 'AlreadyExists')) return client.get(kinds.PersistentVolume, { name });
    throw error;
  }
}
