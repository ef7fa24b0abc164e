import { type Client, kinds } from '@tektite/client';
import { isStatusError } from '@tektite/meta';

/** Where the data of a claim lies on this machine. */
export interface ClaimPath {
  readonly path: string;
  /** The type that the host path must have. */
  readonly type: string;
  readonly readOnly: boolean;
}

/** Finds the folder of a claim that is bound to a volume of this machine. */
export async function claimPath(client: Client, namespace: string, name: string, block: boolean): Promise<ClaimPath> {
  const fail = (why: string): never => {
    throw new Error(`error processing PVC ${namespace}/${name}: ${why}`);
  };
  const claim = await client
    .get(kinds.PersistentVolumeClaim, { namespace, name })
    .catch((error: unknown) =>
      fail(
        isStatusError(error, 'NotFound')
          ? `failed to fetch PVC from API server: persistentvolumeclaims ${JSON.stringify(name)} not found`
          : (error as Error).message,
      ),
    );
  if (claim.metadata.deletionTimestamp) fail('PVC is being deleted');
  const volumeName = claim.spec?.volumeName;
  if (claim.status?.phase !== 'Bound' || !volumeName) return fail('PVC is not bound');
  const volume = await client
    .get(kinds.PersistentVolume, { name: volumeName })
    .catch((error: unknown) => fail((error as Error).message));
  if (block || volume.spec?.volumeMode === 'Block') fail('block volumes are not supported by this node');
  const readOnly =
    (volume.spec?.accessModes ?? []).every((mode) => mode === 'ReadOnlyMany') &&
    (volume.spec?.accessModes ?? []).length > 0;
  const { hostPath, local } = volume.spec ?? {};
  if (hostPath) return { path: hostPath.path, type: hostPath.type ?? '', readOnly };
  if (local) return { path: local.path, type: '', readOnly };
  return fail(`the volume ${volumeName} is of a kind that this node cannot mount; hostPath and local ones can be`);
}
