import type { History } from '../history/history.ts';

/** A broken promise, and when it was broken. */
export interface Violation {
  /** Milliseconds since the start of the run. */
  readonly at: number;
  readonly message: string;
}

/**
 * A promise that must hold at every moment of a run, as a function over its history.
 *
 * @example
 * const neverTwoPods: Rule = {
 *   name: 'one Pod for each attempt',
 *   check: ({ changes }) => changes.filter(…).map(({ at, object }) => ({ at, message: `${object.metadata.name} is the second` })),
 * };
 */
export interface Rule {
  readonly name: string;
  check(history: History): readonly Violation[];
}
