import { existsSync } from 'node:fs';
import { cp, mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { copyJournal, isFolderError } from '@tektite/apiserver';
import { UserError } from '../user-error.ts';

export interface BackupOptions {
  readonly dataDir: string;
}

/** Of the data folder: objects, and the keys with which clients and tokens are recognized. */
export const backedUp = { state: 'state', keys: 'pki' } as const;

/**
 * `tektite backup`: copies the objects and keys of a data folder, while a control plane runs on it or not. The copy appears complete or
 * not at all.
 */
export async function backup(target: string, { dataDir }: BackupOptions): Promise<void> {
  const folder = resolve(target);
  const state = join(dataDir, backedUp.state);
  if (!existsSync(state)) throw new UserError(`--data-dir: ${dataDir} has no control plane`);
  if (existsSync(folder)) throw new UserError(`${folder} exists; name a folder that is to be created`, 2);
  const unfinished = `${folder}.unfinished`;
  try {
    await rm(unfinished, { recursive: true, force: true });
    await mkdir(dirname(folder), { recursive: true });
    await mkdir(unfinished, { mode: 0o700 });
    const { revision, objects } = await copyJournal(state, join(unfinished, backedUp.state));
    await cp(join(dataDir, backedUp.keys), join(unfinished, backedUp.keys), { recursive: true });
    await rename(unfinished, folder);
    process.stdout.write(`backup: ${objects} objects at revision ${revision} in ${folder}\n`);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw isFolderError(error) ? new UserError(error.message) : error;
  }
}
