import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { resolveWritten, writeAtomically } from './atomic-writer.ts';
import { openBeneath, PathEscapeError } from './beneath.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'atomic-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const payload = (files: Readonly<Record<string, string>>, mode = 0o644) =>
  new Map(Object.entries(files).map(([path, text]) => [path, { data: Buffer.from(text), mode }]));
const visible = () => readdirSync(folder).filter((name) => !name.startsWith('..'));

describe('files that are written together', () => {
  test('are links into one folder, which is exchanged as a whole', () => {
    expect(writeAtomically(folder, payload({ a: '1', 'deep/b': '2' }), 0)).toBe(true);
    expect(visible().sort()).toEqual(['a', 'deep']);
    expect(readlinkSync(join(folder, 'a'))).toBe('..data/a');
    expect(readFileSync(join(folder, 'deep/b'), 'utf8')).toBe('2');
    const before = readlinkSync(join(folder, '..data'));
    expect(before).toMatch(/^\.\.1970_01_01_00_00_00\./);
    expect(writeAtomically(folder, payload({ a: '1', 'deep/b': '3', c: '4' }), 0)).toBe(true);
    expect(readlinkSync(join(folder, '..data'))).not.toBe(before);
    expect(existsSync(join(folder, before))).toBe(false);
    expect(readFileSync(join(folder, 'deep/b'), 'utf8')).toBe('3');
  });

  test('stay as they are when nothing changed', () => {
    writeAtomically(folder, payload({ a: '1' }), 0);
    const before = readlinkSync(join(folder, '..data'));
    expect(writeAtomically(folder, payload({ a: '1' }), 1000)).toBe(false);
    expect(readlinkSync(join(folder, '..data'))).toBe(before);
  });

  test('go when they are no longer wanted', () => {
    writeAtomically(folder, payload({ a: '1', b: '2' }), 0);
    writeAtomically(folder, payload({ b: '2' }), 0);
    expect(visible()).toEqual(['b']);
  });

  test('have the mode that is asked for, whatever the umask', () => {
    writeAtomically(folder, payload({ a: '1' }, 0o406), 0);
    expect(statSync(join(folder, 'a')).mode & 0o777).toBe(0o406);
  });

  test.each(['../out', '/etc/x', 'a/../../out'])('cannot be at %s', (path) => {
    expect(() => writeAtomically(folder, payload({ [path]: 'x' }), 0)).toThrow(PathEscapeError);
  });

  test('are found by name, and never outside', () => {
    writeAtomically(folder, payload({ 'deep/b': '2' }), 0);
    expect(readFileSync(resolveWritten(folder, 'deep/b') as string, 'utf8')).toBe('2');
    expect(resolveWritten(folder, 'none')).toBeUndefined();
    expect(() => resolveWritten(folder, '../x')).toThrow(PathEscapeError);
  });
});

describe('a path below a folder', () => {
  test('is opened part by part, and made if asked', () => {
    expect(() => openBeneath(folder, 'a/b')).toThrow('ENOENT');
    openBeneath(folder, 'a/b', { create: 'folder' });
    openBeneath(folder, 'a/file', { create: 'file' });
    expect(statSync(join(folder, 'a/b')).isDirectory()).toBe(true);
    expect(statSync(join(folder, 'a/file')).isFile()).toBe(true);
  });

  test('leads through folders that its maker can search, whatever the mode of what is at the end', () => {
    openBeneath(folder, 'way/to/file', { create: 'file', mode: 0o644 });
    expect(statSync(join(folder, 'way')).mode & 0o777).toBe(0o755);
    openBeneath(folder, 'private/to/file', { create: 'file', mode: 0o600 });
    expect(statSync(join(folder, 'private')).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, 'private/to/file')).mode & 0o777).toBe(0o600);
  });

  test.each([
    ['link', 'a link to a folder'],
    ['link/x', 'a link on the way'],
    ['dangling/x', 'a link to nowhere'],
    ['file/x', 'a file on the way'],
    ['../x', 'dots'],
    ['/etc', 'an absolute path'],
  ])('is refused when it is %s: %s', (path) => {
    symlinkSync('/etc', join(folder, 'link'));
    symlinkSync('/nowhere', join(folder, 'dangling'));
    writeFileSync(join(folder, 'file'), '');
    chmodSync(join(folder, 'file'), 0o644);
    expect(() => openBeneath(folder, path, { create: 'folder' })).toThrow(PathEscapeError);
    expect(existsSync('/nowhere')).toBe(false);
  });
});
