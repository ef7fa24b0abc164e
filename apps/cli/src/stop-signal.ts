/** As long as a cluster waits before it kills a Pod. */
const limitMs = 30_000;

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Resolves with the first SIGINT, SIGTERM, or SIGHUP of a terminal that was closed. A second one ends the process at
 * once, which is the default of Node; so does a timeout, in case a part of the process does not start or stop.
 */
export function stopSignal(): { readonly promise: Promise<void>; ignore(): void } {
  let stop = () => {};
  const keepAlive = setInterval(() => {}, 2 ** 30);
  const promise = new Promise<void>((resolve) => {
    stop = resolve;
  });
  for (const name of signals) process.once(name, stop);
  const ignore = () => {
    clearInterval(keepAlive);
    for (const name of signals) process.off(name, stop);
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
