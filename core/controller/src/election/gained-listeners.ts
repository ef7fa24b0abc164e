import type { Ownership } from './ownership.ts';

type Listener = Parameters<Ownership['onGained']>[0];

/** Those who want to know that keys were won. */
export class GainedListeners {
  private readonly listeners = new Set<{ readonly call: Listener }>();

  add(listener: Listener): Disposable {
    const entry = { call: listener };
    this.listeners.add(entry);
    return { [Symbol.dispose]: () => void this.listeners.delete(entry) };
  }

  /** One that throws does not keep the others from hearing it. */
  notify(owns: (key: string) => boolean, onError?: (error: unknown) => void): void {
    for (const { call } of this.listeners) {
      try {
        call(owns);
      } catch (error) {
        onError?.(error);
      }
    }
  }
}
