/** As long as a cluster waits before it kills a Pod. */
const limitMs = 30_000;

/**
 * Resolves with the first SIGINT or SIGTERM. A second one ends the process at once, as it would by itself; so does a limit of
 * time, in case a part of the process does not start or stop.
 */
export function stopSignal(): { readonly promise: Promise<void>; ignore(): void } {
  let stop = () => {};
  const keepAlive = setInterval(() => {}, 2 ** 30);
  const promise = new Promise<void>((resolve) => {
    stop = resolve;
  });
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  const ignore = () => {
    clearInterval(keepAlive);
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
  };
  void promise.then(() => {
    ignore();
    setTimeout(() => {
      process.stderr.write(
        `tektite: not stopped within ${limitMs / 1000} s of the signal; the process ends as if it were killed\n`,
      );
      process.exit(1);
    }, limitMs).unref();
  });
  return { promise, ignore };
}
