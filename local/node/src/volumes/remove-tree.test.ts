import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { removeTree } from './remove-tree.ts';

it('removes folders that their owner can neither write nor read, and does not follow links out of them', async () => {
  const base = mkdtempSync(join(tmpdir(), 'remove-tree-'));
  try {
    const [outside, tree] = [join(base, 'outside'), join(base, 'tree')];
    mkdirSync(outside);
    chmodSync(outside, 0o555);
    for (const [name, mode] of [
      ['cache', 0o555],
      ['closed', 0o000],
    ] as const) {
      mkdirSync(join(tree, name, 'inner'), { recursive: true });
      writeFileSync(join(tree, name, 'inner/file'), '');
      symlinkSync(outside, join(tree, name, 'inner/link'));
      chmodSync(join(tree, name, 'inner'), mode);
      chmodSync(join(tree, name), mode);
    }
    await removeTree(tree);
    expect(existsSync(tree)).toBe(false);
    expect(statSync(outside).mode & 0o777).toBe(0o555);
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
});

it('is content where there is nothing', async () => {
  await removeTree('/nonexistent/folder');
});
