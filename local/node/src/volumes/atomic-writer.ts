import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { relativeParts } from './beneath.ts';

export interface PayloadFile {
  readonly data: Uint8Array;
  readonly mode: number;
}

/** Files by relative path. */
export type Payload = ReadonlyMap<string, PayloadFile>;

export interface WriteOptions {
  readonly uid?: number;
  /** The group of all files; they become readable for it. */
  readonly fsGroup?: number;
}

const dataLink = '..data';

/**
 * Makes a folder show exactly these files, all at once: a reader sees all old or all new ones. The files lie in a folder
 * with a time in its name, `..data` links to it, and each top-level name links into `..data`. Exchanging that one link is
 * the moment of change. The layout is a kubelet's, because programs watch for it.
 *
 * Answers whether anything changed.
 */
export function writeAtomically(folder: string, payload: Payload, now: number, options: WriteOptions = {}): boolean {
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  const before = currentFolder(folder);
  if (before && shows(join(folder, before), payload)) return false;
  const version = writeVersion(folder, payload, now, options);
  const temporary = join(folder, `${dataLink}_tmp`);
  rmSync(temporary, { force: true });
  symlinkSync(version, temporary);
  renameSync(temporary, join(folder, dataLink));
  linkNames(folder, payload);
  if (before) rmSync(join(folder, before), { recursive: true, force: true });
  return true;
}

function currentFolder(folder: string): string | undefined {
  try {
    return readlinkSync(join(folder, dataLink));
  } catch {
    return undefined;
  }
}

function shows(folder: string, payload: Payload): boolean {
  const files = filesBelow(folder);
  if (files.length !== payload.size) return false;
  for (const [path, { data }] of payload) {
    const at = join(folder, path);
    if (!existsSync(at) || !readFileSync(at).equals(data)) return false;
  }
  return true;
}

function filesBelow(folder: string, prefix = ''): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = `${prefix}${entry.name}`;
    return entry.isDirectory() ? filesBelow(join(folder, entry.name), `${path}/`) : [path];
  });
}

function writeVersion(folder: string, payload: Payload, now: number, { uid, fsGroup }: WriteOptions): string {
  const time = new Date(now).toISOString().slice(0, 19).replace(/[-:T]/g, '_');
  const root = mkdtempSync(join(folder, `..${time}.`));
  const owner = uid ?? -1;
  const group = fsGroup ?? -1;
  const own = (path: string) => {
    if (owner >= 0 || group >= 0)
      chownSync(path, owner >= 0 ? owner : (process.getuid?.() ?? 0), group >= 0 ? group : (process.getgid?.() ?? 0));
  };
  chmodSync(root, fsGroup === undefined ? 0o755 : 0o2775);
  own(root);
  const made = new Set<string>();
  for (const [path, { data, mode }] of payload) {
    const parts = relativeParts(path);
    for (let i = 1; i < parts.length; i++) {
      const parent = join(root, ...parts.slice(0, i));
      if (made.has(parent)) continue;
      mkdirSync(parent, { recursive: true, mode: 0o755 });
      own(parent);
      made.add(parent);
    }
    const at = join(root, ...parts);
    writeFileSync(at, data);
    own(at);
    chmodSync(at, fsGroup === undefined ? mode : mode | 0o440);
  }
  return root.slice(folder.length + 1);
}

function linkNames(folder: string, payload: Payload): void {
  const wanted = new Set([...payload.keys()].map((path) => relativeParts(path)[0] as string));
  for (const name of readdirSync(folder)) {
    if (!name.startsWith('..') && !wanted.has(name)) rmSync(join(folder, name), { recursive: true, force: true });
  }
  for (const name of wanted) {
    const at = join(folder, name);
    if (!isLink(at)) symlinkSync(join(dataLink, name), at);
  }
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}

/** Resolves a name in such a folder; undefined when there is none. Never outside of the folder. */
export function resolveWritten(folder: string, path: string): string | undefined {
  const version = currentFolder(folder);
  if (!version || dirname(version) !== '.') return undefined;
  const at = join(folder, version, ...relativeParts(path));
  return existsSync(at) ? at : undefined;
}
