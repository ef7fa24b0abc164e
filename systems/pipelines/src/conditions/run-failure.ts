/** Why a run ends: becomes its `Succeeded` condition. */
export class RunFailure extends Error {
  override readonly name = 'RunFailure';
  readonly reason: string;
  /** Whether it is a mistake of the user's, which the condition marks, and the event for operators does not. */
  readonly isUserError: boolean;

  constructor(reason: string, message: string, options: ErrorOptions & { readonly isUserError?: boolean } = {}) {
    super(message, options);
    this.reason = reason;
    this.isUserError = options.isUserError ?? false;
  }

  /** As the condition says it. */
  get told(): string {
    return this.isUserError ? `[User error] ${this.message}` : this.message;
  }
}

/** A mistake of the user's, as Tekton marks it. */
export function userError(reason: string, message: string): RunFailure {
  return new RunFailure(reason, message, { isUserError: true });
}

/** Something that a run waits for. Its condition says what; it is looked at again soon. */
export class RunWaits extends Error {
  override readonly name = 'RunWaits';
  readonly reason: string;
  readonly retryMs: number;
  /** Whether the time of the run begins only when it need not wait any more. */
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
