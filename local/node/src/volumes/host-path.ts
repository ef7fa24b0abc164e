import { type Stats, statSync, writeFileSync } from 'node:fs';
import { createFolder } from '@tektite/client';

const wanted: Readonly<Record<string, [string, (stat: Stats) => boolean]>> = {
  DirectoryOrCreate: ['directory', (stat) => stat.isDirectory()],
  Directory: ['directory', (stat) => stat.isDirectory()],
  FileOrCreate: ['file', (stat) => stat.isFile()],
  File: ['file', (stat) => stat.isFile()],
  Socket: ['socket file', (stat) => stat.isSocket()],
  CharDevice: ['character device', (stat) => stat.isCharacterDevice()],
  BlockDevice: ['block device', (stat) => stat.isBlockDevice()],
};

/** Checks that a path of the machine is what the Pod says, or makes it so where it may. */
export function prepareHostPath(path: string, type: string): void {
  let stat = statOf(path);
  if (!stat && type === 'DirectoryOrCreate') createFolder(path, 0o755);
  if (!stat && type === 'FileOrCreate') writeFileSync(path, '', { flag: 'a', mode: 0o644 });
  stat ??= statOf(path);
  const check = Object.hasOwn(wanted, type) ? wanted[type] : undefined;
  if (check && !(stat && check[1](stat))) throw new Error(`hostPath type check failed: ${path} is not a ${check[0]}`);
  // Engines make a folder of what is missing when no type is asked for.
  if (!stat) createFolder(path, 0o755);
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}
