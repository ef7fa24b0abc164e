import { lstat, readdir, readFile, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { ManifestError } from '../manifest-error.ts';

/** Size limits of files; manifests are smaller. */
export const maxFileBytes: number = 64 * 1024 * 1024;
const maxTotalBytes = 512 * 1024 * 1024;
const maxFiles = 100_000;
const maxDepth = 64;

export interface PathOptions {
  /** Descend into folders. Default true. */
  readonly recursive?: boolean;
  /** Which files of a folder count. Default `.yaml`, `.yml` and `.json`; `['']` is all of them. A file named itself always counts. */
  readonly extensions?: readonly string[];
  readonly signal?: AbortSignal;
}

export interface ReadText {
  readonly name: string;
  readonly text: string;
}

const manifestExtensions = ['.yaml', '.yml', '.json'];

/**
 * The texts of a file, or of the files of a folder in the order of their names. Hidden files and folders are left out. A link
 * inside a folder that leads out of it is an error: what was reviewed is the folder.
 */
export async function* readPath(path: string, options: PathOptions = {}): AsyncGenerator<ReadText> {
  const found = await attempt(path, () => stat(path));
  if (!found.isDirectory()) {
    yield { name: path, text: await readText(path, found.size) };
    return;
  }
  const root = await realpath(path);
  const budget = { bytes: maxTotalBytes, files: maxFiles };
  yield* readFolder(path, root, options, budget, 0);
}

async function* readFolder(
  folder: string,
  root: string,
  options: PathOptions,
  budget: { bytes: number; files: number },
  depth: number,
): AsyncGenerator<ReadText> {
  if (depth > maxDepth) throw sourceError(folder, 'folders are nested too deep');
  const names = (await attempt(folder, () => readdir(folder))).filter((name) => !name.startsWith('.')).sort();
  for (const name of names) {
    options.signal?.throwIfAborted();
    const path = join(folder, name);
    const found = await inside(path, root);
    if (found.isDirectory()) {
      if (options.recursive ?? true) yield* readFolder(path, root, options, budget, depth + 1);
    } else if (found.isFile() && (options.extensions ?? manifestExtensions).some((end) => name.endsWith(end))) {
      budget.bytes -= found.size;
      if (budget.bytes < 0) throw sourceError(path, `with it the folder is larger than ${maxTotalBytes} bytes`);
      if (--budget.files < 0) throw sourceError(folder, `there are more than ${maxFiles} files in it`);
      yield { name: path, text: await readText(path, found.size) };
    }
  }
}

/** Resolves an entry of the folder; links have to stay inside. */
async function inside(path: string, root: string) {
  const own = await attempt(path, () => lstat(path));
  if (!own.isSymbolicLink()) return own;
  const target = await attempt(path, () => realpath(path));
  if (target === root || root.startsWith(target + sep)) throw sourceError(path, 'the link leads in a circle');
  if (!target.startsWith(root + sep)) throw sourceError(path, `the link leads out of the folder, to ${target}`);
  return attempt(path, () => stat(path));
}

async function readText(path: string, size: number): Promise<string> {
  if (size > maxFileBytes) throw sourceError(path, `it is larger than ${maxFileBytes} bytes`);
  const bytes = await attempt(path, () => readFile(path));
  if (bytes.length > maxFileBytes) throw sourceError(path, `it is larger than ${maxFileBytes} bytes`);
  return bytes.toString('utf8');
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EACCES: 'no permission to read it',
  EPERM: 'no permission to read it',
  ELOOP: 'links lead in a circle',
  ENOTDIR: 'a part of the path is a file',
};

async function attempt<T>(path: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    throw sourceError(path, reasons[code] ?? message, error);
  }
}

export function sourceError(source: string, message: string, cause?: unknown): ManifestError {
  return new ManifestError('SOURCE', `${source}: ${message}`, { cause, place: { source } });
}
