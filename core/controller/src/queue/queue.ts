import type { Cause, MergedCauses } from './causes.ts';
import type { Lane } from './fair-lanes.ts';

export interface AddOptions {
  /** Default `fresh`. */
  readonly lane?: Lane;
  readonly cause?: Cause;
  /** Causes that were merged before, such as those of an item that is to be tried again. */
  readonly causes?: MergedCauses;
}

/** A key to work on, with all the reasons. Whoever took it has to call `done`. */
export interface WorkItem extends MergedCauses {
  readonly key: string;
}

/**
 * What every layer of queue does.
 *
 * For a key k let added(k) be an add of k before `shutdown` or `drain`, taken(k) a `get` that answered k, and done(k) the
 * `done` that follows it.
 *
 * Guarantees
 * - Nothing is lost: after every added(k) comes a taken(k), if somebody keeps taking and calls `done`.
 * - Nothing is repeated: adds of k between two taken(k) become one. The item has the causes of all adds since the taken(k)
 *   before it.
 * - One at a time: between taken(k) and done(k) nobody else is given k. An add meanwhile makes k wait from done(k) on.
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
  /** The work on a key is over, well or badly. Nothing happens for keys that nobody works on. */
  done(key: string): void;
  /** Keys that wait to be taken. */
  readonly size: number;
  /** Adds are ignored from now on; what waits is dropped; whoever waits for a key gets undefined. Work goes on. */
  shutdown(): void;
  /**
   * Adds are ignored from now on, but what waits is still given out, also keys that were added while they were worked on.
   * Resolves when all of it is done; whoever waits for a key then gets undefined. When the signal is aborted first, the
   * queue shuts down as by `shutdown`, and this rejects with the signal's reason.
   */
  drain(signal?: AbortSignal): Promise<void>;
  readonly isShutDown: boolean;
}
