import type { ObjectReference } from '@tektite/manifest';

/**
 * Why a phase did not succeed:
 * - `error`: the API returned an error, or was unreachable;
 * - `waiting`: an object is being deleted, or another client writes it: transient;
 * - `refused`: the object belongs to another owner;
 * - `immutable`: a field cannot be changed, and the object may not be recreated;
 * - `notReady`: it is not ready yet;
 * - `broken`: it will not become ready without an intervention.
 */
export type FailureCause = 'error' | 'waiting' | 'refused' | 'immutable' | 'notReady' | 'broken';

/** The first thing in a phase that did not go well. */
export interface PhaseFailure {
  readonly cause: FailureCause;
  readonly object: ObjectReference;
  /** The reason, from a check or a denial. */
  readonly reason?: string;
  /** Without the name of the object, unless that is a check's own text. */
  readonly message: string;
  readonly error?: Error;
}
