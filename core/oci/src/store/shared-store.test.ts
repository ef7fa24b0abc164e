import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { digestOf, imageOf, layerOf, pushImage, TestFolder, TestRegistry } from '@tektite/testkit/images';
import { ImageStore } from './image-store.ts';

let folder: TestFolder;
let registry: TestRegistry;
const children: ChildProcess[] = [];

beforeEach(async () => {
  folder = new TestFolder();
  registry = await TestRegistry.start();
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await registry[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

/** Another process, which pulls an image and then waits for the end of its input. It runs the compiled package. */
function pullElsewhere(name: string): ChildProcess {
  const script = `
    import { ImageStore } from '@tektite/oci';
    const store = await ImageStore.open({ folder: process.argv[1] });
    const image = await store.pull(process.argv[2], { policy: 'Always' });
    process.stdout.write(image.layers.length + ' layers\\n');
    await new Promise((resolve) => process.stdin.on('end', resolve).resume());
    await image.release();
    await store[Symbol.asyncDispose]();`;
  const words = ['--input-type=module', '-e', script, folder.join('store'), name];
  const child = spawn(process.execPath, words, { cwd: import.meta.dirname, stdio: ['pipe', 'pipe', 'inherit'] });
  children.push(child);
  return child;
}

/** Kills a pull in the middle. On a busy machine it may be over before the test sees it: then another one is tried, from nothing. */
async function killWhileUnpacking(): Promise<void> {
  for (let tries = 1; tries <= 5; tries++) {
    const child = pullElsewhere(`${registry.host}/team/large:v1`);
    let isPulled = false;
    child.stdout?.once('data', () => {
      isPulled = true;
    });
    const isUnpacking = () => existsSync(folder.join('store', 'tmp')) && list('tmp').length > 0;
    await vi.waitFor(() => expect(isPulled || isUnpacking()).toBe(true), { timeout: 30_000, interval: 1 });
    child.kill('SIGKILL');
    await once(child, 'exit');
    if (!isPulled) return;
    rmSync(folder.join('store'), { recursive: true });
  }
  throw new Error('no pull was caught while it unpacked');
}

const files = Array.from({ length: 40 }, (_, index) => ({
  name: `d/f${index}`,
  content: Buffer.alloc(1_000_000, index),
}));
const large = layerOf(files, (tar) => gzipSync(tar, { level: 1 }));
const list = (part: string) => readdirSync(folder.join('store', part));

describe('processes that share a store', () => {
  it('download and unpack a layer once', async () => {
    await pushImage(registry.origin, 'team/large', 'v1', imageOf([large]));
    const pulls = [1, 2, 3].map(() => pullElsewhere(`${registry.host}/team/large:v1`));
    for (const child of pulls) {
      const [line] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
      expect(line.toString()).toBe('1 layers\n');
    }
    expect(registry.requests.filter(({ url }) => url.endsWith(digestOf(large.blob))).length).toBe(1);
    for (const child of pulls) {
      child.stdin?.end();
      await once(child, 'exit');
    }
    expect([list('layers').length, list('tmp'), list('partial'), list('leases')]).toEqual([1, [], [], []]);
  }, 60_000);

  it('lose nothing when one is killed while it unpacks, and its unfinished work is removed', async () => {
    await pushImage(registry.origin, 'team/large', 'v1', imageOf([large]));
    await killWhileUnpacking();
    await using store = await ImageStore.open({ folder: folder.join('store') });
    const held = await store.pull(`${registry.host}/team/large:v1`);
    const inside = readdirSync(`${held.layers[0]}/d`);
    expect(inside.length).toBe(40);
    expect(inside.every((name) => statSync(`${held.layers[0]}/d/${name}`).size === 1_000_000)).toBe(true);
    expect([list('tmp'), list('leases').length]).toEqual([[], 1]);
  }, 60_000);
});
