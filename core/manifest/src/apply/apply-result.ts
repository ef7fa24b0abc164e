import type { DynamicObject } from '@tektite/meta';
import type { ManifestError } from '../manifest-error.ts';
import type { ObjectReference } from '../object-identity.ts';
import type { Origin } from '../origin.ts';

/** What became of an object. `stuck`: it is being deleted, and something holds it. */
export type ApplyAction =
  | 'deleted'
  | 'absent'
  | 'stuck'
  | 'created'
  | 'configured'
  | 'unchanged'
  | 'recreated'
  | 'skipped'
  | 'failed'
  | 'pruned'
  | 'kept';

export interface ObjectResult {
  readonly reference: ObjectReference;
  readonly action: ApplyAction;
  /** The step it was part of. */
  readonly step: string;
  readonly durationMs: number;
  readonly origin?: Origin;
  /** Why it was skipped, kept or recreated. */
  readonly reason?: string;
  readonly error?: ManifestError;
  /** As the server has it now. */
  readonly object?: DynamicObject;
}

/** What happens while a manifest is applied or deleted, for who shows it. */
export type ProgressEvent =
  | { readonly type: 'step'; readonly name: string; readonly objects: readonly ObjectReference[] }
  | { readonly type: 'object'; readonly result: ObjectResult }
  | { readonly type: 'waiting'; readonly reference: ObjectReference; readonly reason: string };

export interface ApplyReport {
  /** In the order of the manifest. */
  readonly results: readonly ObjectResult[];
  /** What was in the set and is not any more; empty without a set. */
  readonly pruned: readonly ObjectResult[];
  readonly failed: readonly ObjectResult[];
  /** The number of the revision in the history of the set. */
  readonly revision?: number;
}
