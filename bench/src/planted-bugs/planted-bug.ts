import type { ScenarioName } from './scenarios.ts';

/** The classes of bugs that are reported of controllers, by Sieve, Acto and the bug trackers of Kubernetes and Tekton. */
export type BugClass =
  /** A crash between two writes leaves a state that the next reconcile does not handle. */
  | 'intermediate state'
  /** A decision is made on a cache that is behind. */
  | 'stale state'
  /** A change is never observed, so nothing follows from it. */
  | 'unobserved state'
  | 'missed rollback'
  | 'wrong deletion'
  | 'lost update'
  | 'hot loop'
  | 'unbounded growth';

/** A bug that is planted into a controller that ships: one text of its source is replaced by another. */
export interface PlantedBug {
  /** The error of the controller, as a sentence. */
  readonly title: string;
  readonly class: BugClass;
  /** The path from the root of the repository. */
  readonly file: string;
  /** Is in the file exactly once. */
  readonly find: string;
  readonly replace: string;
  readonly scenario: ScenarioName;
}
