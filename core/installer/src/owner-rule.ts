import { controllerReference, type DynamicObject, type KubeObject, type OwnerReference } from '@tektite/meta';

/** Who owns an object of a set: a list of owners, or undefined for what the object says itself. */
export type OwnerRule = (object: DynamicObject, self: KubeObject) => readonly OwnerReference[] | undefined;

/** Kinds by who owns their objects; all others are owned by the set. */
export interface OwnerChoices {
  /** The owners of the set: they outlive it. No owner when the set has none. */
  readonly setOwner?: readonly string[];
  /** The owner that the object names. */
  readonly asWritten?: readonly string[];
  /** No owner. */
  readonly none?: readonly string[];
}

/**
 * @example
 * ownedBySet({ setOwner: ['CustomResourceDefinition', 'Namespace'], asWritten: ['ValidatingWebhookConfiguration'] });
 */
export function ownedBySet(choices: OwnerChoices = {}): OwnerRule {
  const { setOwner = [], asWritten = [], none = [] } = choices;
  return ({ kind }, self) => {
    if (none.includes(kind)) return [];
    if (asWritten.includes(kind)) return undefined;
    if (!setOwner.includes(kind)) return [controllerReference(self)];
    const owners = self.metadata.ownerReferences ?? [];
    return owners.length > 0 ? owners : undefined;
  };
}

/** The object with the owners it has to have. */
export function withOwners(object: DynamicObject, rule: OwnerRule, self: KubeObject): DynamicObject {
  const owners = rule(object, self);
  if (owners === undefined) return object;
  const { ownerReferences: _, ...metadata } = object.metadata;
  return { ...object, metadata: owners.length === 0 ? metadata : { ...metadata, ownerReferences: owners } };
}
