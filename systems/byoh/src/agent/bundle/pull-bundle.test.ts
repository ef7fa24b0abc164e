import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pullBundle } from './pull-bundle.ts';

let folder: string;
const { signal } = new AbortController();
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tektite-bundle-'));
  mkdirSync(join(folder, 'content'));
  for (const name of ['kubelet.deb', 'conf.tar']) writeFileSync(join(folder, 'content', name), name);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const out = () => join(folder, 'out');
const digestOf = (data: Buffer) => createHash('sha256').update(data).digest('hex');
const layer = () => execFileSync('tar', ['-czf', '-', '-C', join(folder, 'content'), '.']);

/** Nothing is left of an attempt that failed. */
const expectNothing = () => expect(readdirSync(folder).filter((name) => name.startsWith('out'))).toEqual([]);

describe('a bundle', () => {
  it.each(['name:v1', 'name/v1', 'name:v1/ignored:v1'])('comes out of a folder that is called %s', async (path) => {
    const place = join(folder, 'repo', path.startsWith('name:v1/') ? 'name:v1' : path);
    mkdirSync(join(place, '..'), { recursive: true });
    execFileSync('cp', ['-r', join(folder, 'content'), place]);
    await pullBundle(`dir:${folder}/repo/${path.startsWith('name:v1/') ? path : 'name:v1'}`, out(), signal);
    expect(readdirSync(out()).toSorted()).toEqual(['conf.tar', 'kubelet.deb']);
  });

  it('is not made up where there is none', async () => {
    await expect(pullBundle(`dir:${folder}/repo/name:v1`, out(), signal)).rejects.toThrow('there is no bundle in');
    expectNothing();
  });

  it('comes out of an image layout, and not when it is damaged', async () => {
    const blobs = join(folder, 'layout/blobs/sha256');
    mkdirSync(blobs, { recursive: true });
    const put = (data: Buffer) => {
      writeFileSync(join(blobs, digestOf(data)), data);
      return `sha256:${digestOf(data)}`;
    };
    const packed = put(layer());
    const manifest = put(Buffer.from(JSON.stringify({ layers: [{ digest: packed }] })));
    const annotations = { 'org.opencontainers.image.ref.name': 'name:v1' };
    writeFileSync(
      join(folder, 'layout/index.json'),
      JSON.stringify({ manifests: [{ digest: manifest, annotations }] }),
    );
    const address = `oci-layout:${folder}/layout/name:v1`;
    await pullBundle(address, out(), signal);
    expect(readFileSync(join(out(), 'kubelet.deb'), 'utf8')).toBe('kubelet.deb');
    rmSync(out(), { recursive: true });
    writeFileSync(join(blobs, packed.slice('sha256:'.length)), 'something else');
    await expect(pullBundle(address, out(), signal)).rejects.toThrow('error verifying sha256 checksum');
    expectNothing();
  });

  it('from a registry that lies is refused', async () => {
    const wanted = `sha256:${digestOf(Buffer.from('wanted'))}`;
    const server = createServer(({ url = '' }, response) => {
      if (url.includes('/manifests/')) response.end(JSON.stringify({ layers: [{ digest: wanted }] }));
      else response.end('other');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const address = `127.0.0.1:${(server.address() as AddressInfo).port}/byoh/name:v1`;
      await expect(pullBundle(address, out(), signal)).rejects.toThrow('error verifying sha256 checksum');
      expectNothing();
    } finally {
      server.close();
    }
  });

  it.each(['', 'no such/thing:v 1', 'registry.example.com/../x:v1'])('is not pulled from %j', async (address) => {
    await expect(pullBundle(address, out(), signal)).rejects.toThrow();
    expectNothing();
  });
});
