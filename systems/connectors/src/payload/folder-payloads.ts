import { createHash } from 'node:crypto';
import { lstat, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isManifestError, loadManifest } from '@tektite/manifest';
import { RenderFailure } from '../render-failure.ts';
import type { Payload, PayloadSource } from './payload.ts';

const componentName = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const maxVersionLength = 128;
const maxDepth = 64;

/**
 * Payloads in the folders of a folder, as `kodata/<component>/`, each with a file `VERSION`. Read once, and again when a file of
 * theirs has changed.
 *
 * @example
 * const payloads = folderPayloads('/var/run/ko');
 */
export function folderPayloads(root: string): PayloadSource {
  const known = new Map<string, Payload>();
  return {
    async components() {
      const entries = await readdir(root, { withFileTypes: true }).catch(() => []);
      return entries
        .filter((entry) => entry.isDirectory() && componentName.test(entry.name))
        .map(({ name }) => name)
        .sort();
    },
    async load(component) {
      const folder = join(root, component);
      if (!componentName.test(component) || !(await isFolder(folder))) return undefined;
      const digest = await fingerprint(folder);
      const before = known.get(component);
      if (before?.digest === digest) return before;
      const payload = await read(root, component, digest);
      known.set(component, payload);
      return payload;
    },
  };
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

async function read(root: string, component: string, digest: string): Promise<Payload> {
  const folder = join(root, component);
  try {
    const manifest = await loadManifest({ kind: 'path', path: folder, recursive: true });
    const version = await readVersion(folder);
    return { component, manifest, digest, ...(version ? { version } : {}) };
  } catch (error) {
    if (!isManifestError(error)) throw error;
    // The folder is the operator's business; its users know the component.
    throw new RenderFailure('ParseFailed', error.message.replaceAll(`${root}/`, ''), { cause: error });
  }
}

async function readVersion(folder: string): Promise<string | undefined> {
  const text = await readFile(join(folder, 'VERSION'), 'utf8').catch(() => '');
  return text.trim().slice(0, maxVersionLength) || undefined;
}

/** Built from names, sizes and times: enough to detect a write. */
async function fingerprint(folder: string): Promise<string> {
  const hash = createHash('sha256');
  const walk = async (path: string, depth: number): Promise<void> => {
    if (depth > maxDepth) return;
    for (const name of (await readdir(path)).sort()) {
      const own = join(path, name);
      const found = await lstat(own);
      hash.update(`${own}\0${found.size}\0${found.mtimeMs}\0${found.ino}\n`);
      if (found.isDirectory()) await walk(own, depth + 1);
    }
  };
  await walk(folder, 0);
  return hash.digest('hex');
}
