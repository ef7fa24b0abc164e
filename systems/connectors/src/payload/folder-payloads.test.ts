import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RenderFailure } from '../render-failure.ts';
import { folderPayloads } from './folder-payloads.ts';

const map = (name: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n`;

describe('payloads in folders', () => {
  let root = '';
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'tektite-payloads-'));
    await mkdir(join(root, 'shop', 'more'), { recursive: true });
    await writeFile(join(root, 'shop', '10-a.yaml'), map('a'));
    await writeFile(join(root, 'shop', 'more', 'c.yaml'), map('c'));
    await writeFile(join(root, 'shop', '20-b.yaml'), map('b'));
    await writeFile(join(root, 'shop', 'VERSION'), 'v3\n');
    await mkdir(join(root, 'bank'));
    await writeFile(join(root, 'README.md'), 'about');
  });
  afterEach(() => rm(root, { recursive: true }));

  it('are listed, and read in the order of their files', async () => {
    const payloads = folderPayloads(root);
    expect(await payloads.components()).toEqual(['bank', 'shop']);
    const shop = await payloads.load('shop');
    expect(shop?.version).toBe('v3');
    expect(shop?.manifest.objects.map(({ metadata }) => metadata.name)).toEqual(['a', 'b', 'c']);
  });

  it('are read again when they changed, and only then', async () => {
    const payloads = folderPayloads(root);
    const before = await payloads.load('shop');
    expect(await payloads.load('shop')).toBe(before);
    await writeFile(join(root, 'shop', 'VERSION'), 'v4.0');
    expect((await payloads.load('shop'))?.version).toBe('v4.0');
  });

  it.each(['..', '../shop', 'none', '', 'shop/more', '.hidden'])('have no component %j', async (name) => {
    expect(await folderPayloads(root).load(name)).toBeUndefined();
  });

  it('say where they cannot be read', async () => {
    await writeFile(join(root, 'shop', '20-b.yaml'), `${map('b')}data: [`);
    const read = folderPayloads(root).load('shop');
    await expect(read).rejects.toThrow(/^shop\/20-b\.yaml:\d+/);
    await expect(read).rejects.toThrow(RenderFailure);
  });

  it('are none where there is no folder', async () => {
    expect(await folderPayloads(join(root, 'nowhere')).components()).toEqual([]);
  });
});
