import type { KubeObject, OwnerReference } from './object.ts';

/** The fields of an owner that a reference needs. */
export type Owner = Pick<KubeObject, 'apiVersion' | 'kind' | 'metadata'>;

/**
 * A reference to `owner` as the controller of the object that carries it: the garbage collector deletes the one after
 * the other, and no other controller adopts it.
 */
export function controllerReference(owner: Owner): OwnerReference {
  return { ...ownerReference(owner), controller: true, blockOwnerDeletion: true };
}

/** A plain reference to `owner`: deletion follows, control does not. */
export function ownerReference(owner: Owner): OwnerReference {
  return {
    apiVersion: owner.apiVersion,
    kind: owner.kind,
    name: owner.metadata.name ?? '',
    uid: owner.metadata.uid ?? '',
  };
}

/** The owner that controls the object, if it has one. */
export function controllerOf(object: Pick<KubeObject, 'metadata'>): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((reference) => reference.controller === true);
}

/** Whether `owner` is among the owners of the object; a uid says who it is, names may be reused. */
export function hasOwner(object: Pick<KubeObject, 'metadata'>, owner: Owner): boolean {
  const uid = owner.metadata.uid;
  return uid !== undefined && (object.metadata.ownerReferences?.some((reference) => reference.uid === uid) ?? false);
}

/** Whether `owner` controls the object. */
export function isControlledBy(object: Pick<KubeObject, 'metadata'>, owner: Owner): boolean {
  const uid = owner.metadata.uid;
  return uid !== undefined && controllerOf(object)?.uid === uid;
}
