import { RunFailure } from '../conditions/run-failure.ts';

/** More than any object can hold, whatever else is in it. */
const maxCharacters = 16 * 1024 * 1024;

/**
 * The remaining budget of the current work, and the reason of a run that exceeds it. Nothing here is asynchronous, so
 * there is one at a time.
 */
let limit: { left: number; readonly reason: string } | undefined;

/**
 * Does work that puts values into texts, no more of it than fits into an object: a few variables that stand for much, named often,
 * would fill the memory otherwise. Throws a {@link RunFailure} for that reason. Within other such work, what that has left counts.
 */
export function withinLimit<T>(reason: string, work: () => T): T {
  if (limit) return work();
  limit = { left: maxCharacters, reason };
  try {
    return work();
  } finally {
    limit = undefined;
  }
}

/** Charges inserted characters. */
export function spend(characters: number): void {
  if (!limit) return;
  limit.left -= characters;
  if (limit.left < 0)
    throw new RunFailure(limit.reason, '[User error] its variables stand for more text than an object can hold');
}
