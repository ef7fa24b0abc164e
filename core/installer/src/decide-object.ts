import type { DynamicObject, KubeObject } from '@tektite/meta';
import type { InstallerDialect, Propagation, Refusal } from './dialect.ts';
import type { Difference, InstallMethod } from './method/install-method.ts';

/** What has to be done about an object. */
export type ObjectAction =
  | { readonly type: 'none' }
  | { readonly type: 'create' }
  | { readonly type: 'change'; readonly differences: readonly Difference[] }
  /** Deleted, and made anew when it is gone. */
  | { readonly type: 'recreate'; readonly propagation: Propagation; readonly reason: string }
  | { readonly type: 'wait' }
  | { readonly type: 'skip' }
  | { readonly type: 'release' }
  | { readonly type: 'refuse'; readonly refusal: Refusal }
  /** It cannot become what is wanted, and may not be made anew. */
  | { readonly type: 'stuck'; readonly reason: string };

export interface ObservedObject {
  readonly self: KubeObject;
  /** As the method prepared it. */
  readonly prepared: DynamicObject;
  readonly live: DynamicObject | undefined;
  readonly now: number;
}

/** What has to be done about one object, from what was seen of it. Pure. */
export function decideObject(
  observed: ObservedObject,
  method: InstallMethod,
  dialect: Pick<InstallerDialect, 'adopt' | 'terminating' | 'recreate' | 'fieldManager'>,
): ObjectAction {
  const { self, prepared, live, now } = observed;
  if (!live) return { type: 'create' };
  if (live.metadata.deletionTimestamp) return { type: dialect.terminating?.(live, self, now) ?? 'wait' };
  const refusal = dialect.adopt?.(live, prepared, self);
  if (refusal) return { type: 'refuse', refusal };
  const differences = method.compare(prepared, live, dialect.fieldManager);
  if (differences.length === 0) return { type: 'none' };
  const fixed = differences.filter(({ why }) => why === 'immutable');
  if (fixed.length === 0) return { type: 'change', differences };
  const reason = `${fixed.map(({ path }) => path).join(', ')}: field is immutable`;
  const propagation = dialect.recreate?.(prepared, live, reason);
  return propagation ? { type: 'recreate', propagation, reason } : { type: 'stuck', reason };
}
