import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import * as zlib from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isStoreError } from '../store-error.ts';
import { digestOf, type TarEntry, tarOf, TestFolder } from '@tektite/testkit/images';
import { LayersProgram } from './layers-program.ts';
import { subordinateRange } from './subordinate-ids.ts';
import { defaultLayerLimits, type LayerLimits, unpackBlob } from './unpack-blob.ts';

const native = join(import.meta.dirname, '../../../../native/layers');
const { gzipSync } = zlib;
let folder: TestFolder;
let program = new LayersProgram();
const isRoot = process.getuid?.() === 0;
let count = 0;

beforeEach(() => {
  folder = new TestFolder();
});
afterEach(() => folder[Symbol.dispose]());

/** Unpacks an archive; the path of the layer. */
async function unpack(
  tar: Uint8Array,
  limits: Partial<LayerLimits> = {},
  pack = (each: Uint8Array) => each,
): Promise<string> {
  const out = folder.join(`out-${count++}`);
  mkdirSync(out);
  const file = folder.join('layer.tar');
  writeFileSync(file, pack(tar));
  const request = { file, diffId: digestOf(tar), folder: out, limits: { ...defaultLayerLimits, ...limits } };
  await unpackBlob(program, request);
  return out;
}

/** A frame of zstd whose blocks are not compressed. */
function zstdFrame(bytes: Uint8Array): Buffer {
  const parts = [Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58])];
  const size = 100_000;
  for (let at = 0; at < bytes.length; at += size) {
    const block = bytes.subarray(at, at + size);
    const header = Buffer.alloc(3);
    header.writeUIntLE((block.length << 3) | (at + size >= bytes.length ? 1 : 0), 0, 3);
    parts.push(header, Buffer.from(block));
  }
  return Buffer.concat(parts);
}

const unpackEntries = (...entries: readonly TarEntry[]) => unpack(tarOf(entries));
const deviceOf = (path: string) => {
  const found = lstatSync(path);
  return { isDevice: found.isCharacterDevice(), device: found.rdev };
};

/** The names of the extended attributes of a file, as GNU tar records them. */
function xattrsOf(path: string): string[] {
  const words = ['--create', '--format=pax', '--xattrs', '--xattrs-include=*', '--no-recursion', path];
  const archive = execFileSync('tar', words, { encoding: 'latin1', stdio: ['ignore', 'pipe', 'ignore'] });
  return Array.from(archive.matchAll(/SCHILY\.xattr\.([^=]+)=/g), ([, name = '']) => name).toSorted();
}

/** Whether overlayfs would hide lower layers below this folder. */
const isOpaque = (path: string) => xattrsOf(path).includes('user.overlay.opaque');

describe('a layer', () => {
  it('keeps content, modes, times, links and pipes', async () => {
    const out = await unpackEntries(
      { name: './', type: '5', mode: 0o755 },
      { name: 'a/', type: '5', mode: 0o1777, mtime: 1_500_000_000 },
      { name: 'a/file', content: 'text', mode: 0o4755, mtime: 1_400_000_000 },
      { name: 'a/hard', type: '1', link: 'a/file' },
      { name: 'soft', type: '2', link: '/a/file' },
      { name: 'pipe', type: '6' },
      { name: 'null', type: '3' },
    );
    expect(readdirSync(out).toSorted()).toEqual(['a', 'pipe', 'soft']);
    expect(readFileSync(`${out}/a/hard`, 'utf8')).toBe('text');
    expect(lstatSync(`${out}/a/hard`).ino).toBe(lstatSync(`${out}/a/file`).ino);
    expect(readlinkSync(`${out}/soft`)).toBe('/a/file');
    const file = statSync(`${out}/a/file`);
    expect([file.mode & 0o7777, file.mtimeMs]).toEqual([0o4755, 1_400_000_000_000]);
    const inside = statSync(`${out}/a`);
    expect([inside.mode & 0o7777, inside.mtimeMs]).toEqual([0o1777, 1_500_000_000_000]);
  });

  it.runIf(isRoot)('keeps owners where root unpacks it', async () => {
    const out = await unpackEntries(
      { name: 'file', uid: 65_532, gid: 1000 },
      { name: 'large', pax: { uid: '3000000000', gid: '5' } },
      { name: 'link', type: '2', link: 'x', uid: 7, gid: 8 },
    );
    const ownerOf = (name: string) => [lstatSync(`${out}/${name}`).uid, lstatSync(`${out}/${name}`).gid];
    expect(['file', 'large', 'link'].map(ownerOf)).toEqual([
      [65_532, 1000],
      [3_000_000_000, 5],
      [7, 8],
    ]);
  });

  it('may be packed with gzip or not at all, whatever its media type', async () => {
    const tar = tarOf([{ name: 'file', content: 'x'.repeat(100_000) }]);
    for (const pack of [(bytes: Uint8Array) => bytes, gzipSync]) {
      const out = await unpack(tar, {}, pack);
      expect(readFileSync(`${out}/file`).length).toBe(100_000);
    }
  });

  it('may be packed with zstd where Node or the machine can read it, and is refused with the way out elsewhere', async () => {
    const tar = tarOf([{ name: 'file', content: 'x'.repeat(100_000) }]);
    const unpacked = unpack(tar, {}, zstdFrame);
    if ('createZstdDecompress' in zlib || spawnSync('zstd', ['--version']).status === 0) {
      expect(readFileSync(`${await unpacked}/file`).length).toBe(100_000);
      await expect(unpack(tar, {}, (bytes) => zstdFrame(bytes).subarray(0, 5000))).rejects.toSatisfy((error) =>
        isStoreError(error, 'UNSAFE_LAYER'),
      );
    } else await expect(unpacked).rejects.toThrow('install the program zstd');
  });

  it('may have names in pax and GNU records, and folders that it does not list', async () => {
    const deep = `${'d'.repeat(90)}/${'e'.repeat(90)}/${'f'.repeat(90)}`;
    const out = await unpackEntries(
      { name: 'short', pax: { path: `${deep}/pax` }, content: '1' },
      { name: '././@LongLink', type: 'L', content: `${deep}/gnu\0` },
      { name: 'cut', content: '2' },
    );
    expect(readdirSync(`${out}/${deep}`).toSorted()).toEqual(['gnu', 'pax']);
  });

  it('turns whiteouts into devices 0/0 and opaque folders into attributes of overlayfs', async () => {
    const out = await unpackEntries(
      { name: 'etc/.wh.passwd' },
      { name: 'opt/', type: '5', mode: 0o755 },
      { name: 'opt/.wh..wh..opq' },
      { name: 'opt/new', content: 'x' },
      { name: '.wh..wh.plnk/', type: '5' },
    );
    expect(deviceOf(`${out}/etc/passwd`)).toEqual({ isDevice: true, device: 0 });
    expect([isOpaque(`${out}/opt`), isOpaque(`${out}/etc`)]).toEqual([true, false]);
    expect(readdirSync(`${out}/opt`)).toEqual(['new']);
    expect(readdirSync(out).toSorted()).toEqual(['etc', 'opt']);
  });

  it('hides the lower folder where it deletes and makes one of the same name', async () => {
    const out = await unpackEntries(
      { name: '.wh.first' },
      { name: 'first/file', content: 'x' },
      { name: 'second/file', content: 'x' },
      { name: '.wh.second' },
    );
    expect([isOpaque(`${out}/first`), isOpaque(`${out}/second`)]).toEqual([true, true]);
  });

  it('may write through links, which stay inside of it', async () => {
    const out = await unpackEntries(
      { name: 'usr/lib/', type: '5', mode: 0o755 },
      { name: 'lib', type: '2', link: '/usr/lib' },
      { name: 'up', type: '2', link: '../../../../usr' },
      { name: 'lib/one', content: '1' },
      { name: 'up/lib/two', content: '2' },
    );
    expect(readdirSync(`${out}/usr/lib`).toSorted()).toEqual(['one', 'two']);
  });

  it('replaces entries that come again in another form', async () => {
    const out = await unpackEntries(
      { name: 'x/deep/file', content: 'x' },
      { name: 'x', content: 'now a file' },
      { name: 'y', content: 'x' },
      { name: 'y', type: '2', link: 'x' },
      { name: 'y', type: '5', mode: 0o755 },
    );
    expect(readFileSync(`${out}/x`, 'utf8')).toBe('now a file');
    expect(statSync(`${out}/y`).isDirectory()).toBe(true);
  });

  it.runIf(isRoot)('keeps the attributes of programs, and none of overlayfs', async () => {
    const capability = '\x01\x00\x00\x02\x00\x20\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00';
    const out = await unpackEntries({
      name: 'ping',
      mode: 0o755,
      pax: {
        'SCHILY.xattr.security.capability': capability,
        'SCHILY.xattr.user.note': 'x',
        'SCHILY.xattr.user.overlay.redirect': '/etc',
        'SCHILY.xattr.trusted.overlay.opaque': 'y',
      },
    });
    expect(xattrsOf(`${out}/ping`)).toEqual(['security.capability', 'user.note']);
  });
});

describe.each(['as it is', 'with sanitizers'])('a hostile layer, to the program %s,', (variant) => {
  const built = new TestFolder();
  beforeAll(() => {
    if (variant === 'as it is') return;
    // Leaks do not matter in a program that ends, and finding them needs /proc, which it gives up.
    process.env['ASAN_OPTIONS'] = 'detect_leaks=0';
    const path = built.join('layers');
    execFileSync(process.execPath, [join(native, 'scripts/build.mjs'), '--sanitize', '--output', path]);
    program = new LayersProgram(path);
  }, 60_000);
  afterAll(() => {
    delete process.env['ASAN_OPTIONS'];
    program = new LayersProgram();
    built[Symbol.dispose]();
  });

  const outside = { name: 'out', type: '2', link: '/tmp' };
  const cases: readonly [string, readonly TarEntry[], string][] = [
    ['a name that leads upwards', [{ name: '../evil', content: 'x' }], 'UNSAFE_LAYER'],
    ['a name that leads upwards in the middle', [{ name: 'a/../../evil', content: 'x' }], 'UNSAFE_LAYER'],
    ['a pax name that leads upwards', [{ name: 'a', pax: { path: '../evil' }, content: 'x' }], 'UNSAFE_LAYER'],
    ['a hard link to a file outside', [{ name: 'a', type: '1', link: '/etc/passwd' }], 'UNSAFE_LAYER'],
    ['a hard link upwards', [{ name: 'a', type: '1', link: '../../etc/passwd' }], 'UNSAFE_LAYER'],
    ['a hard link through a link', [outside, { name: 'a', type: '1', link: 'out/../etc/passwd' }], 'UNSAFE_LAYER'],
    [
      'a hard link to a folder',
      [
        { name: 'd/', type: '5' },
        { name: 'a', type: '1', link: 'd' },
      ],
      'UNSAFE_LAYER',
    ],
    ['a hard link to the root', [{ name: 'a', type: '1', link: '/' }], 'UNSAFE_LAYER'],
    [
      'a file below a file',
      [
        { name: 'a', content: 'x' },
        { name: 'a/b', content: 'x' },
      ],
      'UNSAFE_LAYER',
    ],
    ['a file below a dangling link', [{ name: 'a', type: '2', link: 'b' }, { name: 'a/c' }], 'UNSAFE_LAYER'],
    [
      'a loop of links',
      [{ name: 'a', type: '2', link: 'b' }, { name: 'b', type: '2', link: 'a' }, { name: 'a/c' }],
      'UNSAFE_LAYER',
    ],
    ['a whiteout of the folder above', [{ name: 'a/.wh...' }], 'UNSAFE_LAYER'],
    ['a whiteout of nothing', [{ name: 'a/.wh.' }], 'UNSAFE_LAYER'],
    ['a root that is a file', [{ name: './', type: '0', content: 'x' }], 'UNSAFE_LAYER'],
    ['a name that is too long', [{ name: 'a', pax: { path: 'x/'.repeat(3000) } }], 'UNSAFE_LAYER'],
    ['a part of a name that is too long', [{ name: 'a', pax: { path: 'x'.repeat(300) } }], 'UNSAFE_LAYER'],
    ['a name with a NUL', [{ name: 'a', pax: { path: 'a\0b' } }], 'UNSAFE_LAYER'],
    ['a size that is not there', [{ name: 'a', content: 'x', size: 9_999_999 }], 'UNSAFE_LAYER'],
    ['a size beyond all limits', [{ name: 'a', pax: { size: '999999999999999999' } }], 'TOO_LARGE'],
    [
      'a pax record that lies about its length',
      [{ name: 'pax', type: 'x', content: '999 path=x\n' }, { name: 'a' }],
      'UNSAFE_LAYER',
    ],
    ['a pax record without an end', [{ name: 'pax', type: 'x', content: '5' }, { name: 'a' }], 'UNSAFE_LAYER'],
    ['an unknown type', [{ name: 'a', type: 'Z' }], 'UNSAFE_LAYER'],
    ['a sparse file', [{ name: 'a', pax: { 'GNU.sparse.major': '1' } }], 'UNSAFE_LAYER'],
    ['an owner that is no id', [{ name: 'a', pax: { uid: '99999999999' } }], 'UNSAFE_LAYER'],
  ];

  it.each(cases)('is refused for %s', async (_, entries, code) => {
    await expect(unpackEntries(...entries)).rejects.toSatisfy((error) => isStoreError(error, code as never));
    expect(readdirSync(folder.path).filter((name) => !/^(?:out-\d+|layer\.tar)$/.test(name))).toEqual([]);
  });

  it('cannot write through a link that leads outside', async () => {
    const target = folder.join('target');
    mkdirSync(target);
    const out = await unpackEntries({ name: 'out', type: '2', link: target }, { name: 'made/x', content: 'x' });
    await expect(
      unpackEntries({ name: 'out', type: '2', link: target }, { name: 'out/evil', content: 'x' }),
    ).rejects.toSatisfy((error) => isStoreError(error, 'UNSAFE_LAYER'));
    expect([readdirSync(target), readlinkSync(`${out}/out`)]).toEqual([[], target]);
  });

  it('is refused when its header is damaged, it is cut off, or it is no archive', async () => {
    const tar = tarOf([{ name: 'a', content: 'x'.repeat(5000) }]);
    const damaged = Buffer.from(tar);
    damaged[0] = 0x41;
    for (const bytes of [damaged, tar.subarray(0, 3000), Buffer.alloc(700, 7)])
      await expect(unpack(bytes)).rejects.toSatisfy((error) => isStoreError(error, 'UNSAFE_LAYER'));
    await expect(unpack(tar, {}, (bytes) => gzipSync(bytes).subarray(0, 40))).rejects.toSatisfy((error) =>
      isStoreError(error, 'UNSAFE_LAYER'),
    );
  });

  it('is refused when it is a bomb: too many bytes, too many times its size, too many files', async () => {
    const big = tarOf([{ name: 'a', content: Buffer.alloc(4_000_000) }]);
    const many = tarOf(Array.from({ length: 50 }, (_, index) => ({ name: `f${index}` })));
    const isTooLarge = (error: unknown) => isStoreError(error, 'TOO_LARGE');
    await expect(unpack(big, { maxBytes: 1_000_000 }, gzipSync)).rejects.toSatisfy(isTooLarge);
    await expect(unpack(big, { freeBytes: 100_000, maxRatio: 10 }, gzipSync)).rejects.toSatisfy(isTooLarge);
    await expect(unpack(many, { maxEntries: 10 })).rejects.toSatisfy(isTooLarge);
  });

  it('is refused when its content is not the one that the image names', async () => {
    const file = folder.join('layer.tar');
    const out = folder.join('out');
    mkdirSync(out);
    writeFileSync(file, tarOf([{ name: 'a' }]));
    const request = { file, diffId: digestOf('other'), folder: out, limits: defaultLayerLimits };
    await expect(unpackBlob(program, request)).rejects.toSatisfy((error) => isStoreError(error, 'DIGEST_MISMATCH'));
  });
});

describe.runIf(isRoot)('a layer that another user unpacks', () => {
  it('has its whiteouts and links, and all files belong to that user', () => {
    const out = folder.join('out');
    mkdirSync(out);
    chmodSync(folder.path, 0o755);
    chownSync(out, 65_534, 65_534);
    const copy = folder.join('layers');
    copyFileSync(join(native, 'dist/layers'), copy);
    const input = tarOf([
      { name: 'a/', type: '5', mode: 0o500, uid: 5 },
      { name: 'a/.wh.x' },
      { name: 'a/.wh..wh..opq' },
      { name: 'a/file', mode: 0o4755, uid: 1000 },
    ]);
    const as = ['--reuid=65534', '--regid=65534', '--clear-groups'];
    const run = (...words: readonly string[]) =>
      spawnSync('setpriv', [...as, copy, ...words], { input, encoding: 'utf8' });
    const inNamespace = run('unpack', out);
    // Where ordinary users may not have user namespaces, the store goes on without.
    const { stderr, status } = inNamespace.stderr.startsWith('NO_NAMESPACE')
      ? run('unpack', '--plain', out)
      : inNamespace;
    expect([stderr, status]).toEqual(['', 0]);
    expect(deviceOf(`${out}/a/x`)).toEqual({ isDevice: true, device: 0 });
    const { uid, mode } = statSync(`${out}/a/file`);
    expect([uid, mode & 0o7777, isOpaque(`${out}/a`)]).toEqual([65_534, 0o4755, true]);
  });
});

describe('removing a layer', () => {
  it('removes folders of any depth and mode', async () => {
    const entries: TarEntry[] = [];
    let path = '';
    for (let level = 0; level < 200; level++)
      entries.push({ name: 'd', type: '5', pax: { path: (path += 'd/') }, mode: 0o500 });
    const out = await unpackEntries(...entries, { name: 'locked/', type: '5', mode: 0 }, { name: '.wh.x' });
    await program.remove(out);
    expect(readdirSync(folder.path)).toEqual(['layer.tar']);
  });
});

describe('subordinate ids', () => {
  it('are the first range of the user that is large enough', () => {
    const text = 'other:1:65536\nme:5:100\nme:100000:65536\nme:200000:65536\n';
    expect(subordinateRange(text, 'me', 1000)).toBe('100000:65536');
    expect(subordinateRange('1000:7:65536', 'me', 1000)).toBe('7:65536');
    expect(subordinateRange('me:x:65536\nyou:1:65536', 'me', 1000)).toBeUndefined();
  });
});
