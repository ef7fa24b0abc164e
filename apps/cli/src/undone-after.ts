/** Undoes what was started; the last is undone first. */
export type Started = (() => Promise<unknown>)[];

/** Undoes what `work` started when it ends. Its own failure is the one that is reported, not one of the clean-up that follows. */
export async function undoneAfter<T>(work: (started: Started) => Promise<T>): Promise<T> {
  const started: Started = [];
  let result: T;
  try {
    result = await work(started);
  } catch (error) {
    await undoAll(started).catch(() => undefined);
    throw error;
  }
  await undoAll(started);
  return result;
}

/** Undoes everything, even when a part fails to stop. Rejects with the first failure. */
async function undoAll(started: Started): Promise<void> {
  const failures: unknown[] = [];
  for (let undo = started.pop(); undo; undo = started.pop())
    await undo().catch((error: unknown) => void failures.push(error));
  if (failures.length > 0) throw failures[0];
}
