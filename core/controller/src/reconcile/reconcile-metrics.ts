import type { QueueMetrics } from '../queue/queue-metrics.ts';

/** How a reconcile ended, for metrics and logs. */
export type Outcome =
  | 'done'
  | 'requeueAfter'
  | 'error'
  | 'terminalError'
  /** A concurrent write or deletion of the object; it runs again on fresh data. Not an error. */
  | 'conflict'
  /** It took too long and has not returned. */
  | 'timeout'
  /** Stopped, or the object became another process's. */
  | 'aborted';

/** The metrics of controllers. All are called synchronously: they must be quick and not throw. */
export interface ReconcileMetrics {
  /** The queue of a controller. */
  queue?(controller: string): QueueMetrics;
  reconciled?(controller: string, outcome: Outcome, milliseconds: number): void;
  /** How many reconciles run, called when it changes. */
  running?(controller: string, count: number): void;
}
