import type { Cause, MergedCauses } from './causes.ts';
import type { Lane } from './fair-lanes.ts';

export interface AddOptions {
  /** Default `fresh`. */
  readonly lane?: Lane;
  readonly cause?: Cause;
  /** Causes that were merged before, such as those of an item that is to be tried again. */
  readonly causes?: MergedCauses;
}

/** A key to reconcile, with all its causes. The caller of `get` has to call `done`. */
export interface WorkItem extends MergedCauses {
  readonly key: string;
}

/**
 * The contract of every layer of the queue.
 *
 * For a key k let added(k) be an add of k before `shutdown` or `drain`, taken(k) a `get` that answered k, and done(k)
 * the `done` that follows it.
 *
 * Guarantees
 * - Nothing is lost: after every added(k) comes a taken(k), if a worker keeps taking and calls `done`.
 * - Nothing is repeated: adds of k between two taken(k) become one. The item has the causes of all adds since the
 *   taken(k) before it.
 * - One at a time: between taken(k) and done(k) no other worker is given k. An add meanwhile makes k wait from done(k)
 *   on.
 * - A `get` that is aborted takes nothing.
 *
 * Assumption: `done` is called once for each item, also after a failure.
 *
 * Not guaranteed: an order between different keys beyond what `FairLanes` says.
 */
export interface Queue {
  add(key: string, options?: AddOptions): void;
  /** The next key, as soon as there is one; undefined when the queue is shut down. Rejects with the signal's reason. */
  get(signal?: AbortSignal): Promise<WorkItem | undefined>;
  /** The reconcile of a key has ended, with or without an error. Does nothing for other keys. */
  done(key: string): void;
  /** Keys that wait to be taken. */
  readonly size: number;
  /** Ignores adds from now on; waiting keys are dropped; pending `get` calls return undefined. Running work goes on. */
  shutdown(): void;
  /**
   * Ignores adds from now on, but waiting keys are still handed out, also keys that were added while they were
   * processed. Resolves when all of it is done; pending `get` calls then return undefined. When the signal is aborted
   * first, the queue shuts down as by `shutdown`, and this rejects with the signal's reason.
   */
  drain(signal?: AbortSignal): Promise<void>;
  readonly isShutDown: boolean;
}
