import { writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { createFolder } from '@tektite/client';
import { explainFileError, UserError } from '../user-error.ts';

/** Writes files into a folder and prints their names. Without `overwrite`, an existing file is an error. */
export async function writeFiles(
  folder: string,
  files: ReadonlyMap<string, string>,
  options: { readonly overwrite?: boolean; readonly option: string },
): Promise<void> {
  try {
    for (const [path, text] of files) {
      const file = join(folder, path);
      createFolder(dirname(file));
      await writeFile(file, text, { flag: options.overwrite ? 'w' : 'wx' });
    }
  } catch (error) {
    const sentence = explainFileError(error, folder);
    throw sentence === undefined ? error : new UserError(`${options.option}: ${sentence}`);
  }
  const here = relative(process.cwd(), folder) || '.';
  process.stdout.write([...files.keys()].map((path) => `${join(here, path)}\n`).join(''));
}
