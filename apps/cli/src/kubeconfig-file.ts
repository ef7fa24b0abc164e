import { constants, existsSync } from 'node:fs';
import { open, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createFolder } from '@tektite/client';
import { formatYaml, parseYaml } from '@tektite/schema/yaml';
import { UserError } from './user-error.ts';

/** How to reach a control plane as its administrator; certificates and keys are PEM. */
export interface Connection {
  readonly server: string;
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
}

interface Named {
  readonly name: string;
}

interface Kubeconfig {
  'current-context'?: string;
  clusters?: (Named & { cluster: Record<string, string> })[];
  users?: (Named & { user: Record<string, string> })[];
  contexts?: (Named & { context: Record<string, string> })[];
  [field: string]: unknown;
}

const name = 'tektite';

/**
 * Writes the connection as cluster, user and context `tektite`, next to those of the file, unless it is replaced; makes it
 * current.
 */
export async function writeKubeconfig(
  file: string,
  connection: Connection,
  { replace = false }: { readonly replace?: boolean } = {},
): Promise<void> {
  const config: Kubeconfig =
    existsSync(file) && !replace ? await readConfig(file) : { apiVersion: 'v1', kind: 'Config', preferences: {} };
  const encode = (pem: string) => Buffer.from(pem).toString('base64');
  config.clusters = put(config.clusters, {
    name,
    cluster: { server: connection.server, 'certificate-authority-data': encode(connection.authority) },
  });
  config.users = put(config.users, {
    name,
    user: { 'client-certificate-data': encode(connection.certificate), 'client-key-data': encode(connection.key) },
  });
  config.contexts = put(config.contexts, { name, context: { cluster: name, user: name } });
  config['current-context'] = name;
  createFolder(dirname(file));
  // Readers see the old file or the new one, never half of it; the key in it is for the owner alone. A link stays one.
  const target = existsSync(file) && !replace ? await realpath(file) : file;
  const temporary = `${target}.${process.pid}`;
  // The folder may be shared: a file that another user created under that name is not written to.
  await rm(temporary, { force: true });
  const text = formatYaml(config);
  try {
    await writeFile(temporary, text, { mode: 0o600, flag: 'wx' });
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    if (!replace || !isSpaceError(error)) throw error;
    await overwrite(target, text);
  }
}

async function readConfig(file: string): Promise<Kubeconfig> {
  const text = await readFile(file, 'utf8');
  const wrong = (what: string) => new UserError(`${file} cannot be read as a kubeconfig: ${what}`);
  let value: unknown;
  try {
    value = parseYaml(text)[0]?.value ?? {};
  } catch (error) {
    throw wrong((error as Error).message);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong('it is no YAML mapping');
  for (const field of ['clusters', 'users', 'contexts'] as const) {
    const list = (value as Kubeconfig)[field] ?? [];
    if (!Array.isArray(list) || list.some((entry) => typeof entry !== 'object' || entry === null))
      throw wrong(`${field} is no list of named entries`);
  }
  return value as Kubeconfig;
}

function put<T extends Named>(list: readonly T[] | undefined, entry: T): T[] {
  return [...(list ?? []).filter((existing) => existing.name !== entry.name), entry];
}

function isSpaceError(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOSPC' || code === 'EDQUOT';
}

/** On a full disk, a file of the same size can still be written in its own space. Does not follow links. */
async function overwrite(file: string, text: string): Promise<void> {
  const handle = await open(file, constants.O_WRONLY | constants.O_NOFOLLOW);
  try {
    await handle.writeFile(text);
    await handle.truncate(Buffer.byteLength(text));
  } finally {
    await handle.close();
  }
}
