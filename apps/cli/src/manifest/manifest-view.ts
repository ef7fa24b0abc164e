import type { ObjectReference, ObjectResult, ProgressEvent } from '@tektite/manifest';

/** The outcome in numbers. */
export interface Outcome {
  /** `created`: 3, `failed`: 1; in the order in which they are printed. */
  readonly counts: ReadonlyMap<string, number>;
  readonly tookMs: number;
  readonly ok: boolean;
  /** The set and its revision, where there is one. */
  readonly set?: { readonly name: string; readonly revision?: number };
}

/** Shows the progress of a manifest. */
export interface ManifestView extends Disposable {
  progress(event: ProgressEvent): void;
  /** How an object that is waited for is doing. */
  waiting(reference: ObjectReference, status: string, message: string): void;
  /** A word about the work itself. */
  note(text: string): void;
  ended(outcome: Outcome): void;
}

/** Objects by what became of them. */
export function countActions(results: readonly Pick<ObjectResult, 'action'>[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { action } of results) counts.set(action, (counts.get(action) ?? 0) + 1);
  return counts;
}
