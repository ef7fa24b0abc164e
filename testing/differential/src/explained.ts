import type { OperationDifference } from './run-sequence.ts';

/** A difference that is known, and stays. */
interface Explanation {
  /** Why it is rightly there; docs/fidelity.md says the same. */
  readonly reason: string;
  readonly matches: (difference: OperationDifference) => boolean;
}

const explanations: readonly Explanation[] = [];

export function isExplained(difference: OperationDifference): boolean {
  return explanations.some(({ matches }) => matches(difference));
}
