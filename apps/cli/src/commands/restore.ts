import { existsSync } from 'node:fs';
import { cp, mkdir, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isFolderError, readCopy } from '@tektite/apiserver';
import { UserError } from '../user-error.ts';
import { backedUp, type BackupOptions } from './backup.ts';

/** `tektite restore`: a backup becomes the data folder of a control plane that is started next. Nothing is replaced. */
export async function restore(source: string, { dataDir }: BackupOptions): Promise<void> {
  const folder = resolve(source);
  if (!existsSync(join(folder, backedUp.state)))
    throw new UserError(`${folder} is no backup: it has no ${backedUp.state}`);
  for (const name of Object.values(backedUp))
    if (existsSync(join(dataDir, name)))
      throw new UserError(`--data-dir: ${dataDir} has a control plane; name a new folder, or move this one away`, 2);
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    // The keys first: without objects, a folder is not taken for one of a control plane.
    for (const name of [backedUp.keys, backedUp.state]) {
      const unfinished = join(dataDir, `${name}.unfinished`);
      await rm(unfinished, { recursive: true, force: true });
      await cp(join(folder, name), unfinished, { recursive: true });
      if (name === backedUp.state) reportCopy(unfinished);
      await rename(unfinished, join(dataDir, name));
    }
  } catch (error) {
    throw isFolderError(error) ? new UserError(error.message) : error;
  }
}

function reportCopy(state: string): void {
  const { revision, objects } = readCopy(state);
  process.stdout.write(`restored: ${objects} objects at revision ${revision}; start it with tektite up --data-dir\n`);
}
