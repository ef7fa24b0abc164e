import type { QueueMetrics } from '../queue/queue-metrics.ts';

/** How a reconcile ended, for metrics and logs. */
export type Outcome =
  | 'done'
  | 'requeueAfter'
  | 'error'
  | 'permanentError'
  /** Somebody else wrote or deleted the object first; it runs again on fresh data. Nothing is wrong. */
  | 'conflict'
  /** It took too long and has not returned. */
  | 'timeout'
  /** Stopped, or the object became another process's. */
  | 'aborted';

/** What controllers tell about themselves. All are called in their own course: quick, and without throwing. */
export interface ReconcileMetrics {
  /** The queue of a controller. */
  queue?(controller: string): QueueMetrics;
  reconciled?(controller: string, outcome: Outcome, milliseconds: number): void;
  /** How many reconciles run, called when it changes. */
  running?(controller: string, count: number): void;
}
