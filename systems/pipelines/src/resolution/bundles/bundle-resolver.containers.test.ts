import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, vi } from 'vitest';
import { ResolverBench } from '../test-support.ts';
import { bundleResolverCases } from './bundle-resolver.cases.ts';
import { Pusher } from './test-support.ts';

let bench: ResolverBench;
let registry: ChildProcess;
let folder: string;
let host: string;

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Docker's own registry, from Debian's package. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'registry-'));
  host = `127.0.0.1:${await freePort()}`;
  const config = [
    'version: 0.1',
    `storage: {filesystem: {rootdirectory: ${folder}/data}}`,
    `http: {addr: "${host}"}`,
    'log: {level: error}',
  ];
  writeFileSync(join(folder, 'config.yml'), config.join('\n'));
  registry = spawn('docker-registry', ['serve', join(folder, 'config.yml')], { stdio: 'ignore' });
  bench = await ResolverBench.start();
  await vi.waitFor(() => fetch(`http://${host}/v2/`), { timeout: 10_000 });
});

afterAll(async () => {
  registry.kill();
  rmSync(folder, { recursive: true, force: true });
  await bench.stop();
});

describe("the bundle resolver with Docker's registry", () => {
  bundleResolverCases({ bench: () => bench, pusher: () => new Pusher(`http://${host}`), host: () => host });
});
