import type { DynamicObject, KubeObject } from '@tektite/meta';
import type { InstallerDialect, Propagation, AdoptionDenial } from './dialect.ts';
import type { Difference, InstallMethod } from './method/install-method.ts';

/** The action for an object. */
export type ObjectAction =
  | { readonly type: 'none' }
  | { readonly type: 'create' }
  | { readonly type: 'change'; readonly differences: readonly Difference[] }
  /** Deleted, and recreated when the deletion is complete. */
  | { readonly type: 'recreate'; readonly propagation: Propagation; readonly reason: string }
  | { readonly type: 'wait' }
  | { readonly type: 'skip' }
  | { readonly type: 'release' }
  | { readonly type: 'refuse'; readonly denial: AdoptionDenial }
  /** It cannot reach the desired state, and may not be recreated. */
  | { readonly type: 'stuck'; readonly reason: string };

export interface ObservedObject {
  readonly self: KubeObject;
  /** As the method prepared it. */
  readonly prepared: DynamicObject;
  readonly live: DynamicObject | undefined;
  readonly now: number;
}

/** Decides the action for one object from its observed state. Pure. */
export function decideObject(
  observed: ObservedObject,
  method: InstallMethod,
  dialect: Pick<InstallerDialect, 'adopt' | 'shares' | 'terminating' | 'recreate' | 'fieldManager'>,
): ObjectAction {
  const { self, prepared, live, now } = observed;
  if (!live) return { type: 'create' };
  if (live.metadata.deletionTimestamp) return { type: dialect.terminating?.(live, self, now) ?? 'wait' };
  if (dialect.shares?.(live, prepared, self)) return { type: 'none' };
  const denial = dialect.adopt?.(live, prepared, self);
  if (denial) return { type: 'refuse', denial };
  const differences = method.compare(prepared, live, dialect.fieldManager);
  if (differences.length === 0) return { type: 'none' };
  const fixed = differences.filter(({ why }) => why === 'immutable');
  if (fixed.length === 0) return { type: 'change', differences };
  const reason = `${fixed.map(({ path }) => path).join(', ')}: field is immutable`;
  const propagation = dialect.recreate?.(prepared, live, reason);
  return propagation ? { type: 'recreate', propagation, reason } : { type: 'stuck', reason };
}
