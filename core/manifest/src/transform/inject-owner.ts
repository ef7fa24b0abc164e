import { controllerReference, type KubeObject, type OwnerReference } from '@tektite/meta';
import type { Transform } from '../manifest.ts';
import { knownScopes, type Scopes } from '../scopes.ts';

export interface InjectOwnerOptions {
  readonly owner: KubeObject;
  /** Kinds that get no owner. */
  readonly exclude?: readonly string[];
  /** Default `replace`: the owner is the only one. */
  readonly mode?: 'replace' | 'append';
  /** How to treat objects that this owner cannot have. Default `skip`. */
  readonly violations?: 'skip' | 'refuse' | 'allow';
  readonly scopes?: Scopes;
}

/**
 * Makes `owner` the controller of objects. An owner in a namespace can own what is in the same namespace, and nothing else: the
 * garbage collector would delete the rest at once.
 */
export function injectOwner(options: InjectOwnerOptions): Transform {
  const { owner, exclude = [], mode = 'replace', violations = 'skip', scopes = knownScopes() } = options;
  const reference = controllerReference(owner);
  const { namespace } = owner.metadata;
  return function injectOwner(draft) {
    if (exclude.includes(draft.kind)) return;
    const clusterScoped = scopes.of(draft) === 'Cluster';
    if (namespace && violations !== 'allow' && (clusterScoped || draft.metadata.namespace !== namespace)) {
      if (violations === 'skip') return;
      const where = clusterScoped ? 'in no namespace' : `in the namespace ${draft.metadata.namespace ?? '(none)'}`;
      throw new Error(`the owner ${owner.kind} ${namespace}/${owner.metadata.name} cannot own what is ${where}`);
    }
    draft.metadata.ownerReferences =
      mode === 'replace' ? [reference] : appended(draft.metadata.ownerReferences, reference);
  };
}

function appended(before: readonly OwnerReference[] | undefined, reference: OwnerReference): OwnerReference[] {
  // An object has one controller; who was it before stays an owner.
  const others = (before ?? []).filter(({ uid }) => uid !== reference.uid);
  return [...others.map((other) => ({ ...other, controller: false })), reference];
}
