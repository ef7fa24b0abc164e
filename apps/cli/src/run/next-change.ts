import { type FSWatcher, statSync, watch } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/** Folders that programs write to all the time. */
const ignored = /(^|\/)(\.git|node_modules)(\/|$)/;

/**
 * Resolves with the first file that changes from now on: one of the files, or one in one of the folders. Files are watched
 * through their folders, because editors replace them.
 */
export async function nextChange(paths: readonly string[], signal: AbortSignal): Promise<string> {
  const watchers: FSWatcher[] = [];
  try {
    return await new Promise<string>((found, fail) => {
      signal.addEventListener('abort', () => fail(signal.reason as Error), { once: true });
      signal.throwIfAborted();
      for (const path of new Set(paths.map((each) => resolve(each)))) watchers.push(...watchPath(path, found, fail));
    });
  } finally {
    for (const watcher of watchers) watcher.close();
  }
}

function watchPath(path: string, found: (file: string) => void, fail: (error: Error) => void): FSWatcher[] {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  const folder = isFolder ? path : dirname(path);
  const watcher = watch(folder, { recursive: isFolder }, (_event, name) => {
    if (name === null || ignored.test(name)) return;
    if (isFolder || name === basename(path)) found(join(folder, name));
  });
  watcher.on('error', fail);
  return [watcher];
}
