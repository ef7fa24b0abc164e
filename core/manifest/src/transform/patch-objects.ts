import { parseApiVersion } from '@tektite/meta';
import { applyJsonPatch, applyMergePatch, applyStrategicMergePatch } from '@tektite/schema/patch';
import { findBuiltinKind } from '@tektite/schema/kubernetes';
import type { DraftObject, Predicate, Transform } from '../manifest.ts';

/** A change to objects, in one of the forms that kubectl patch knows. */
export type ObjectPatch =
  | { readonly type: 'strategic' | 'merge'; readonly patch: object }
  | { readonly type: 'json'; readonly patch: readonly object[] };

/** Patches the objects that are meant. Kinds without merge keys take a strategic patch as a merge patch. */
export function patchObjects(target: Predicate, { type, patch }: ObjectPatch): Transform {
  return function patchObjects(draft, origin) {
    if (!target(draft, origin)) return;
    return patched(draft, type, patch);
  };
}

/** Sets `spec.replicas` of the workloads that are meant. */
export function setReplicas(target: Predicate, replicas: number): Transform {
  return function setReplicas(draft, origin) {
    if (!target(draft, origin)) return;
    return applyMergePatch(draft, { spec: { replicas } }) as DraftObject;
  };
}

function patched(draft: DraftObject, type: ObjectPatch['type'], patch: object): DraftObject {
  try {
    if (type === 'json') return applyJsonPatch(draft, patch) as DraftObject;
    const { group, version } = parseApiVersion(draft.apiVersion) ?? { group: '', version: '' };
    const builtin = type === 'strategic' ? findBuiltinKind(group, version, draft.kind) : undefined;
    if (!builtin) return applyMergePatch(draft, patch) as DraftObject;
    return applyStrategicMergePatch(builtin.schema, draft, patch) as DraftObject;
  } catch (error) {
    const { message, cause } = error as Error;
    throw new Error(cause instanceof Error ? `${message}: ${cause.message}` : message, { cause: error });
  }
}
