import { lstatSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive, ownProcess, type ProcessIdentity } from '@tektite/apiserver';
import { removeNodeData, removeTree } from '@tektite/node';
import { nodeFolders } from './cluster/node-folders.ts';
import type { Started } from './start-together.ts';
import { explainFileError, UserError } from './user-error.ts';

const prefix = 'tektite-';

/** The process that removes a folder. Numbers of processes mean nothing to containers that share only the folder. */
interface Owner extends ProcessIdentity {
  readonly namespace: string;
}

const ownerFile = (folder: string) => join(folder, 'owner.json');

/**
 * A folder for a control plane that is thrown away, removed with everything of its node when what was `started` is undone. Those
 * of processes that were killed before they could do that are removed first.
 */
export async function makeTemporaryFolder(started: Started): Promise<string> {
  await removeAbandonedFolders();
  const folder = await createTemporaryFolder();
  started.push(() => removePlane(folder));
  writeFileSync(ownerFile(folder), JSON.stringify({ ...ownProcess(), namespace: processNamespace() }), { mode: 0o600 });
  return folder;
}

/** A folder that no later process removes. */
export async function createTemporaryFolder(): Promise<string> {
  try {
    return await mkdtemp(join(tmpdir(), prefix));
  } catch (error) {
    const reason = explainFileError(error, tmpdir())?.replace(/^.*: /s, '');
    if (reason === undefined) throw error;
    throw new UserError(
      `no temporary folder can be made in ${tmpdir()}: ${reason}; set TMPDIR to a folder that can be written`,
    );
  }
}

async function removeAbandonedFolders(): Promise<void> {
  const folders = list(tmpdir()).filter((name) => name.startsWith(prefix));
  for (const folder of folders.map((name) => join(tmpdir(), name))) {
    const owner = readOwner(folder);
    if (owner === undefined || owner.namespace !== processNamespace() || isAlive(owner)) continue;
    // Another process may remove it at the same time.
    await removePlane(folder).catch(() => undefined);
  }
}

async function removePlane(folder: string): Promise<void> {
  const { dataDir, runtime } = nodeFolders(folder);
  await removeNodeData(dataDir, runtime);
  await removeTree(folder);
}

function list(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function readOwner(folder: string): Owner | undefined {
  try {
    // Everyone may create folders and links there: only one that is closed to others is ours.
    const stat = lstatSync(folder);
    if (!stat.isDirectory() || stat.uid !== process.getuid?.() || (stat.mode & 0o077) !== 0) return undefined;
    const owner = JSON.parse(readFileSync(ownerFile(folder), 'utf8')) as Partial<Owner>;
    const { pid, started = '', namespace = '' } = owner;
    return typeof pid === 'number' ? { pid, started, namespace } : undefined;
  } catch {
    return undefined;
  }
}

function processNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}
