import { lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** A part of a container's root, without a leading slash. A folder may lie in another one, which comes before it. */
export type RootEntry =
  | { readonly path: string; readonly type: 'folder'; readonly source: string }
  | { readonly path: string; readonly type: 'link'; readonly target: string };

/** Entries of the root folder that containers get their own of, or none. */
const ownRootEntries = new Set(['proc', 'sys', 'dev', 'run', 'tmp', 'root', 'home', 'lost+found', 'boot', 'swapfile']);

/** The entries of the root of an image, which is a folder of this machine. */
export function imageRootEntries(root: string): RootEntry[] {
  const entries: RootEntry[] = [];
  for (const name of readdirSync(root)) {
    if (ownRootEntries.has(name)) continue;
    const source = join(root, name);
    const stat = lstatSync(source);
    if (stat.isSymbolicLink()) entries.push({ path: name, type: 'link', target: readlinkSync(source) });
    else if (stat.isDirectory()) entries.push({ path: name, type: 'folder', source });
  }
  return entries;
}
