import { execFileSync } from 'node:child_process';
import { gzipSync } from 'node:zlib';
import { busyboxLayer, DockerRegistry, imageOf, layerOf, pushImage, TestFolder } from '@tektite/testkit/images';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ImageStore } from './image-store.ts';

let folder: TestFolder;
let registry: DockerRegistry;

beforeAll(async () => {
  folder = new TestFolder();
  registry = await DockerRegistry.start();
});
afterAll(async () => {
  await registry[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

it("an image of Docker's registry runs from its layers", async () => {
  await pushImage(registry.origin, 'tools/busybox', 'v1', imageOf([busyboxLayer()], { Cmd: ['/bin/sh'] }));
  await using store = await ImageStore.open({ folder: folder.join('store') });
  const image = await store.pull(`${registry.host}/tools/busybox:v1`);
  const output = execFileSync('chroot', [image.layers[0] as string, '/bin/busybox', 'cat', '/etc/passwd']);
  expect(output.toString()).toContain('app:x:1000');
});

it("a download from Docker's registry continues after a cut", async () => {
  const content = Buffer.from(Array.from({ length: 3_000_000 }, (_, index) => (index * 7919) % 251));
  const image = imageOf([layerOf([{ name: 'file', content }], (tar) => gzipSync(tar, { level: 0 }))]);
  await pushImage(registry.origin, 'tools/large', 'v1', image);
  await using store = await ImageStore.open({ folder: folder.join('store') });
  const abort = new AbortController();
  const onProgress = ({ bytes }: { bytes: number }) => bytes > 500_000 && abort.abort(new Error('cut'));
  const name = `${registry.host}/tools/large:v1`;
  await expect(store.pull(name, { onProgress, signal: abort.signal })).rejects.toThrow('cut');
  const seen: number[] = [];
  await store.pull(name, { onProgress: ({ bytes }) => seen.push(bytes) });
  expect(seen[0]).toBeGreaterThan(500_000);
});
