import { requeueAfter, type Result } from '@tektite/controller';

/** The requeue delay of a component that waits for something that is not watched. */
export const requeueDelayMs = 10_000;

/**
 * The result of a step:
 * - `done`: the next step may start;
 * - `later`: it waits for something.
 */
export type Progress = 'done' | 'later';

export const requeueLater: Result = requeueAfter(requeueDelayMs);
