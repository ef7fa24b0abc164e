import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { pullBundle } from './pull-bundle.ts';

let folder: string;
let registry: ChildProcess;
let host: string;

/** Docker's own registry, from Debian's package. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'registry-'));
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  host = `127.0.0.1:${(probe.address() as AddressInfo).port}`;
  await new Promise((resolve) => probe.close(resolve));
  const storage = `storage: {filesystem: {rootdirectory: ${folder}/data}}`;
  writeFileSync(join(folder, 'config.yml'), `version: 0.1\n${storage}\nhttp: {addr: "${host}"}\nlog: {level: error}\n`);
  registry = spawn('docker-registry', ['serve', join(folder, 'config.yml')], { stdio: 'ignore' });
  await vi.waitFor(() => fetch(`http://${host}/v2/`), { timeout: 10_000 });
});
afterAll(() => {
  registry.kill();
  rmSync(folder, { recursive: true, force: true });
});

async function push(data: Buffer): Promise<{ digest: string; size: number }> {
  const digest = `sha256:${createHash('sha256').update(data).digest('hex')}`;
  const { headers } = await fetch(`http://${host}/v2/byoh/name/blobs/uploads/`, { method: 'POST' });
  const place = new URL(headers.get('location') ?? '', `http://${host}`);
  place.searchParams.set('digest', digest);
  const { ok } = await fetch(place, {
    method: 'PUT',
    body: new Uint8Array(data),
    headers: { 'content-type': 'application/octet-stream' },
  });
  expect(ok).toBe(true);
  return { digest, size: data.length };
}

it('a bundle comes out of a real registry as it was put in', async () => {
  mkdirSync(join(folder, 'content'));
  for (const name of ['kubelet.deb', 'conf.tar'])
    writeFileSync(join(folder, 'content', name), Buffer.alloc(300_000, name));
  const type = 'application/vnd.oci.image.manifest.v1+json';
  const layer = await push(execFileSync('tar', ['-czf', '-', '-C', join(folder, 'content'), '.']));
  const config = { ...(await push(Buffer.from('{}'))), mediaType: 'application/vnd.oci.image.config.v1+json' };
  const layers = [{ ...layer, mediaType: 'application/vnd.oci.image.layer.v1.tar+gzip' }];
  const body = JSON.stringify({ schemaVersion: 2, mediaType: type, config, layers });
  const { ok } = await fetch(`http://${host}/v2/byoh/name/manifests/v1.26.6`, {
    method: 'PUT',
    body,
    headers: { 'content-type': type },
  });
  expect(ok).toBe(true);
  const { signal } = new AbortController();
  await pullBundle(`${host}/byoh/name:v1.26.6`, join(folder, 'out'), signal);
  expect(readdirSync(join(folder, 'out')).toSorted()).toEqual(['conf.tar', 'kubelet.deb']);
  for (const name of readdirSync(join(folder, 'out')))
    expect(readFileSync(join(folder, 'out', name)).equals(readFileSync(join(folder, 'content', name)))).toBe(true);
  await expect(pullBundle(`${host}/byoh/name:v9`, join(folder, 'no'), signal)).rejects.toThrow('MANIFEST_UNKNOWN');
});
