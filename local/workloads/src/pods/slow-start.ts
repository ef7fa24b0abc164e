/** How one act of many went. */
export type Attempt = (index: number) => Promise<void>;

/**
 * Does something `count` times: once, then twice at a time, then four times, and stops after a batch in which something
 * failed. So what fails for all alike, such as a quota, is not tried a thousand times.
 *
 * @returns how often it succeeded, and the first failure
 */
export async function slowStart(
  count: number,
  attempt: Attempt,
): Promise<{ readonly succeeded: number; readonly failure?: unknown }> {
  let succeeded = 0;
  for (let size = Math.min(1, count); size > 0; size = Math.min(2 * size, count - succeeded)) {
    const start = succeeded;
    const results = await Promise.allSettled(Array.from({ length: size }, (_, index) => attempt(start + index)));
    succeeded += results.filter(({ status }) => status === 'fulfilled').length;
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) return { succeeded, failure: failed.reason as unknown };
  }
  return { succeeded };
}
