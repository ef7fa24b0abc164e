import type { Fault } from '../faults/fault.ts';
import type { History } from '../history/history.ts';
import type { FinalState } from '../oracles/final-state.ts';

/** The promise that a run broke. */
export interface Failure {
  /** The oracle that found it: `check`, `rest`, `final state`, `real world`, or the name of a rule. */
  readonly oracle: string;
  readonly message: string;
  /** When, in milliseconds since the start of the run. */
  readonly at: number;
  readonly cause?: unknown;
}

/** The outcome of one run. */
export interface SimulationReport {
  readonly seed: number;
  /** Absent: all went well. */
  readonly failure?: Failure;
  /** The writes of the components on which faults strike, in order for each of them. */
  readonly writes: readonly string[];
  /** The faults, one line each. */
  readonly faults: readonly string[];
  /** The same, to run again with some of them. */
  readonly struck: readonly Fault[];
  /** How often each component came to each point where a fault can strike. */
  readonly visits: ReadonlyMap<string, number>;
  readonly crashes: number;
  readonly history: History;
  /** Features of the run: transitions of conditions, causes of reconciles, faults and where they struck. */
  readonly coverage: ReadonlySet<string>;
  /** Absent when the run failed before its end. */
  readonly state?: FinalState;
}
