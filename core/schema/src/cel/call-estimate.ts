import type { Range } from './cost-range.ts';
import type { CelType } from './language/type.ts';

/** An argument of a call as far as its size goes. */
export interface Operand {
  readonly type: CelType;
  /** How to get there from a variable: field names, `@items`, `@keys`, `@values`; empty when it was computed. */
  readonly path: readonly string[];
  readonly size: Range | undefined;
  readonly literal?: unknown;
}

/** How large the value at a path can be. */
export type SizeAt = (path: readonly string[]) => Range | undefined;

/** The cost of a call, and the size of its result where that is known. */
export interface CallEstimate {
  readonly cost: Range;
  readonly resultSize?: Range;
}
