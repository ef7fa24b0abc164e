interface Waiting {
  readonly condition: () => boolean;
  resolve(): void;
  reject(reason: Error): void;
}

/** Waiters for conditions. Code that changes the state has to call `check`. */
export class WaitList {
  private readonly list = new Set<Waiting>();
  private closedBy: Error | undefined;

  /** Resolves when the condition holds, at once if it does. Rejects with the signal's reason, or when the list is closed. */
  until(condition: () => boolean, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const reason = signal?.aborted ? (signal.reason as Error) : this.closedBy;
      if (reason) {
        reject(reason);
        return;
      }
      if (condition()) {
        resolve();
        return;
      }
      const leave = () => {
        this.list.delete(entry);
        signal?.removeEventListener('abort', abort);
      };
      const abort = () => entry.reject(signal?.reason as Error);
      const entry: Waiting = {
        condition,
        resolve: () => {
          leave();
          resolve();
        },
        reject: (reason) => {
          leave();
          reject(reason);
        },
      };
      this.list.add(entry);
      signal?.addEventListener('abort', abort, { once: true });
    });
  }

  check(): void {
    for (const entry of this.list) if (entry.condition()) entry.resolve();
  }

  close(reason: Error): void {
    this.closedBy ??= reason;
    for (const entry of this.list) entry.reject(reason);
  }
}
