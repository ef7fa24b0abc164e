import { gunzipSync } from 'node:zlib';
import { parseYaml } from '@tektite/schema/yaml';

export interface CloudFile {
  readonly path: string;
  readonly content: Buffer;
  readonly permissions: string;
  readonly owner: string;
  readonly append: boolean;
}

/** As much of a cloud-config as makes a node. */
export interface CloudConfig {
  readonly files: readonly CloudFile[];
  readonly commands: readonly string[];
  /** Parts that have no effect here. */
  readonly ignored: readonly string[];
}

/** An error in a cloud-config, with its position. */
export class CloudConfigError extends Error {
  override readonly name = 'CloudConfigError';
}

const known = new Set(['write_files', 'runcmd']);
/** More than a Secret can hold, even if it is packed well. */
const maxBytes = 16 * 1024 * 1024;

/**
 * Reads a cloud-config: `write_files` and `runcmd`, keys in any case. Commands are texts, for bash, or lists of words, as
 * cloud-init has them.
 */
export function readCloudConfig(text: string): CloudConfig {
  let value: unknown;
  try {
    [{ value } = { value: {} }] = parseYaml(text);
  } catch (cause) {
    throw new CloudConfigError(`the cloud-config is no YAML: ${(cause as Error).message}`, { cause });
  }
  if (value === null || value === undefined) return { files: [], commands: [], ignored: [] };
  const fields = lowerKeys(value, 'the cloud-config');
  const list = (key: string) => {
    const found = fields.get(key) ?? [];
    if (!Array.isArray(found)) throw new CloudConfigError(`${key} must be a list`);
    return found as readonly unknown[];
  };
  return {
    files: list('write_files').map((each, index) => readFile(each, `write_files[${index}]`)),
    commands: list('runcmd').map((each, index) => readCommand(each, `runcmd[${index}]`)),
    ignored: [...fields.keys()].filter((key) => !known.has(key)).sort(),
  };
}

function lowerKeys(value: unknown, path: string): ReadonlyMap<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new CloudConfigError(`${path} must be a mapping`);
  return new Map(Object.entries(value).map(([key, each]) => [key.toLowerCase(), each as unknown]));
}

function readFile(value: unknown, path: string): CloudFile {
  const fields = lowerKeys(value, path);
  const text = (key: string) => {
    const found = fields.get(key) ?? '';
    if (typeof found === 'number') return String(found);
    if (typeof found !== 'string') throw new CloudConfigError(`${path}.${key} must be a text`);
    return found;
  };
  const target = text('path');
  if (!target.startsWith('/') || target.includes('\0'))
    throw new CloudConfigError(`${path}.path must be an absolute path`);
  // YAML has made another number of it by now.
  if (typeof fields.get('permissions') === 'number')
    throw new CloudConfigError(`${path}.permissions must be a text between quotes, as '0644'`);
  const permissions = text('permissions').trim() || '0644';
  if (!/^(?:0o)?[0-7]{3,5}$/.test(permissions))
    throw new CloudConfigError(`${path}.permissions must be octal, as 0644`);
  const owner = text('owner').trim();
  if (owner !== '' && !/^[A-Za-z0-9_.][A-Za-z0-9_.$-]*(?::[A-Za-z0-9_.][A-Za-z0-9_.$-]*)?$/.test(owner))
    throw new CloudConfigError(`${path}.owner: invalid owner format; it must be user or user:group`);
  return {
    path: target,
    content: decode(text('content'), text('encoding').trim().toLowerCase(), path),
    permissions: permissions.replace('0o', ''),
    owner,
    append: fields.get('append') === true,
  };
}

function decode(content: string, encoding: string, path: string): Buffer {
  const packed = /^gz(?:ip)?(?:\+b(?:ase)?64)?$/.test(encoding);
  const encoded = /(?:^|\+)b(?:ase)?64$/.test(encoding);
  if (!packed && !encoded) return Buffer.from(content);
  if (!encoded) throw new CloudConfigError(`${path}.encoding ${encoding} has to be gzip+base64`);
  const stripped = content.replaceAll(/\s/g, '');
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(stripped)) throw new CloudConfigError(`${path}.content is not base64`);
  const bytes = Buffer.from(stripped, 'base64');
  if (!packed) return bytes;
  try {
    return gunzipSync(bytes, { maxOutputLength: maxBytes });
  } catch (cause) {
    throw new CloudConfigError(`${path}.content cannot be unpacked: ${(cause as Error).message}`, { cause });
  }
}

function readCommand(value: unknown, path: string): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((word) => typeof word === 'string' || typeof word === 'number'))
    return value.map((word) => `'${String(word).replaceAll("'", "'\\''")}'`).join(' ');
  throw new CloudConfigError(`${path} must be a text, or a list of words`);
}
