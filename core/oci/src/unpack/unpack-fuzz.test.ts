import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { seededRandom } from '@tektite/meta';
import { digestOf, type TarEntry, tarOf, TestFolder } from '@tektite/testkit/images';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isStoreError } from '../store-error.ts';
import { LayersProgram } from './layers-program.ts';
import { defaultLayerLimits, unpackBlob } from './unpack-blob.ts';

const seed = Number(process.env['FUZZ_SEED'] ?? 20_261_116);
const count = Number(process.env['FUZZ_COUNT'] ?? 120);
const build = join(import.meta.dirname, '../../../../native/layers/scripts/build.mjs');
const random = seededRandom(seed);
const upTo = (limit: number) => Math.floor(random.next() * limit);
const pick = <T>(list: readonly T[]): T => list[upTo(list.length)] as T;

let folder: TestFolder;
let program: LayersProgram;

beforeAll(() => {
  folder = new TestFolder();
  const check = ['-x', 'c', '-', '-fsanitize=address,undefined', '-o', '/dev/null'];
  const canSanitize =
    spawnSync(process.env['CC'] || 'cc', check, { input: 'int main(void) { return 0; }' }).status === 0;
  const path = folder.join('layers');
  execFileSync(process.execPath, [build, '--output', path, ...(canSanitize ? ['--sanitize'] : [])]);
  // Leaks do not matter in a program that ends, and finding them needs /proc, which it gives up.
  process.env['ASAN_OPTIONS'] = 'detect_leaks=0';
  program = new LayersProgram(path);
}, 60_000);
afterAll(() => {
  delete process.env['ASAN_OPTIONS'];
  folder[Symbol.dispose]();
});

/** Few names, so that entries meet each other. */
const names = [
  'a',
  'b',
  'a/b',
  'a/b/c',
  'b/../a',
  '../x',
  '/a',
  './',
  '.',
  'a/',
  'a/.wh.b',
  '.wh.a',
  '.wh..',
  '.wh...',
  'a/.wh..wh..opq',
];
const links = ['a', 'b', '/a/b', '..', '../../target', '/etc/passwd', '.', '', 'a/b/c', 'loop', 'target/file'];
const paxKeys = [
  'path',
  'linkpath',
  'size',
  'uid',
  'gid',
  'mtime',
  'SCHILY.xattr.user.x',
  'SCHILY.xattr.',
  'GNU.sparse.x',
  'x',
];
const paxValues = [
  '',
  '0',
  '-1',
  '1.5',
  '99999999999999999999',
  'a/b',
  '../x',
  'a\0b',
  'x'.repeat(300),
  '18446744073709551615',
  '7',
];

function hostileEntry(): TarEntry {
  const content = Buffer.alloc(upTo(3) * upTo(700), 'x');
  return {
    name: upTo(3) > 0 ? pick(names.slice(0, 4)) : pick(names),
    type: upTo(4) > 0 ? pick(['0', '5', '2', '1']) : pick(['\0', '3', '6', '7', 'x', 'g', 'L', 'K', 'S', '\xff']),
    link: pick(links),
    mode: upTo(0o10000),
    uid: upTo(70_000),
    content,
    ...(upTo(10) === 0 ? { size: pick([0, 1, 511, 513, 2 ** 32]) } : {}),
    ...(upTo(4) === 0 ? { pax: { [pick(paxKeys)]: pick(paxValues) } } : {}),
  };
}

/** Changes bytes of blocks, and makes the sum of the block right again, so that more than the sum is read. */
function damage(tar: Buffer): Buffer {
  for (let times = Math.max(0, upTo(6) - 2); times > 0; times--) {
    const block = tar.subarray(upTo(tar.length / 512) * 512).subarray(0, 512);
    block[upTo(512)] = pick([0, 0x20, 0x2e, 0x2f, 0x37, 0x80, 0xff, upTo(256)]);
    block.fill(0x20, 148, 156);
    const sum = block.reduce((total, byte) => total + byte, 0);
    block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  }
  return upTo(8) === 0 ? tar.subarray(0, upTo(tar.length)) : tar;
}

it(`hostile archives are unpacked inside of their folder or refused, without a fault (${count} inputs, seed ${seed})`, async () => {
  const [target, out, file] = [folder.join('target'), folder.join('out'), folder.join('a.tar')];
  mkdirSync(target);
  writeFileSync(join(target, 'file'), 'untouched');
  let unpacked = 0;
  for (let index = 0; index < count; index++) {
    const tar = damage(tarOf(Array.from({ length: 1 + upTo(8) }, hostileEntry)));
    writeFileSync(file, tar);
    mkdirSync(out);
    const request = { file, diffId: digestOf(tar), folder: out, limits: { ...defaultLayerLimits, maxEntries: 100 } };
    const failure = await unpackBlob(program, request).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (failure !== undefined && !isStoreError(failure))
      throw new Error(`input ${index} of seed ${seed}`, { cause: failure });
    if (failure === undefined) unpacked++;
    await program.remove(out);
    expect(readFileSync(join(target, 'file'), 'utf8')).toBe('untouched');
    expect(readdirSync(folder.path).toSorted()).toEqual(['a.tar', 'layers', 'layers.sources', 'target']);
  }
  // Inputs that are all refused would show little.
  expect(unpacked).toBeGreaterThan(0);
  rmSync(target, { recursive: true });
}, 120_000);
