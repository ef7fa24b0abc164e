import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManifestError } from '../manifest-error.ts';
import type { ProgramRunner } from './program.ts';
import { loadManifest, sourceOf } from './source.ts';

const map = (name: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n`;
const names = async (...args: Parameters<typeof loadManifest>) =>
  (await loadManifest(...args)).objects.map(({ metadata }) => metadata.name);

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'tektite-manifest-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(path: string, text: string): string {
  mkdirSync(join(folder, path, '..'), { recursive: true });
  writeFileSync(join(folder, path), text);
  return join(folder, path);
}

describe('files and folders', () => {
  it('are read in the order of their names, with folders inside, and only what looks like a manifest', async () => {
    write('b.yaml', map('b'));
    write('a.json', JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }));
    write('c/d.yml', map('d'));
    write('README.md', '# not YAML: [');
    write('.hidden.yaml', 'not: [');
    expect(await names({ kind: 'path', path: folder })).toEqual(['a', 'b', 'd']);
    expect(await names({ kind: 'path', path: folder, recursive: false })).toEqual(['a', 'b']);
  });

  it('say what is wrong with the file in question', async () => {
    write('good.yaml', map('a'));
    const bad = write('worse.yaml', 'a: [');
    await expect(loadManifest({ kind: 'path', path: folder })).rejects.toMatchObject({
      code: 'PARSE',
      message: expect.stringContaining(`${bad}:`) as string,
    });
    await expect(loadManifest({ kind: 'path', path: join(folder, 'none') })).rejects.toMatchObject({
      code: 'SOURCE',
      message: expect.stringContaining('no such file') as string,
    });
  });

  it('may have links inside of the folder, and none that lead out of it, to nowhere, or in a circle', async () => {
    write('app/a.yaml', map('a'));
    symlinkSync('a.yaml', join(folder, 'app/b.yaml'));
    expect(await names({ kind: 'path', path: join(folder, 'app') })).toEqual(['a', 'a']);
    write('secret.yaml', map('secret'));
    symlinkSync('../secret.yaml', join(folder, 'app/c.yaml'));
    await expect(names({ kind: 'path', path: join(folder, 'app') })).rejects.toThrow('leads out of the folder');
    symlinkSync('.', join(folder, 'app/again'));
    await expect(names({ kind: 'path', path: join(folder, 'app') })).rejects.toThrow('leads in a circle');
  });

  it('report duplicate objects, and reject them in strict mode', async () => {
    const text = `${map('a')}---\n${map('a')}`;
    const warnings: string[] = [];
    await loadManifest({ kind: 'text', text, name: 'x' }, { onWarning: (warning) => warnings.push(warning) });
    expect(warnings).toEqual(['x:6: configmap a was there before, at x:1; the last one counts']);
    await expect(loadManifest({ kind: 'text', text, name: 'x' }, { strict: true })).rejects.toMatchObject({
      code: 'DUPLICATE',
    });
  });
});

describe('URLs', () => {
  let server: Server;
  let base: string;
  let answer: (path: string, response: ServerResponse, headers: NodeJS.Dict<string | string[]>) => void;
  beforeEach(async () => {
    server = createServer((request, response) => answer(request.url ?? '', response, request.headers));
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(() => server.close());
  const load = (path: string, more: object = {}) => names({ kind: 'url', url: `${base}${path}`, ...more });

  it('are followed through a few redirects, and headers stay with the host they are for', async () => {
    answer = (path, response) => {
      if (path === '/end') response.end(map('a'));
      else response.writeHead(302, { location: path === '/start' ? '/end' : path }).end();
    };
    expect(await load('/start')).toEqual(['a']);
    await expect(load('/circle')).rejects.toThrow('redirects more than 5 times');
  });

  it('have to answer well, and are asked again when the server stumbles', async () => {
    let failures = 2;
    answer = (path, response) => {
      if (path === '/missing') response.writeHead(404).end(map('a'));
      else if (failures-- > 0) response.writeHead(503).end();
      else response.end(map('a'));
    };
    await expect(load('/missing')).rejects.toThrow('the server answers 404');
    expect(await load('/shaky')).toEqual(['a']);
  });

  it('do not fill the memory, packed or not', async () => {
    answer = (path, response) => {
      if (path === '/bomb')
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(1_000_000)));
      else response.end('x'.repeat(100_000));
    };
    await expect(load('/large', { maxBytes: 50_000 })).rejects.toThrow('larger than 50000 bytes');
    await expect(load('/bomb', { maxBytes: 50_000 })).rejects.toThrow('unpacks to more than 50000 bytes');
  });

  it('have to be what was expected, where a hash says what that is', async () => {
    answer = (_path, response) => response.end(map('a'));
    await expect(load('/a', { sha256: '00' })).rejects.toThrow('it is not what was expected');
  });

  it('are printed without credentials, and only http is read', async () => {
    answer = (_path, response) => response.writeHead(403).end();
    const secret = base.replace('http://', 'http://me:hunter2@');
    const error: unknown = await names({ kind: 'url', url: `${secret}/a?token=t0k3n` }).catch(
      (failure: unknown) => failure,
    );
    expect(String(error)).not.toMatch(/hunter2|t0k3n/);
    await expect(names({ kind: 'url', url: 'file:///etc/passwd' })).rejects.toThrow('only http and https');
  });

  it('are asked with what is known of them, and not sent again', async () => {
    let sent = 0;
    answer = (_path, response, headers) => {
      if (headers['if-none-match'] === '"v1"') response.writeHead(304).end();
      else {
        sent++;
        response.writeHead(200, { etag: '"v1"' }).end(map('a'));
      }
    };
    const cache = new Map();
    for (let time = 0; time < 3; time++) await names({ kind: 'url', url: `${base}/a` }, { cache });
    expect(sent).toBe(1);
  });
});

describe('kustomize and Helm', () => {
  const missing: ProgramRunner = {
    run: (command) => Promise.reject(new ManifestError('PROGRAM_MISSING', `no ${command}`)),
  };

  it('are found by what is in a folder', async () => {
    write('k/kustomization.yaml', 'resources: []');
    write('h/Chart.yaml', 'name: x');
    write('p/a.yaml', map('a'));
    const helm = { releaseName: 'r', namespace: 'n' };
    expect(await sourceOf(join(folder, 'k'), helm)).toMatchObject({ kind: 'kustomize' });
    expect(await sourceOf(join(folder, 'h'), helm)).toMatchObject({ kind: 'helm', releaseName: 'r' });
    expect(await sourceOf(join(folder, 'p'), helm)).toMatchObject({ kind: 'path' });
    expect(await sourceOf('https://example.com/a.yaml', helm)).toMatchObject({ kind: 'url' });
    expect(await sourceOf('-', helm)).toEqual({ kind: 'stdin' });
  });

  it('say what to install where there is no program for them', async () => {
    write('k/kustomization.yaml', 'resources: []');
    await expect(
      loadManifest({ kind: 'kustomize', dir: join(folder, 'k') }, { programs: missing }),
    ).rejects.toMatchObject({
      code: 'PROGRAM_MISSING',
      message: expect.stringContaining('neither kustomize nor kubectl') as string,
    });
    const chart = { kind: 'helm', chart: 'x', releaseName: 'r', namespace: 'n' } as const;
    await expect(loadManifest(chart, { programs: missing })).rejects.toThrow('there is no helm here');
  });

  it('fetch nothing from the network unless that is allowed, bases of bases included', async () => {
    write('k/kustomization.yaml', 'resources: [../base]');
    write('base/kustomization.yaml', 'resources: ["https://github.com/acme/base?ref=main"]');
    const programs: ProgramRunner = { run: () => Promise.resolve(map('a')) };
    const source = { kind: 'kustomize', dir: join(folder, 'k') } as const;
    await expect(loadManifest(source, { programs })).rejects.toThrow('is remote');
    expect(await names({ ...source, allowRemote: true }, { programs })).toEqual(['a']);
  });

  it.each([
    'patches: [{path: "https://evil.example/p.yaml"}]',
    'patchesStrategicMerge: ["https://evil.example/p.yaml"]',
    'patchesJson6902: [{path: "https://evil.example/p.yaml", target: {kind: Pod, name: x}}]',
    'configMapGenerator: [{name: x, files: ["a=https://evil.example/a"]}]',
    'secretGenerator: [{name: x, envs: ["http://evil.example/env"]}]',
    'replacements: [{path: "https://evil.example/r.yaml"}]',
    'transformers: ["https://evil.example/t.yaml"]',
    'helmCharts: [{name: x, repo: "https://evil.example"}]',
  ])('fetch no file of any kind either: %s', async (text) => {
    write('k/kustomization.yaml', text);
    const programs: ProgramRunner = { run: () => Promise.resolve(map('a')) };
    const source = { kind: 'kustomize', dir: join(folder, 'k') } as const;
    await expect(loadManifest(source, { programs })).rejects.toThrow('is remote');
  });

  const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0;
  it.skipIf(!hasKubectl)('are built by the program that is there (skipped without kubectl)', async () => {
    write('k/kustomization.yaml', 'namePrefix: my-\nnamespace: ci\nresources: [a.yaml]');
    write('k/a.yaml', map('a'));
    const manifest = await loadManifest({ kind: 'kustomize', dir: join(folder, 'k') });
    expect(manifest.objects[0]?.metadata).toEqual({ name: 'my-a', namespace: 'ci' });
    write('k/kustomization.yaml', 'resources: [missing.yaml]');
    await expect(loadManifest({ kind: 'kustomize', dir: join(folder, 'k') })).rejects.toMatchObject({
      code: 'SOURCE',
      message: expect.stringContaining('missing.yaml') as string,
    });
  });

  it('mark hooks, and leave tests out', async () => {
    const hook = (name: string, what: string) => `${map(name)}  annotations: {helm.sh/hook: "${what}"}\n`;
    const calls: (readonly string[])[] = [];
    const programs: ProgramRunner = {
      run: (_command, args) => {
        calls.push(args);
        return Promise.resolve([map('a'), hook('migrate', 'pre-upgrade'), hook('check', 'test')].join('---\n'));
      },
    };
    const manifest = await loadManifest(
      { kind: 'helm', chart: './c', releaseName: 'r', namespace: 'n', values: { a: 1 } },
      { programs },
    );
    expect(manifest.items.map(({ object, origin }) => [object.metadata.name, origin.hook])).toEqual([
      ['a', undefined],
      ['migrate', 'pre-upgrade'],
    ]);
    expect(calls[0]).toEqual(['template', 'r', './c', '--namespace', 'n', '--include-crds', '--values', '-']);
  });
});
