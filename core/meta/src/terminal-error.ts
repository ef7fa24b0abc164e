import { defineErrors } from './define-errors.ts';
import { isStatusError } from './status-error.ts';

export const terminalErrors = defineErrors('meta', 'TerminalError', {
  TERMINAL: {
    when: 'an operation failed, and a retry without a change would fail again',
    fix: 'change what the message names; a controller reconciles the object again after a change',
  },
});

/**
 * An error that is not retried, as controller-runtime's `TerminalError`: a reconciler throws it for an invalid spec that admission could
 * not reject, a registry client for an image that does not exist. Loops that retry rethrow it at once.
 */
export class TerminalError extends terminalErrors.Error {
  constructor(message: string, options?: ErrorOptions) {
    super('TERMINAL', message, options);
  }
}

/** Whether `error` is a TerminalError, also one of another installed copy of this package. */
export function isTerminalError(error: unknown): error is TerminalError {
  return terminalErrors.is(error);
}

/**
 * Whether `error` is an answer of the API that the same request may not get again. A Conflict is not transient: it needs a new read of the
 * object first.
 */
export function isTransient(error: unknown): boolean {
  return isStatusError(error) && isTransientStatus(error.code);
}

/** Whether an HTTP status asks for a retry of the same request: the server is overloaded (429) or failed (5xx). */
export function isTransientStatus(status: number): boolean {
  return status === 429 || status >= 500;
}
