/** What undoes what was begun; the last is done first. */
export type Started = (() => Promise<unknown>)[];

/**
 * Begins parts that do not need each other at the same time: while one waits for a child process, another one works. They are
 * undone in the order in which they stand here, the last first. When one fails, the others are waited for before that is told: what
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
