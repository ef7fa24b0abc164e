import { UserError } from '../user-error.ts';

/** What is to be run cannot be understood: exit code 2, so that a script can tell it from a run that failed. */
export function badInput(message: string): UserError {
  return new UserError(message, 2);
}
