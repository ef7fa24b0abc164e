export type RunState = 'waiting' | 'running' | 'succeeded' | 'failed' | 'cancelled' | 'skipped';

/** A run, one of its tasks, or a step, as people see it. */
export interface RunNode {
  /** Different from all others of its tree, and the same whenever the tree is built again. */
  readonly id: string;
  readonly name: string;
  readonly state: RunState;
  /** Why it waits, was skipped or failed. */
  readonly note?: string;
  /** When it began and ended, by its status: in whole seconds. */
  readonly recorded?: Span;
  readonly children: readonly RunNode[];
}

/** When something began and ended, in milliseconds. */
export interface Span {
  readonly began: number;
  readonly ended?: number;
}
