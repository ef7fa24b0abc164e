import { readFile } from 'node:fs/promises';
import { explainFileError, UserError } from './user-error.ts';

/** The text of a file that an option names. */
export async function readKeyFile(option: string, file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new UserError(`${option}: ${explainFileError(error, file) ?? (error as Error).message}`);
  }
}
