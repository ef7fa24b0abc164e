/** Why a run ends, or cannot go on now: becomes its `Succeeded` condition. */
export class RunFailure extends Error {
  override readonly name = 'RunFailure';
  readonly reason: string;

  constructor(reason: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** A mistake of the user's, as Tekton marks it. */
export function userError(reason: string, message: string): RunFailure {
  return new RunFailure(reason, `[User error] ${message}`);
}

/** Something that a run waits for. Its condition says what; it is looked at again soon. */
export class RunWaits extends Error {
  override readonly name = 'RunWaits';
  readonly reason: string;
  readonly retryMs: number;

  constructor(reason: string, message: string, retryMs: number = 1000) {
    super(message);
    this.reason = reason;
    this.retryMs = retryMs;
  }
}
