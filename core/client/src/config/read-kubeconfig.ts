import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { ClientError } from '../client-error.ts';
import type { Entry, Kubeconfig } from './kubeconfig.ts';
import { wrongKubeconfigField } from './kubeconfig-shape.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The files that kubectl would read: the one that is named, or those of `$KUBECONFIG`, or `~/.kube/config`. A file that is
 * named must exist; the others may be missing.
 */
export function kubeconfigFiles(
  explicit: string | undefined,
  environment: Environment,
): { readonly files: readonly string[]; readonly required: boolean } {
  if (explicit !== undefined && explicit !== '') return { files: [resolve(explicit)], required: true };
  const listed = (environment.KUBECONFIG ?? '').split(delimiter).filter((file) => file !== '');
  if (listed.length > 0) return { files: [...new Set(listed.map((file) => resolve(file)))], required: false };
  return { files: [join(environment.HOME || homedir(), '.kube', 'config')], required: false };
}

/**
 * Reads kubeconfig files and merges them as kubectl does: the first file that names a cluster, a user, a context or the
 * current context is the one that counts. Undefined when none of the files exists.
 */
export async function readKubeconfig(files: readonly string[], required: boolean): Promise<Kubeconfig | undefined> {
  const parts: Kubeconfig[] = [];
  for (const file of files) {
    const text = await readIfPresent(file, required);
    if (text !== undefined) parts.push(await parseKubeconfig(text, file));
  }
  return parts.length === 0 ? undefined : merge(parts);
}

async function readIfPresent(file: string, required: boolean): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' && !required) return undefined;
    const reason = code === 'ENOENT' ? 'it does not exist; check the path' : `${message}; check who may read it`;
    throw new ClientError('INVALID_KUBECONFIG', `cannot read the kubeconfig ${file}: ${reason}`, { cause });
  }
}

/** Reads the text of one file. The parser is loaded only now: who runs in process or in a cluster needs none. */
export async function parseKubeconfig(text: string, file: string): Promise<Kubeconfig> {
  const { parseYaml } = await import('@tektite/schema/yaml');
  let content: unknown;
  try {
    content = parseYaml(text)[0]?.value ?? {};
  } catch (cause) {
    throw invalid(file, `it is not valid YAML: ${(cause as Error).message}`, cause);
  }
  if (!isObject(content)) throw invalid(file, 'it is not a mapping');
  const { kind, apiVersion } = content;
  if ((kind !== undefined && kind !== 'Config') || (apiVersion !== undefined && apiVersion !== 'v1'))
    throw invalid(file, `it is a ${String(apiVersion)} ${String(kind)}, not a v1 Config`);
  const current = content['current-context'] ?? '';
  if (typeof current !== 'string') throw invalid(file, 'current-context is not a string');
  return {
    currentContext: current,
    clusters: named(content, 'clusters', 'cluster', file),
    users: named(content, 'users', 'user', file),
    contexts: named(content, 'contexts', 'context', file),
    files: [file],
  };
}

function named<T>(content: Record<string, unknown>, list: string, field: string, file: string): Map<string, Entry<T>> {
  const entries = new Map<string, Entry<T>>();
  const value = content[list] ?? [];
  if (!Array.isArray(value)) throw invalid(file, `${list} is not a list`);
  for (const [index, item] of value.entries()) {
    if (!isObject(item) || typeof item.name !== 'string') throw invalid(file, `${list}[${index}] has no name`);
    const inner = item[field] ?? {};
    if (!isObject(inner)) throw invalid(file, `${field} of ${JSON.stringify(item.name)} in ${list} is not a mapping`);
    const wrong = wrongKubeconfigField(field, inner);
    if (wrong !== undefined)
      throw invalid(file, `${wrong} of ${JSON.stringify(item.name)} in ${list} has a value of the wrong type`);
    if (entries.has(item.name)) throw invalid(file, `${JSON.stringify(item.name)} is twice in ${list}; remove one`);
    entries.set(item.name, { value: inner as T, file });
  }
  return entries;
}

function merge(parts: readonly Kubeconfig[]): Kubeconfig {
  const first = <T>(maps: readonly ReadonlyMap<string, Entry<T>>[]) =>
    new Map(maps.toReversed().flatMap((map) => [...map]));
  return {
    currentContext: parts.find(({ currentContext }) => currentContext !== '')?.currentContext ?? '',
    clusters: first(parts.map(({ clusters }) => clusters)),
    users: first(parts.map(({ users }) => users)),
    contexts: first(parts.map(({ contexts }) => contexts)),
    files: parts.flatMap(({ files }) => files),
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function invalid(file: string, reason: string, cause?: unknown): ClientError {
  return new ClientError('INVALID_KUBECONFIG', `the kubeconfig ${file} cannot be used: ${reason}`, { cause });
}
