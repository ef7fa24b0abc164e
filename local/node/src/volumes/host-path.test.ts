import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { prepareHostPath } from './host-path.ts';

it('creates what a Pod asks for, and fails at once where the machine has no room for it', () => {
  const base = mkdtempSync(join(tmpdir(), 'tektite-host-path-'));
  try {
    for (const type of ['', 'DirectoryOrCreate']) {
      prepareHostPath(join(base, `a${type}`, 'b'), type);
      expect(existsSync(join(base, `a${type}`, 'b'))).toBe(true);
      expect(() => prepareHostPath('/proc/tektite/x', type)).toThrow(/cannot be created|EACCES|EPERM/);
    }
    expect(() => prepareHostPath(join(base, 'none'), 'Directory')).toThrow('is not a directory');
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
});
