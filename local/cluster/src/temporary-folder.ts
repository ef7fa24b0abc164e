import { lstatSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive, ownProcess, type ProcessIdentity } from '@tektite/apiserver';
import { nodeFolders } from './node-folders.ts';

const prefix = 'tektite-';

/** The process that removes a folder. Numbers of processes mean nothing to containers that share only the folder. */
interface Owner extends ProcessIdentity {
  readonly namespace: string;
}

const ownerFile = (folder: string) => join(folder, 'owner.json');

export interface TemporaryFolder {
  readonly path: string;
  /** Removes the folder with everything of its node. */
  remove(): Promise<void>;
}

/**
 * Makes a folder for a cluster that is thrown away. Folders of processes that were killed before they could remove them are
 * removed first.
 */
export async function makeTemporaryFolder(): Promise<TemporaryFolder> {
  await removeAbandonedFolders();
  const path = await createTemporaryFolder();
  writeFileSync(ownerFile(path), JSON.stringify({ ...ownProcess(), namespace: processNamespace() }), { mode: 0o600 });
  return { path, remove: () => removeFolder(path) };
}

/** Makes a folder that no later process removes. */
export async function createTemporaryFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), prefix));
}

async function removeAbandonedFolders(): Promise<void> {
  const folders = list(tmpdir()).filter((name) => name.startsWith(prefix));
  for (const folder of folders.map((name) => join(tmpdir(), name))) {
    const owner = readOwner(folder);
    if (owner === undefined || owner.namespace !== processNamespace() || isAlive(owner)) continue;
    // Another process may remove it at the same time.
    await removeFolder(folder).catch(() => undefined);
  }
}

async function removeFolder(folder: string): Promise<void> {
  // Loaded only now: most clusters of tests have no folder.
  const { removeNodeData, removeTree } = await import('@tektite/node');
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
