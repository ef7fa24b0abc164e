import type { DynamicObject } from '@tektite/meta';
import type { ManifestError } from '../manifest-error.ts';
import type { ObjectReference } from '../object-identity.ts';
import type { Origin } from '../origin.ts';

/** The outcome for an object. `stuck`: it is being deleted, and a finalizer holds it. */
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

/** The progress of an apply or a delete. */
export type ProgressEvent =
  | { readonly type: 'step'; readonly name: string; readonly objects: readonly ObjectReference[] }
  | { readonly type: 'object'; readonly result: ObjectResult }
  | { readonly type: 'waiting'; readonly reference: ObjectReference; readonly reason: string };

export interface ApplyReport {
  /** In the order of the manifest. */
  readonly results: readonly ObjectResult[];
  /** Objects that left the set; empty without a set. */
  readonly pruned: readonly ObjectResult[];
  readonly failed: readonly ObjectResult[];
  /** The number of the revision in the history of the set. */
  readonly revision?: number;
}
