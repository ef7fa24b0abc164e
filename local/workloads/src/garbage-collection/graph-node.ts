import type { KubeObject, ObjectMeta, OwnerReference } from '@tektite/meta';

export const foregroundFinalizer = 'foregroundDeletion';
export const orphanFinalizer = 'orphan';

/** The metadata of any object: all that garbage collection reads. */
export type ObjectMetadata = Pick<KubeObject, 'apiVersion' | 'kind' | 'metadata'>;

/** Which object, as far as a reference to it says. */
export interface Identity {
  readonly uid: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string | undefined;
  readonly name: string;
}

/** An object, and who hangs on it. */
export interface GraphNode {
  identity: Identity;
  owners: readonly OwnerReference[];
  readonly dependents: Set<GraphNode>;
  /** Known only because others refer to it. It may not exist. */
  virtual: boolean;
  /** It is to go, but not before the dependents that block it. */
  deletingDependents: boolean;
}

export function identityOf({ apiVersion, kind, metadata }: ObjectMetadata): Identity {
  const { uid = '', namespace, name = '' } = metadata;
  return { uid, apiVersion, kind, namespace, name };
}

export function hasFinalizer({ finalizers }: ObjectMeta, name: string): boolean {
  return finalizers?.includes(name) ?? false;
}

/** Whether deletion was asked for and waits for dependents. */
export function isDeletingDependents({ metadata }: ObjectMetadata): boolean {
  return metadata.deletionTimestamp !== undefined && hasFinalizer(metadata, foregroundFinalizer);
}

/** Whether deletion was asked for and waits until the dependents have forgotten the object. */
export function isOrphaning({ metadata }: ObjectMetadata): boolean {
  return metadata.deletionTimestamp !== undefined && hasFinalizer(metadata, orphanFinalizer);
}

/** The dependents that the object must outlive. */
export function blockingDependents(node: GraphNode): GraphNode[] {
  return [...node.dependents].filter(({ owners }) =>
    owners.some(({ uid, blockOwnerDeletion }) => uid === node.identity.uid && blockOwnerDeletion === true),
  );
}
