import type { ObjectReference } from '@tektite/manifest';

/**
 * Why a phase did not succeed:
 * - `error`: the API refused, or could not be asked;
 * - `waiting`: something is being deleted, or others write the same object: it will pass;
 * - `refused`: the object belongs to somebody else;
 * - `immutable`: a field cannot be changed, and the object may not be made anew;
 * - `notReady`: it is not ready yet;
 * - `broken`: it will not become ready by itself.
 */
export type FailureCause = 'error' | 'waiting' | 'refused' | 'immutable' | 'notReady' | 'broken';

/** The first thing in a phase that did not go well. */
export interface PhaseFailure {
  readonly cause: FailureCause;
  readonly object: ObjectReference;
  /** A word for it, from a check or a refusal. */
  readonly reason?: string;
  /** Without the name of the object, unless that is a check's own text. */
  readonly message: string;
  readonly error?: Error;
}
