import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { folderPayload } from './folder-payload.ts';
import { objectPayload } from './object-payload.ts';
import { Payload } from './payload.ts';
import { compareVersions, newestFirst } from './release-version.ts';
import { urlPayload } from './url-payload.ts';

const map = (name: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n`;
const folders = ['tekton-pipeline'];

describe('versions', () => {
  it('are in the order of their numbers, releases before what came before them', () => {
    const versions = ['v1.2.0', '1.10.0', 'v1.10.0-rc.1', '00-prereconcile', '1.10.0-rc.2', 'v0.9'];
    expect(newestFirst(versions)).toEqual([
      '1.10.0',
      '1.10.0-rc.2',
      'v1.10.0-rc.1',
      'v1.2.0',
      'v0.9',
      '00-prereconcile',
    ]);
    expect(compareVersions('v1.0.0', '1.0.0')).toBe(0);
  });
});

describe('a folder', () => {
  let root: string;
  beforeEach(() => (root = mkdtempSync(join(tmpdir(), 'tektite-payload-'))));
  afterEach(() => rmSync(root, { recursive: true, force: true }));
  function write(path: string, text: string): void {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const payload = () => new Payload([folderPayload(root)]);

  it('gives the newest release, whole', async () => {
    write('tekton-pipeline/1.9.0/release.yaml', map('old'));
    write('tekton-pipeline/1.10.0/a.yaml', map('a'));
    write('tekton-pipeline/1.10.0/more/b.yaml', map('b'));
    write('tekton-pipeline/README.md', 'nothing');
    const { version, manifest } = await payload().release(folders);
    expect(version).toBe('1.10.0');
    expect(manifest.objects.map(({ metadata }) => metadata.name)).toEqual(['a', 'b']);
  });

  it('gives the release that is asked for, with or without its v', async () => {
    write('tekton-pipeline/1.9.0/release.yaml', map('old'));
    write('tekton-pipeline/1.10.0/release.yaml', map('new'));
    expect((await payload().release(folders, 'v1.9.0')).version).toBe('1.9.0');
    await expect(payload().release(folders, 'v2.0.0')).rejects.toThrow(
      /^there is no release v2\.0\.0 of tekton-pipeline \(searched the folder .*\); there are 1\.10\.0, 1\.9\.0$/,
    );
  });

  it('gives objects that have no version', async () => {
    write('webhook/webhook.yaml', map('w'));
    expect((await payload().extra('webhook'))?.size).toBe(1);
    expect(await payload().extra('other')).toBeUndefined();
  });

  it.each([
    ['is missing', undefined, 'there is no release of tekton-pipeline'],
    ['is empty', '', 'has no objects'],
    ['is no YAML', 'a: [', 'cannot be used'],
    ['is no object', 'a: 1', 'cannot be used'],
  ])('with a release that %s says so, and tries again', async (_, text, message) => {
    if (text !== undefined) write('tekton-pipeline/1.0.0/release.yaml', text);
    const tried = payload();
    await expect(tried.release(folders)).rejects.toThrow(message);
    write('tekton-pipeline/1.0.0/release.yaml', map('a'));
    expect((await tried.release(folders)).manifest.size).toBe(1);
  });
});

describe('a URL', () => {
  let server: Server;
  let url: string;
  beforeEach(async () => {
    server = createServer((request, response) => {
      response.statusCode = request.url === '/release.yaml' ? 200 : 404;
      response.end(map('far'));
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(() => void server.close());
  const release = (more: object) => ({
    folder: 'tekton-pipeline',
    version: 'v1.0.0',
    url: `${url}/release.yaml`,
    ...more,
  });

  it('is fetched, and must be what was meant', async () => {
    const sha256 = createHash('sha256').update(map('far')).digest('hex');
    expect((await new Payload([urlPayload([release({ sha256 })])]).release(folders)).version).toBe('v1.0.0');
    const other = new Payload([urlPayload([release({ sha256: '0'.repeat(64) })])]);
    await expect(other.release(folders)).rejects.toThrow('the payload tekton-pipeline v1.0.0 cannot be used');
  });

  it('reports a missing release', async () => {
    const missing = new Payload([urlPayload([release({ url: `${url}/gone.yaml` })])]);
    await expect(missing.release(folders)).rejects.toThrow('404');
  });
});

it('the first source that has a component decides', async () => {
  const object = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
  const source = (version: string, folder = 'tekton-pipeline') =>
    objectPayload([{ folder, version, objects: () => [object(version)] }], { webhook: () => [object('w')] });
  const payload = new Payload([source('v1.0.0', 'other'), source('v1.0.0'), source('v2.0.0')]);
  expect((await payload.release(folders)).version).toBe('v1.0.0');
  expect(await payload.versions(folders)).toEqual(['v2.0.0', 'v1.0.0']);
  expect((await payload.extra('webhook'))?.size).toBe(1);
});
