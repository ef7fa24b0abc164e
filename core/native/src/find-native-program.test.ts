import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findNativeProgram } from './find-native-program.ts';

let folder: string;
beforeEach(() => (folder = realpathSync(mkdtempSync(join(tmpdir(), 'tektite-native-')))));
afterEach(() => rmSync(folder, { recursive: true }));

function write(path: string, mode = 0o755): string {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, '{}');
  chmodSync(file, mode);
  return file;
}

const packageFolder = `node_modules/@tektite/native-linux-${process.arch}`;
const find = (from: string) => findNativeProgram('sandbox', pathToFileURL(join(folder, from)).href);

describe('a native program', () => {
  it('is that of the checkout', () => {
    write(`${packageFolder}/package.json`);
    write(`${packageFolder}/bin/sandbox`);
    const compiled = write('native/sandbox/dist/sandbox');
    expect(find('apps/cli/dist/chunks/a.js')).toBe(compiled);
    expect(find('core/native/src/a.ts')).toBe(compiled);
  });

  it('is that of the package for this machine, in an installation', () => {
    write(`${packageFolder}/package.json`);
    const installed = write(`${packageFolder}/bin/sandbox`);
    expect(find('node_modules/tektite/dist/chunks/a.js')).toBe(installed);
  });

  it('is not one that cannot be executed', () => {
    write(`${packageFolder}/package.json`);
    write(`${packageFolder}/bin/sandbox`, 0o644);
    expect(find('node_modules/tektite/dist/a.js')).toBeUndefined();
  });

  it('is missing where neither is there', () => {
    expect(find('node_modules/tektite/dist/a.js')).toBeUndefined();
  });
});
