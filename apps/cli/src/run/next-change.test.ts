import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { nextChange } from './next-change.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tektite-watch-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Starts to watch, and makes changes until one is found. */
async function found(paths: readonly string[], change: () => void): Promise<string> {
  const abort = new AbortController();
  const next = nextChange(paths, abort.signal);
  const timer = setInterval(change, 50);
  try {
    return await next;
  } finally {
    clearInterval(timer);
  }
}

it('finds a file that an editor replaces', async () => {
  const file = join(folder, 'a.yaml');
  writeFileSync(file, '1');
  const replace = () => {
    writeFileSync(join(folder, 'a.tmp'), '2');
    renameSync(join(folder, 'a.tmp'), file);
  };
  expect(await found([file], replace)).toBe(file);
});

it('finds a file deep in a folder, and not what git writes', async () => {
  for (const each of ['src', '.git']) mkdirSync(join(folder, each));
  const change = () => {
    writeFileSync(join(folder, '.git', 'index'), String(Math.random()));
    writeFileSync(join(folder, 'src', 'main.c'), String(Math.random()));
  };
  expect(await found([folder], change)).toBe(join(folder, 'src', 'main.c'));
});

it('ends when it is aborted', async () => {
  const abort = new AbortController();
  const next = nextChange([folder], abort.signal);
  abort.abort(new Error('enough'));
  await expect(next).rejects.toThrow('enough');
});
