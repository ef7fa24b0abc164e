import type { Lane } from './fair-lanes.ts';

/** The state of a queue, for gauges that are read now and then. */
export interface QueueGauges {
  /** Keys that wait to be taken. */
  readonly depth: number;
  /** Keys that are being worked on. */
  readonly processing: number;
  /** How long the slowest of these takes so far; 0 without any. A worker that hangs shows here and nowhere else. */
  readonly longestRunningMs: number;
  /** The sum of that over all of them. */
  readonly unfinishedMs: number;
}

/**
 * The metrics of a queue. The names follow upstream's `workqueue_*` metrics. All are called synchronously, so they have
 * to be quick and must not throw.
 */
export interface QueueMetrics {
  /** An add that was not swallowed by one that waits already (`workqueue_adds_total`). */
  added?(lane: Lane): void;
  /** A key was taken that had waited so long (`workqueue_queue_duration_seconds`). */
  waited?(milliseconds: number): void;
  /** Work on a key ended after so long (`workqueue_work_duration_seconds`). */
  worked?(milliseconds: number): void;
  /** A key was put off by the rate limiter (`workqueue_retries_total`). */
  retried?(): void;
  /** Called once, with what to read for depth, `unfinished_work` and `longest_running_processor`. */
  observe?(gauges: () => QueueGauges): void;
}
