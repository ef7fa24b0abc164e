import { UserError } from '../user-error.ts';

/** An error of usage or in a file: exit code 2, which scripts distinguish from a run that failed. */
export function badInput(message: string): UserError {
  return new UserError(message, 2);
}
