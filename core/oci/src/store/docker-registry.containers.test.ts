import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { busyboxLayer, imageOf, layerOf, pushImage, TestFolder } from '../test-support.ts';
import { ImageStore } from './image-store.ts';

let folder: TestFolder;
let registry: ChildProcess;
let host: string;

/** Docker's own registry, from Debian's package. */
beforeAll(async () => {
  folder = new TestFolder();
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  host = `127.0.0.1:${(probe.address() as AddressInfo).port}`;
  await new Promise((resolve) => probe.close(resolve));
  const storage = `storage: {filesystem: {rootdirectory: ${folder.join('data')}}}`;
  const config = `version: 0.1\n${storage}\nhttp: {addr: "${host}"}\nlog: {level: error}\n`;
  writeFileSync(folder.join('config.yml'), config);
  registry = spawn('docker-registry', ['serve', folder.join('config.yml')], { stdio: 'ignore' });
  await vi.waitFor(() => fetch(`http://${host}/v2/`), { timeout: 15_000 });
});
afterAll(() => {
  registry.kill();
  folder[Symbol.dispose]();
});

it("an image of Docker's registry runs from its layers", async () => {
  await pushImage(`http://${host}`, 'tools/busybox', 'v1', imageOf([busyboxLayer()], { Cmd: ['/bin/sh'] }));
  await using store = await ImageStore.open({ folder: folder.join('store') });
  const image = await store.pull(`${host}/tools/busybox:v1`);
  const output = execFileSync('chroot', [image.layers[0] as string, '/bin/busybox', 'cat', '/etc/passwd']);
  expect(output.toString()).toContain('app:x:1000');
});

it("a download from Docker's registry continues after a cut", async () => {
  const content = Buffer.from(Array.from({ length: 3_000_000 }, (_, index) => (index * 7919) % 251));
  const image = imageOf([layerOf([{ name: 'file', content }], (tar) => gzipSync(tar, { level: 0 }))]);
  await pushImage(`http://${host}`, 'tools/large', 'v1', image);
  await using store = await ImageStore.open({ folder: folder.join('store') });
  const abort = new AbortController();
  const onProgress = ({ bytes }: { bytes: number }) => bytes > 500_000 && abort.abort(new Error('cut'));
  const name = `${host}/tools/large:v1`;
  await expect(store.pull(name, { onProgress, signal: abort.signal })).rejects.toThrow('cut');
  const seen: number[] = [];
  await store.pull(name, { onProgress: ({ bytes }) => seen.push(bytes) });
  expect(seen[0]).toBeGreaterThan(500_000);
});
