import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { RenderFailure } from '../render-failure.ts';
import { maxBytes, type SourceText } from './source-text.ts';

const maxFiles = 1000;
const maxDepth = 32;

/**
 * The texts of a file, or of the YAML and JSON files of a folder in the order of their names. What it really is, after all links, has
 * to lie in one of the roots, and so has every file of a folder.
 */
export async function readLocal(path: string, roots: readonly string[]): Promise<readonly SourceText[]> {
  const allowed = await realRoots(roots);
  const texts: SourceText[] = [];
  let left = maxBytes;
  const visit = async (shown: string, named: boolean, depth: number): Promise<void> => {
    const real = await resolve(shown, allowed, roots);
    const found = await stat(real);
    if (found.isDirectory()) {
      if (depth > maxDepth) throw fetchFailed(`${shown}: folders are nested too deep`);
      const names = (await readdir(real)).filter((name) => !name.startsWith('.')).sort();
      for (const name of names) await visit(join(shown, name), false, depth + 1);
      return;
    }
    if (!found.isFile()) throw invalid(`${shown}: this is no file`);
    if (!named && !/\.(ya?ml|json)$/.test(shown)) return;
    if (texts.length >= maxFiles) throw fetchFailed(`${path}: there are more than ${maxFiles} files in it`);
    if (found.size > left) throw fetchFailed(`${path}: it is larger than ${maxBytes} bytes`);
    const bytes = await readFile(real);
    left -= bytes.length;
    if (left < 0) throw fetchFailed(`${path}: it is larger than ${maxBytes} bytes`);
    texts.push({ name: shown, bytes });
  };
  await visit(path, true, 0);
  return texts;
}

async function realRoots(roots: readonly string[]): Promise<readonly string[]> {
  const real = await Promise.all(roots.map((root) => realpath(root).catch(() => undefined)));
  return real.filter((root) => root !== undefined);
}

async function resolve(path: string, allowed: readonly string[], roots: readonly string[]): Promise<string> {
  let real: string;
  try {
    real = await realpath(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // The error must not reveal whether a path outside of the roots exists.
    if (!roots.some((root) => path === root || path.startsWith(root + sep))) throw outside(path, roots);
    throw fetchFailed(`${path}: ${code === 'ENOENT' ? 'there is no such file or folder' : (code ?? 'cannot be read')}`);
  }
  if (allowed.some((root) => real === root || real.startsWith(root + sep))) return real;
  throw outside(path, roots);
}

function outside(path: string, roots: readonly string[]): RenderFailure {
  return invalid(`${path}: only what is under ${roots.join(' or ')} can be read`);
}

function invalid(message: string): RenderFailure {
  return new RenderFailure('InvalidAdditionalManifests', message);
}

function fetchFailed(message: string): RenderFailure {
  return new RenderFailure('FetchFailed', message);
}
