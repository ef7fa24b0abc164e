import { tmpdir } from 'node:os';
import { createTemporaryFolder, makeTemporaryFolder, type TemporaryFolder } from '@tektite/cluster';
import { explainFileError, UserError } from './user-error.ts';

/** A folder for a cluster that is thrown away. */
export function openTemporaryFolder(): Promise<TemporaryFolder> {
  return explained(makeTemporaryFolder());
}

/** A temporary folder that stays. */
export function openKeptFolder(): Promise<string> {
  return explained(createTemporaryFolder());
}

async function explained<T>(folder: Promise<T>): Promise<T> {
  try {
    return await folder;
  } catch (error) {
    const reason = explainFileError(error, tmpdir())?.replace(/^.*: /s, '');
    if (reason === undefined) throw error;
    throw new UserError(
      `no temporary folder can be made in ${tmpdir()}: ${reason}; set TMPDIR to a folder that can be written`,
    );
  }
}
