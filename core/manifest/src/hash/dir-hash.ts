import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join, posix, relative, sep } from 'node:path';

/** The hash of a folder in Go's `h1:` scheme: sha256 over lines of `<sha256>  <prefix>/<file>`, sorted by name. */
export async function dirHash(dir: string, prefix: string): Promise<string> {
  const files = await filesIn(dir);
  const names = files.map((file) => [posix.join(prefix, relative(dir, file).split(sep).join('/')), file] as const);
  names.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const all = createHash('sha256');
  for (const [name, file] of names) {
    if (name.includes('\n')) throw new Error(`${JSON.stringify(name)}: names with line ends cannot be hashed`);
    const hash = createHash('sha256')
      .update(await readFile(file))
      .digest('hex');
    all.update(`${hash}  ${name}\n`);
  }
  return `h1:${all.digest('base64')}`;
}

async function filesIn(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { withFileTypes: true, recursive: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
