import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ImageLayout, unpackLayer } from './index.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tektite-oci-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function tar(...args: string[]): void {
  const { status, stderr } = spawnSync('tar', args, { cwd: folder, encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(status).toBe(0);
}

const maxBytes = 10 * 1024 * 1024;

describe('a layer', () => {
  it('gives its files, with names of any length', async () => {
    const long = `in/${'d'.repeat(90)}/${'n'.repeat(98)}`;
    await mkdir(join(folder, 'in', 'd'.repeat(90)), { recursive: true });
    await writeFile(join(folder, long), 'long');
    await writeFile(join(folder, 'in', 'big'), Buffer.alloc(100_000, 7));
    for (const [format, flags] of [
      ['gnu', '-czf'],
      ['pax', '-cf'],
      ['ustar', '-cf'],
    ] as const) {
      tar(`--format=${format}`, flags, `${format}.tar`, 'in');
      const out = join(folder, `out-${format}`);
      await mkdir(out);
      expect((await unpackLayer(join(folder, `${format}.tar`), out, maxBytes)).toSorted()).toEqual(
        [long, 'in/big'].toSorted(),
      );
      expect(await readFile(join(out, long), 'utf8')).toBe('long');
      expect((await readFile(join(out, 'in/big'))).equals(Buffer.alloc(100_000, 7))).toBe(true);
    }
  });

  it('is refused when a name leads elsewhere, or it has links', async () => {
    await writeFile(join(folder, 'evil'), 'x');
    await symlink('/etc', join(folder, 'link'));
    tar('-cf', 'up.tar', '--transform=s,evil,../evil,', '-P', 'evil');
    tar('-cf', 'root.tar', '--transform=s,evil,/evil,', '-P', 'evil');
    tar('-cf', 'link.tar', 'link');
    const out = join(folder, 'a', 'out');
    await mkdir(out, { recursive: true });
    await expect(unpackLayer(join(folder, 'up.tar'), out, maxBytes)).rejects.toThrow('leads out of its folder');
    await expect(unpackLayer(join(folder, 'root.tar'), out, maxBytes)).rejects.toThrow('leads out of its folder');
    await expect(unpackLayer(join(folder, 'link.tar'), out, maxBytes)).rejects.toThrow('neither a file nor a folder');
    await expect(stat(join(folder, 'a', 'evil'))).rejects.toThrow('ENOENT');
  });

  it('is refused when it is cut off or larger than it may be', async () => {
    await writeFile(join(folder, 'big'), Buffer.alloc(300_000));
    tar('-czf', 'big.tar', 'big');
    await expect(unpackLayer(join(folder, 'big.tar'), folder, 100_000)).rejects.toThrow('larger than 100000 bytes');
    tar('-cf', 'plain.tar', 'big');
    await writeFile(join(folder, 'cut.tar'), (await readFile(join(folder, 'plain.tar'))).subarray(0, 5000));
    await expect(unpackLayer(join(folder, 'cut.tar'), folder, maxBytes)).rejects.toThrow('ends in the middle');
  });
});

describe('an image layout', () => {
  it('gives what it has by name, and says what it has otherwise', async () => {
    const blob = async (content: string) => {
      const hash = createHash('sha256').update(content).digest('hex');
      await mkdir(join(folder, 'blobs/sha256'), { recursive: true });
      await writeFile(join(folder, 'blobs/sha256', hash), content);
      return `sha256:${hash}`;
    };
    const layer = await blob('layer');
    const digest = await blob(JSON.stringify({ layers: [{ digest: layer }] }));
    const entry = { digest, annotations: { 'org.opencontainers.image.ref.name': 'bundle:v1' } };
    await writeFile(join(folder, 'index.json'), JSON.stringify({ manifests: [entry] }));
    const layout = new ImageLayout(folder);
    expect((await layout.manifest('repo/bundle:v1')).layers).toEqual([{ digest: layer }]);
    await expect(layout.manifest('repo/bundle:v2')).rejects.toThrow('has no repo/bundle:v2; it has bundle:v1');
    await layout.saveBlob(layer, join(folder, 'out'), 100);
    expect(await readFile(join(folder, 'out'), 'utf8')).toBe('layer');
    await writeFile(join(folder, 'blobs', ...layer.split(':')), 'other');
    await expect(layout.saveBlob(layer, join(folder, 'bad'), 100)).rejects.toThrow('error verifying sha256 checksum');
    await expect(stat(join(folder, 'bad'))).rejects.toThrow('ENOENT');
  });
});
