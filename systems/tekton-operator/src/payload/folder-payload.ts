import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isManifestError, loadManifest, type Manifest } from '@tektite/manifest';
import { PayloadError, type PayloadSource } from './payload-source.ts';
import { isReleaseVersion } from './release-version.ts';

/**
 * Release files in a folder, as upstream's image has them (`KO_DATA_PATH`): `tekton-pipeline/1.15.0/*.yaml`.
 *
 * @example
 * folderPayload('/var/run/ko')
 */
export function folderPayload(root: string): PayloadSource {
  const at = (folder: string) => join(root, ...folder.split('/'));
  return {
    describe: `the folder ${root}`,
    versions: (folder) => versionsIn(at(folder)),
    load: (folder, version) => load(join(at(folder), version)),
    async extra(folder) {
      const path = at(folder);
      return (await isFolder(path)) ? load(path) : undefined;
    },
  };
}

async function versionsIn(path: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(path, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory() && isReleaseVersion(entry.name)).map(({ name }) => name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw new PayloadError(`the payload ${path} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}

async function load(path: string): Promise<Manifest> {
  try {
    return await loadManifest({ kind: 'path', path, recursive: true });
  } catch (error) {
    if (!isManifestError(error)) throw error;
    throw new PayloadError(`the payload ${path} cannot be used: ${error.message}`, { cause: error });
  }
}
