import { mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFolder } from './create-folder.ts';

let base: string;
beforeEach(() => void (base = mkdtempSync(join(tmpdir(), 'tektite-folder-'))));
afterEach(() => rmSync(base, { recursive: true, force: true }));

describe('createFolder', () => {
  it('creates what is missing, and returns the first folder that was', () => {
    expect(createFolder(join(base, 'a/b/c'), 0o700)).toBe(join(base, 'a'));
    expect(statSync(join(base, 'a/b/c')).mode & 0o777).toBe(0o700);
    expect(createFolder(join(base, 'a/b/c'))).toBeUndefined();
    expect(createFolder(join(base, 'a/d'))).toBe(join(base, 'a/d'));
  });

  it.each(['/proc/x', '/proc/self/x/y', '/proc/sys/x'])('fails at once where there can be none: %s', (path) => {
    expect(() => createFolder(path)).toThrow(/folders cannot be created in \/proc|EACCES|EPERM/);
  });

  it('fails where a file or a link that leads nowhere is in the way', () => {
    writeFileSync(join(base, 'file'), '');
    symlinkSync(join(base, 'nowhere/deep'), join(base, 'link'));
    expect(() => createFolder(join(base, 'file'))).toThrow('EEXIST');
    expect(() => createFolder(join(base, 'file/x'))).toThrow('ENOTDIR');
    expect(() => createFolder(join(base, 'link'))).toThrow('EEXIST');
    expect(() => createFolder(join(base, 'link/x'))).toThrow(/EEXIST|ENOENT/);
  });
});
