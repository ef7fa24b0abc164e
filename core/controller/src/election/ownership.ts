import { setMaxListeners } from 'node:events';

/** Which keys are this process's to work on, now. */
export interface Ownership {
  /** Whether a key ("namespace/name", or "name" without a namespace) is ours at this moment. */
  owns(key: string): boolean;
  /**
   * Aborted as soon as another process may own the key. For a key of another process: already aborted. An aborted
   * signal stays aborted: when the key is acquired again, request a new one.
   */
  signalFor(key: string): AbortSignal;
  /** Called whenever keys became ours, with a test for which. Not called for what is ours when subscribing. */
  onGained(listener: (owns: (key: string) => boolean) => void): Disposable;
  /**
   * Does a write for a key that is ours. Who gives the key away in peace waits for the answer first; when time runs out
   * instead, the signal that `limit` gives is aborted; ask for it again before each try. Left out by those that never give a
   * key away. `fencedClient` is the way to use it.
   */
  guard?<T>(key: string, write: (limit: () => AbortSignal) => Promise<T>): Promise<T>;
}

const never = new AbortController().signal;
setMaxListeners(0, never);

/** For a process that is alone: every key is its own, always. */
export const everything: Ownership = {
  owns: () => true,
  signalFor: () => never,
  onGained: () => ({ [Symbol.dispose]() {} }),
};
