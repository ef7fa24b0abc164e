import { parseFirstYaml } from '@tektite/schema/yaml';
import type { EncryptionKey } from './value-cipher.ts';

/** How objects are stored: encrypted with the first key, readable with all of them. */
export interface Encryption {
  /** The key for new values; `undefined` where they are stored as they are. */
  keyFor(place: string): EncryptionKey | undefined;
  find(name: string): EncryptionKey | undefined;
}

interface Provider {
  readonly key?: EncryptionKey;
  readonly others: readonly EncryptionKey[];
}

interface ResourceEntry {
  readonly prefixes: readonly string[];
  readonly first: Provider;
  readonly keys: readonly EncryptionKey[];
}

const apiVersion = 'apiserver.config.k8s.io/v1';

/**
 * Reads an EncryptionConfiguration, the file of `--encryption-provider-config`. Providers: `aesgcm` and `identity`. Throws an
 * Error that names the field that is wrong.
 *
 * Rotation: put the new key first and keep the old one, start the server, remove the old one, start again. Every start
 * writes what is stored in another form again.
 */
export function readEncryptionConfiguration(text: string): Encryption {
  const root = object(parseFirstYaml(text)?.value, 'the file');
  if (root['apiVersion'] !== apiVersion || root['kind'] !== 'EncryptionConfiguration')
    throw new Error(`expected apiVersion ${apiVersion} and kind EncryptionConfiguration`);
  const entries = list(root['resources'], 'resources').map((entry, index) => readEntry(entry, `resources[${index}]`));
  const keys = new Map<string, EncryptionKey>();
  for (const key of entries.flatMap((entry) => entry.keys)) {
    const known = keys.get(key.name);
    if (known && !known.secret.equals(key.secret)) throw new Error(`two keys have the name ${key.name}`);
    keys.set(key.name, key);
  }
  return {
    // The first entry that names a resource counts, as upstream has it.
    keyFor: (place) => entries.find(({ prefixes }) => prefixes.some((prefix) => place.startsWith(prefix)))?.first.key,
    find: (name) => keys.get(name),
  };
}

function readEntry(value: unknown, path: string): ResourceEntry {
  const entry = object(value, path);
  const resources = list(entry['resources'], `${path}.resources`).map((name) => prefixesOf(text(name, path)));
  const providers = list(entry['providers'], `${path}.providers`).map((provider, index) =>
    readProvider(provider, `${path}.providers[${index}]`),
  );
  const [first] = providers;
  if (!first) throw new Error(`${path}.providers is empty`);
  return { prefixes: resources.flat(), first, keys: providers.flatMap(({ others }) => others) };
}

/** `secrets`, `widgets.example.com`, or `*.*` for everything. */
function prefixesOf(name: string): string[] {
  if (name === '*.*') return ['/registry/'];
  if (name.includes('*')) throw new Error(`resources: ${name} is not supported; name resources, or all with *.*`);
  const dot = name.indexOf('.');
  if (dot < 0) return [`/registry/${name}/`];
  return [`/registry/${name.slice(0, dot)}/`, `/registry/${name.slice(dot + 1)}/${name.slice(0, dot)}/`];
}

function readProvider(value: unknown, path: string): Provider {
  const provider = object(value, path);
  const [kind, ...more] = Object.keys(provider);
  if (kind === undefined || more.length > 0) throw new Error(`${path} has to name one provider`);
  if (kind === 'identity') return { others: [] };
  if (kind !== 'aesgcm') throw new Error(`${path}: ${kind} is not supported; there are aesgcm and identity`);
  const { keys } = object(provider[kind], `${path}.aesgcm`);
  const read = list(keys, `${path}.aesgcm.keys`).map((key, index) => readKey(key, `${path}.aesgcm.keys[${index}]`));
  const [key] = read;
  if (!key) throw new Error(`${path}.aesgcm.keys is empty`);
  return { key, others: read };
}

function readKey(value: unknown, path: string): EncryptionKey {
  const { name, secret } = object(value, path);
  const named = text(name, `${path}.name`);
  if (named === '' || named.includes(':')) throw new Error(`${path}.name must not be empty or contain a colon`);
  const bytes = Buffer.from(text(secret, `${path}.secret`), 'base64');
  if (![16, 24, 32].includes(bytes.length))
    throw new Error(`${path}.secret is ${bytes.length} bytes; it has to be 16, 24 or 32, as base64`);
  return { name: named, secret: bytes };
}

function object(value: unknown, path: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(`${path} is no object`);
  return value as Readonly<Record<string, unknown>>;
}

function list(value: unknown, path: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new Error(`${path} is no list`);
  return value;
}

function text(value: unknown, path: string): string {
  if (typeof value !== 'string') throw new Error(`${path} is no text`);
  return value;
}
