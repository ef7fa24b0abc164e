import { requeueAfter, type Result } from '@tektite/controller';

/** The requeue delay where no watch reports progress. */
export const requeueDelayMs = 10_000;

/**
 * How a step went:
 * - `done`: the next one may begin;
 * - `later`: it has to wait for something.
 */
export type Progress = 'done' | 'later';

export const lookLater: Result = requeueAfter(requeueDelayMs);
