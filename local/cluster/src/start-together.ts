/** Undoes what was started; the last is undone first. */
export type Started = (() => Promise<unknown>)[];

/**
 * Starts parts that do not need each other at the same time: while one waits for a child process, another one works. They are
 * undone in the order in which they stand here, the last first. When one fails, the others are waited for before that is reported: what
 * is undone has to be known.
 */
export async function startTogether(
  started: Started,
  parts: readonly ((started: Started) => Promise<unknown>)[],
): Promise<void> {
  const own = parts.map((): Started => []);
  const ends = await Promise.allSettled(parts.map((start, index) => start(own[index] as Started)));
  started.push(...own.flat());
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed) throw failed.reason;
}

/** Undoes everything, even when a part fails to stop. Rejects with the first failure. */
export async function undoAll(started: Started): Promise<void> {
  const failures: unknown[] = [];
  for (let undo = started.pop(); undo; undo = started.pop())
    await undo().catch((error: unknown) => void failures.push(error));
  if (failures.length > 0) throw failures[0];
}
