/** Resolves with the first SIGINT or SIGTERM. A second one ends the process at once, as it would by itself. */
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
  void promise.then(ignore);
  return { promise, ignore };
}
