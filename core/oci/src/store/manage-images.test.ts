import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  createWriteStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { digestOf, imageOf, layerOf, pushImage, TestFolder, TestRegistry } from '@tektite/testkit/images';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isStoreError, type StoreErrorCode } from '../store-error.ts';
import { chooseImages } from './collect-garbage.ts';
import { ImageStore } from './image-store.ts';
import { digestsInLease } from './lease.ts';
import type { ListedImage } from './list-images.ts';

let folder: TestFolder;
let registry: TestRegistry;
let store: ImageStore;

beforeEach(async () => {
  folder = new TestFolder();
  registry = await TestRegistry.start();
  store = await ImageStore.open({ folder: folder.join('store') });
});
afterEach(async () => {
  await store[Symbol.asyncDispose]();
  await registry[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const base = layerOf([{ name: 'base', content: 'b'.repeat(1000) }]);
const imageWith = (name: string) => imageOf([base, layerOf([{ name, content: name.repeat(500) }])], { Cmd: [name] });
const nameOf = (name: string) => `${registry.host}/team/${name}:v1`;
const list = (part: string) => readdirSync(folder.join('store', part));
const code = (expected: StoreErrorCode) => (error: unknown) => isStoreError(error, expected);

async function pull(name: string): Promise<void> {
  await pushImage(registry.origin, `team/${name}`, 'v1', imageWith(name));
  await (await store.pull(nameOf(name))).release();
}

/** Makes an image as if it was last used so long ago. */
function age(name: string, hours: number): void {
  const time = Date.now() / 1000 - hours * 3600;
  utimesSync(folder.join('store/images', `${imageWith(name).digest.slice(7)}.json`), time, time);
}

describe('garbage collection', () => {
  it('chooses images by age, and the least recently used ones by size', () => {
    const listed = (digest: string, lastUsed: number, diskBytes: number) =>
      ({ digest, lastUsed, diskBytes }) as ListedImage;
    const images = [listed('new', 900, 10), listed('old', 100, 10), listed('middle', 500, 10)];
    const chosen = (options: object) => chooseImages(images, 30, options, 1000).map(({ digest }) => digest);
    expect(chosen({})).toEqual([]);
    expect(chosen({ maxAgeMs: 600 })).toEqual(['old']);
    expect(chosen({ maxBytes: 10 })).toEqual(['old', 'middle']);
    expect(chosen({ maxAgeMs: 600, maxBytes: 20 })).toEqual(['old']);
    expect(chosen({ maxBytes: 0 })).toEqual(['old', 'middle', 'new']);
  });

  it('removes old images with the layers that no other image has', async () => {
    await pull('old');
    await pull('young');
    age('old', 48);
    const report = await store.prune({ maxAgeMs: 24 * 3600 * 1000 });
    expect(report.removed).toEqual([nameOf('old')]);
    expect(report.bytes).toBeGreaterThan(1500);
    expect([list('layers').length, list('images').length, list('names').length, list('tmp')]).toEqual([2, 1, 1, []]);
    expect(await store.hold(nameOf('young'))).toBeDefined();
    expect(await store.hold(nameOf('old'))).toBeUndefined();
  });

  it('leaves images that this process holds, or another one', async () => {
    await pull('mine');
    await pull('theirs');
    const held = await store.hold(nameOf('mine'));
    const script = `
      import { ImageStore } from '@tektite/oci';
      const store = await ImageStore.open({ folder: process.argv[1] });
      await store.hold(process.argv[2]);
      process.stdout.write('held\\n');
      process.stdin.resume();`;
    const words = ['--input-type=module', '-e', script, folder.join('store'), nameOf('theirs')];
    const child = spawn(process.execPath, words, { cwd: import.meta.dirname, stdio: ['pipe', 'pipe', 'inherit'] });
    try {
      await once(child.stdout, 'data');
      expect((await store.prune({ maxBytes: 0 })).removed).toEqual([]);
      await expect(store.remove(nameOf('theirs'))).rejects.toSatisfy(code('IN_USE'));
    } finally {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    expect((await store.prune({ maxBytes: 0 })).removed).toEqual([nameOf('theirs')]);
    await held?.release();
    expect((await store.prune({ maxBytes: 0 })).removed).toEqual([nameOf('mine')]);
    expect(['layers', 'blobs', 'images', 'names', 'tmp'].map(list)).toEqual([[], [], [], [], []]);
  }, 60_000);

  it('can run while images are pulled', async () => {
    const names = Array.from({ length: 6 }, (_, index) => `n${index}`);
    for (const name of names) await pushImage(registry.origin, `team/${name}`, 'v1', imageWith(name));
    const held = await Promise.all([
      ...names.map((name) => store.pull(nameOf(name)).catch((error: unknown) => error)),
      store.prune({ maxBytes: 0 }),
      store.prune({ maxBytes: 0 }),
    ]);
    for (const each of held.slice(0, names.length)) {
      // One that was removed in the moment between pulling and holding says so; all others are complete.
      if (isStoreError(each, 'NOT_FOUND')) continue;
      for (const layer of (each as { layers: readonly string[] }).layers) expect(existsSync(layer)).toBe(true);
    }
  }, 60_000);

  it('reads leases line by line, and a line that is not complete counts for nothing', () => {
    expect([...digestsInLease('+a\n+b\n-a\n+c')]).toEqual(['b']);
  });
});

describe('removing an image', () => {
  it('removes a name, and the image with its last name', async () => {
    await pull('app');
    await pushImage(registry.origin, 'team/other', 'v1', imageWith('app'));
    await (await store.pull(nameOf('other'))).release();
    expect((await store.list()).map(({ names }) => names)).toEqual([[nameOf('app'), nameOf('other')]]);
    expect(await store.remove(nameOf('app'))).toBe(true);
    expect((await store.list()).map(({ names }) => names)).toEqual([[nameOf('other')]]);
    expect(await store.remove(imageWith('app').digest)).toBe(true);
    expect([await store.list(), await store.remove(nameOf('other'))]).toEqual([[], false]);
  });
});

describe('archives', () => {
  const writeAll = (files: Readonly<Record<string, string | Uint8Array>>) => {
    for (const [name, content] of Object.entries(files)) {
      const path = folder.join('archive', name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
    }
  };
  const pack = (...words: readonly string[]) => {
    execFileSync('tar', ['-C', folder.join('archive'), '-cf', folder.join('archive.tar'), ...words, '.']);
    return folder.join('archive.tar');
  };

  it('of this store can be loaded by another one, and are the same bytes each time', async () => {
    await pull('app');
    for (const name of ['a.tar', 'b.tar'])
      await pipeline(store.save([nameOf('app')]), createWriteStream(folder.join(name)));
    expect(readFileSync(folder.join('a.tar')).equals(readFileSync(folder.join('b.tar')))).toBe(true);
    await using other = await ImageStore.open({ folder: folder.join('other') });
    expect(await other.load(folder.join('a.tar'))).toEqual([
      { digest: imageWith('app').digest, names: [nameOf('app')] },
    ]);
    expect((await other.hold(nameOf('app')))?.layers.length).toBe(2);
    await expect(pipeline(other.save(['none:v1']), createWriteStream('/dev/null'))).rejects.toSatisfy(
      code('NOT_FOUND'),
    );
  });

  it('of docker save are loaded, as a file or a folder, links and all', async () => {
    const tar = layerOf([{ name: 'file', content: 'x' }], (each) => each);
    const config = JSON.stringify({ os: 'linux', architecture: 'amd64', rootfs: { diff_ids: [tar.diffId] } });
    writeAll({
      'config.json': config,
      'layer/layer.tar': tar.blob,
      'manifest.json': JSON.stringify([
        { Config: 'config.json', RepoTags: ['tools/app:v2'], Layers: ['layer/layer.tar'] },
      ]),
    });
    execFileSync('ln', ['-s', '../layer/layer.tar', folder.join('archive/link')]);
    const fromFile = await store.load(pack('-z'));
    expect(fromFile[0]?.names).toEqual(['docker.io/tools/app:v2']);
    expect(await store.load(folder.join('archive'))).toEqual(fromFile);
    const held = await store.hold('tools/app:v2', { platform: { os: 'linux', architecture: 'amd64' } });
    expect(held?.imageID).toBe(digestOf(config));
  });

  it('that are OCI image layouts are loaded, under a given name if they have none', async () => {
    const { manifest, digest, blobs } = imageWith('app');
    const all = [Buffer.from(manifest), ...blobs].map(
      (blob) => [`blobs/sha256/${digestOf(blob).slice(7)}`, blob] as const,
    );
    writeAll({ ...Object.fromEntries(all), 'index.json': JSON.stringify({ manifests: [{ digest }] }) });
    expect(await store.load(pack())).toEqual([{ digest, names: [] }]);
    expect(await store.load(pack(), { name: 'mine:v3' })).toEqual([{ digest, names: ['docker.io/library/mine:v3'] }]);
  });

  it.each([
    ['is no archive', { 'file.txt': 'x' }, 'INVALID_IMAGE'],
    ['names files outside', { 'manifest.json': '[{"Config":"../../etc/passwd","Layers":[]}]' }, 'INVALID_IMAGE'],
    ['lacks a blob', { 'index.json': JSON.stringify({ manifests: [{ digest: digestOf('x') }] }) }, 'INVALID_IMAGE'],
    [
      'has a damaged blob',
      {
        'index.json': JSON.stringify({ manifests: [{ digest: digestOf('x') }] }),
        [`blobs/sha256/${digestOf('x').slice(7)}`]: 'y',
      },
      'DIGEST_MISMATCH',
    ],
  ] as const)('are refused: one that %s', async (_, files, expected) => {
    writeAll(files as Record<string, string>);
    await expect(store.load(pack())).rejects.toSatisfy(code(expected));
    expect(list('tmp')).toEqual([]);
  });
});
