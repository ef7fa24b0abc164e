import { setMaxListeners } from 'node:events';

export type Reject = (reason: Error) => void;

/** The waiters of a signal. A separate listener for each would cost more than all the rest here. */
const waitingForSignal = new WeakMap<AbortSignal, Set<Reject>>();

export function waitingFor(signal: AbortSignal): Set<Reject> {
  let waiting = waitingForSignal.get(signal);
  if (!waiting) {
    const all: Set<Reject> = (waiting = new Set());
    waitingForSignal.set(signal, all);
    const abort = () => {
      for (const reject of all) reject(signal.reason as Error);
    };
    signal.addEventListener('abort', abort, { once: true });
  }
  return waiting;
}

export type Signals = readonly (AbortSignal | undefined)[];

/** The result, or the reason of the signal that is aborted first. */
export function abortable<T>(work: Promise<T>, signals: Signals): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = onAbort(signals, reject);
    work.then(resolve, reject).finally(stop);
  });
}

/** Acts when the first of them is aborted, until the function that it gives back is called. */
export function onAbort(signals: Signals, action: (reason: Error) => void): () => void {
  const listeners = signals.flatMap((signal) => {
    if (!signal) return [];
    const listener = () => action(signal.reason as Error);
    // One signal may end hundreds of requests; that is no leak to warn about.
    setMaxListeners(0, signal);
    signal.addEventListener('abort', listener, { once: true });
    // It may have been aborted between two steps, without a listener.
    if (signal.aborted) queueMicrotask(listener);
    return [() => signal.removeEventListener('abort', listener)];
  });
  return () => {
    for (const remove of listeners) remove();
  };
}
