import { goJson } from '@tektite/go';
import { sha256Hex } from '@tektite/manifest';
import { controllerOf, type DynamicObject } from '@tektite/meta';
import type { Difference, InstallMethod } from './install-method.ts';

export interface HashMethodOptions {
  /** Where the hash of what was applied is kept. */
  readonly annotation: string;
  /** Default {@link wholeObjectHash}. */
  readonly hash?: (wanted: DynamicObject) => string;
  /** Whether an object that lost its controller is repaired though its hash is right. Default false. */
  readonly repairOwner?: boolean;
}

/**
 * Method one: an object is written when the hash of what is wanted is not the one it carries. What users change in it stays until
 * the set itself changes.
 */
export function hashMethod(options: HashMethodOptions): InstallMethod {
  const { annotation, repairOwner = false } = options;
  const hash = remembered(options.hash ?? wholeObjectHash);
  return {
    remembersFields: false,
    hash,
    prepare: (wanted) => ({
      ...wanted,
      metadata: { ...wanted.metadata, annotations: { ...wanted.metadata.annotations, [annotation]: hash(wanted) } },
    }),
    compare(prepared, live) {
      if (live.metadata.annotations?.[annotation] !== prepared.metadata.annotations?.[annotation])
        return [{ path: '', why: 'hash' }, ...foreignController(prepared, live)];
      return repairOwner ? ownerDifference(prepared, live) : [];
    },
  };
}

/** As Go prints the whole object: what is hashed has its owners, and not the annotation for the hash. */
export function wholeObjectHash(wanted: DynamicObject): string {
  return sha256Hex(goJson(wanted));
}

/** Without what other installations of the same thing would have different: owners, status, and these annotations. */
export function contentHash(...withoutAnnotations: readonly string[]): (wanted: DynamicObject) => string {
  return (wanted) => {
    const { status: _, ...object } = wanted;
    const { ownerReferences: __, annotations, ...metadata } = wanted.metadata;
    const kept = Object.entries(annotations ?? {}).filter(([key]) => !withoutAnnotations.includes(key));
    const hasAny = kept.length > 0;
    return sha256Hex(
      goJson({ ...object, metadata: hasAny ? { ...metadata, annotations: Object.fromEntries(kept) } : metadata }),
    );
  };
}

/** Nothing when the object has the controller it should have, or should have none. */
export function ownerDifference(prepared: DynamicObject, live: DynamicObject): readonly Difference[] {
  const wanted = controllerOf(prepared)?.uid;
  if (wanted === undefined || controllerOf(live)?.uid === wanted) return [];
  const foreign = foreignController(prepared, live);
  return foreign.length > 0 ? foreign : [{ path: 'metadata.ownerReferences', why: 'owner' }];
}

/** An object has one controller: another one has to go first. */
function foreignController(prepared: DynamicObject, live: DynamicObject): readonly Difference[] {
  const wanted = controllerOf(prepared)?.uid;
  const at = (live.metadata.ownerReferences ?? []).findIndex(({ controller }) => controller === true);
  if (wanted === undefined || at < 0 || live.metadata.ownerReferences?.[at]?.uid === wanted) return [];
  const patch = { op: 'remove', path: `/metadata/ownerReferences/${at}` } as const;
  return [{ path: 'metadata.ownerReferences', why: 'owner', patch }];
}

/** Objects of a set are frozen and hashed in every reconcile; definitions are large. */
function remembered(hash: (wanted: DynamicObject) => string): (wanted: DynamicObject) => string {
  const known = new WeakMap<DynamicObject, string>();
  return (wanted) => {
    const before = known.get(wanted);
    if (before !== undefined) return before;
    const value = hash(wanted);
    known.set(wanted, value);
    return value;
  };
}
