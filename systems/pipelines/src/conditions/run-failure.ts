/** A terminal error of a run. It becomes the `Succeeded` condition. */
export class RunFailure extends Error {
  override readonly name = 'RunFailure';
  readonly reason: string;
  /** A user error is marked as such in the condition, but not in the Event for operators. */
  readonly isUserError: boolean;

  constructor(reason: string, message: string, options: ErrorOptions & { readonly isUserError?: boolean } = {}) {
    super(message, options);
    this.reason = reason;
    this.isUserError = options.isUserError ?? false;
  }

  /** The message of the condition. */
  get conditionMessage(): string {
    return this.isUserError ? `[User error] ${this.message}` : this.message;
  }
}

/** A terminal error that upstream marks as the user's. */
export function userError(reason: string, message: string): RunFailure {
  return new RunFailure(reason, message, { isUserError: true });
}

/** A run waits for something else, which its condition names. It is requeued after `retryMs`. */
export class RunWaits extends Error {
  override readonly name = 'RunWaits';
  readonly reason: string;
  readonly retryMs: number;
  /** Whether the timeout of the run starts only when the wait ends. */
  readonly stopsClock: boolean;

  constructor(
    reason: string,
    message: string,
    { retryMs = 1000, stopsClock = false }: { readonly retryMs?: number; readonly stopsClock?: boolean } = {},
  ) {
    super(message);
    this.reason = reason;
    this.retryMs = retryMs;
    this.stopsClock = stopsClock;
  }
}
