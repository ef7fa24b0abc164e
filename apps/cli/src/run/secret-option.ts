import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { KubeObject } from '@tektite/meta';
import { explainFileError } from '../user-error.ts';
import { badInput } from '../input/bad-input.ts';

/** The Secrets of `--secret NAME=FILE` and `--secret NAME/KEY=FILE`. Of a folder, each file is a key. One name may come several times. */
export async function readSecrets(words: readonly string[]): Promise<readonly KubeObject[]> {
  const secrets = new Map<string, Record<string, string>>();
  for (const word of words) {
    const [, name, key, file] = /^([^=/]+)(?:\/([^=]+))?=(.+)$/s.exec(word) ?? [];
    if (!name || !file) throw badInput(`--secret ${word}: this is no NAME=FILE, NAME/KEY=FILE or NAME=FOLDER`);
    secrets.set(name, { ...secrets.get(name), ...(await readKeys(name, key, file)) });
  }
  return [...secrets].map(
    ([name, data]) => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name }, data }) as KubeObject,
  );
}

async function readKeys(name: string, key: string | undefined, file: string): Promise<Record<string, string>> {
  try {
    const isFolder = (await stat(file)).isDirectory();
    const files = isFolder ? (await readdir(file, { withFileTypes: true })).filter((entry) => entry.isFile()) : [];
    if (!isFolder) return { [key ?? basename(file)]: await readBase64(file) };
    const pairs = files.map(async (entry) => [entry.name, await readBase64(join(file, entry.name))] as const);
    return Object.fromEntries(await Promise.all(pairs));
  } catch (error) {
    throw badInput(`--secret ${name}: ${explainFileError(error, file) ?? (error as Error).message}`);
  }
}

async function readBase64(file: string): Promise<string> {
  return (await readFile(file)).toString('base64');
}
