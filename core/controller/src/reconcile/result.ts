import { isTerminalError } from '@tektite/meta';
import { ControllerError } from '../controller-error.ts';

/**
 * The result of a reconcile.
 * - `done`: nothing to do until a change.
 * - `requeueAfter`: as done, but reconcile again after this delay.
 * - `error`: it failed; retry with backoff.
 * - `terminalError`: it failed, and a retry without a change would fail again. It waits for a change.
 *
 * Throwing is the same as `error`, or as `terminalError` for a {@link TerminalError}. Returning nothing is `done`.
 */
export type Result =
  | { readonly type: 'done' }
  | { readonly type: 'requeueAfter'; readonly milliseconds: number }
  | { readonly type: 'error'; readonly error: Error }
  | { readonly type: 'terminalError'; readonly error: Error };

export const done: Result = { type: 'done' };

/** @example if (!ready) return requeueAfter(30_000); */
export function requeueAfter(milliseconds: number): Result {
  return { type: 'requeueAfter', milliseconds };
}

export function failed(error: Error): Result {
  return { type: 'error', error };
}

export function terminallyFailed(error: Error): Result {
  return { type: 'terminalError', error };
}

/** Validates the value that a reconciler returned: it may be written in JavaScript. */
export function readResult(value: unknown): Result {
  if (value === undefined) return done;
  const result = value as Partial<Result> | null;
  switch (typeof result === 'object' ? result?.type : undefined) {
    case 'done':
      return done;
    case 'requeueAfter': {
      const { milliseconds } = result as { milliseconds: unknown };
      if (typeof milliseconds === 'number' && milliseconds >= 0) return requeueAfter(milliseconds);
      return failed(nonsense(`requeueAfter with ${describe(milliseconds)} milliseconds`));
    }
    case 'error':
    case 'terminalError': {
      const { type, error } = result as { type: 'error' | 'terminalError'; error: unknown };
      return { type, error: asError(error) };
    }
    default:
      return failed(nonsense(describe(value)));
  }
}

/** Converts an exception of a reconciler into a result. It may come from another copy of this package. */
export function resultOfThrown(thrown: unknown): Result {
  const error = asError(thrown);
  return isTerminalError(error) ? terminallyFailed(error) : failed(error);
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(`threw ${describe(thrown)}`, { cause: thrown });
}

function nonsense(what: string): ControllerError {
  return new ControllerError(
    'RESULT_INVALID',
    `the reconciler returned ${what}; return nothing, done, requeueAfter(ms), failed(error) or terminallyFailed(error)`,
  );
}

function describe(value: unknown): string {
  if (typeof value === 'function' || typeof value === 'symbol') return `a ${typeof value}`;
  try {
    return (JSON.stringify(value) ?? String(value)).slice(0, 100);
  } catch {
    return Object.prototype.toString.call(value);
  }
}
