import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer as createSecureServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAuthority, issueCertificate } from '@tektite/certificates';
import { systemClock } from '@tektite/meta';
import { type VirtualClock, virtualClock } from '@tektite/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { RenderFailure } from '../render-failure.ts';
import { type FetcherOptions, ManifestFetcher } from './manifest-fetcher.ts';
import { proxyOf } from './proxy-of.ts';
import { isRefusedAddress } from './refused-address.ts';

const map = (name: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n`;
const sha = (text: string) => createHash('sha256').update(text).digest('hex');

let clock: VirtualClock;
let fetcher: ManifestFetcher;
const open = (options: Partial<FetcherOptions> = {}) =>
  new ManifestFetcher(clock, { roots: [], allowInsecure: true, allowPrivate: true, ...options });
beforeEach(() => {
  clock = virtualClock();
  fetcher = open();
});

async function failure(read: Promise<unknown>): Promise<string> {
  try {
    await read;
  } catch (error) {
    if (error instanceof RenderFailure) return `${error.reason}: ${error.message}`;
    throw error;
  }
  return 'it was read';
}

describe('a URL', () => {
  let server: Server;
  let base = '';
  let answer: (request: IncomingMessage, response: ServerResponse) => void;
  const asked: IncomingMessage[] = [];
  beforeAll(async () => {
    server = createServer((request, response) => {
      asked.push(request);
      answer(request, response);
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => void server.close(resolve));
  });
  beforeEach(() => {
    asked.length = 0;
    answer = (_request, response) => void response.setHeader('etag', '"1"').end(map('a'));
  });

  it('is read once in ten minutes, and again when the Connector changed, with what is known of it', async () => {
    const names = async (state: string) =>
      (await fetcher.read(base, state, undefined)).items.map(({ object }) => object.metadata.name);
    expect(await names('1')).toEqual(['a']);
    await names('1');
    expect(asked).toHaveLength(1);
    answer = (request, response) =>
      void response.writeHead(request.headers['if-none-match'] === '"1"' ? 304 : 500).end();
    expect(await names('2')).toEqual(['a']);
    expect(asked).toHaveLength(2);
    await clock.advance(600_000);
    await names('1');
    await names('2');
    expect(asked).toHaveLength(3);
    expect(asked[0]?.headers['authorization']).toBeUndefined();
  });

  it('counts as it was while it cannot be read, and not at all when it never was', async () => {
    await fetcher.read(base, '1', undefined);
    answer = (_request, response) => void response.writeHead(503).end();
    await clock.advance(600_000);
    expect((await fetcher.read(base, '1', undefined)).items).toHaveLength(1);
    expect(await failure(open().read(base, '1', undefined))).toBe(`FetchFailed: GET ${base}/: 503`);
  });

  it('is tried again later and later', async () => {
    answer = (_request, response) => void response.writeHead(404).end();
    const waits: (number | undefined)[] = [];
    for (let i = 0; i < 6; i++)
      await fetcher.read(base, '1', undefined).catch((error: RenderFailure) => waits.push(error.retryMs));
    expect(waits).toEqual([60_000, 120_000, 240_000, 480_000, 600_000, 600_000]);
  });

  it('has to hash to what was pinned', async () => {
    const digest = sha(map('a') + map('a'));
    const list = `${base}/1, ${base}/2`;
    expect((await fetcher.read(list, '1', digest)).digest).toBe(digest);
    const wrong = '0'.repeat(64);
    expect(await failure(fetcher.read(base, '1', wrong))).toBe(
      `DigestMismatch: ${base}: sha256 is ${sha(map('a'))} want ${wrong}`,
    );
  });

  it('has to be YAML', async () => {
    answer = (_request, response) => void response.end('<html>not what you think</html>');
    expect(await failure(fetcher.read(base, '1', undefined))).toMatch(/^ParseFailed: .*no Kubernetes object/);
  });

  it('may lead elsewhere five times', async () => {
    const hops = (most: number) => (request: IncomingMessage, response: ServerResponse) => {
      const at = Number(request.url?.slice(1));
      if (at >= most) return void response.end(map('a'));
      response.writeHead(302, { location: `/${at + 1}` }).end();
    };
    answer = hops(5);
    expect((await fetcher.read(`${base}/0`, '1', undefined)).items).toHaveLength(1);
    answer = hops(6);
    expect(await failure(open().read(`${base}/0`, '1', undefined))).toContain('more than 5 redirects');
  });

  it('gives no more than 16 MiB, in 30 seconds', async () => {
    answer = (_request, response) => {
      const chunk = Buffer.alloc(1024 * 1024, 'a');
      const send = (left: number): void => {
        if (left === 0) return void response.end();
        response.write(chunk, () => send(left - 1));
      };
      send(20);
    };
    expect(await failure(fetcher.read(base, '1', undefined))).toContain('it is larger than 16777216 bytes');
    answer = () => {};
    const slow = failure(open().read(base, '1', undefined));
    while (asked.length < 2) await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(30_000);
    expect(await slow).toContain('no answer within 30 s');
  });

  it('is refused when packed, and when it has nothing to say', async () => {
    answer = (_request, response) => void response.setHeader('content-encoding', 'gzip').end('x');
    expect(await failure(fetcher.read(base, '1', undefined))).toContain('it is packed with gzip');
    answer = (_request, response) => void response.writeHead(302).end();
    expect(await failure(open().read(base, '1', undefined))).toContain('it redirects to nowhere');
  });

  it('is not read where the operator did not allow it', async () => {
    expect(await failure(open({ allowInsecure: false }).read(base, '1', undefined))).toContain(
      '--allow-insecure-manifests',
    );
    for (const host of [
      base,
      'http://localhost:1',
      'http://[::1]:1',
      'http://169.254.169.254/latest',
      'http://0.0.0.0',
    ])
      expect(await failure(open({ allowPrivate: false }).read(host, '1', undefined))).toContain(
        '--allow-private-manifests',
      );
    answer = (_request, response) => void response.writeHead(302, { location: 'file:///etc/passwd' }).end();
    expect(await failure(open().read(base, '1', undefined))).toMatch(
      /^InvalidAdditionalManifests: file:.*only https is read/,
    );
    expect(asked).toHaveLength(1);
  });

  it('goes through the proxy that the environment names', async () => {
    const port = (server.address() as AddressInfo).port;
    const environment = { HTTP_PROXY: `http://127.0.0.1:${port}` };
    const through = open({ allowPrivate: false, environment });
    expect((await through.read('http://manifests.example.com/a.yaml', '1', undefined)).items).toHaveLength(1);
    expect(asked[0]?.url).toBe('http://manifests.example.com/a.yaml');
  });
});

describe('a URL of HTTPS', () => {
  const reached = async (hosts: readonly string[], validForMs?: number) => {
    const authority = await createAuthority('an authority', systemClock);
    const { certificate, key } = await issueCertificate(
      authority,
      { commonName: 'server', hosts },
      systemClock,
      validForMs === undefined ? {} : { validForMs },
    );
    const server = createSecureServer({ cert: certificate, key }, (_request, response) => void response.end(map('a')));
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/m.yaml`;
    const stop = async () => void (server.closeAllConnections(), server.close());
    return { url, authority: authority.certificate, [Symbol.asyncDispose]: stop };
  };

  it('is read where its certificate is from a trusted authority, and the error says why where it is not', async () => {
    await using server = await reached(['127.0.0.1']);
    expect(await failure(fetcher.read(server.url, '1', undefined))).toMatch(
      /^FetchFailed: GET https:\/\/127\.0\.0\.1:\d+\/m\.yaml: .*(unable to verify|self-signed|issuer)/,
    );
    const trusting = open({ certificateAuthority: server.authority });
    const { items } = await trusting.read(server.url, '1', undefined);
    expect(items.map(({ object }) => object.metadata.name)).toEqual(['a']);
  });

  it.each([
    ['of another host', ['other.example.com'], undefined, /does not match certificate's altnames/],
    ['that has expired', ['127.0.0.1'], -1000, /certificate has expired/],
  ])('with a certificate %s is not read', async (_title, hosts, validForMs, message) => {
    await using server = await reached(hosts, validForMs);
    const trusting = open({ certificateAuthority: server.authority });
    expect(await failure(trusting.read(server.url, '1', undefined))).toMatch(message);
  });
});

describe('a path', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tektite-manifests-'));
    await mkdir(join(folder, 'root', 'deep'), { recursive: true });
    await writeFile(join(folder, 'root', 'b.yaml'), map('b'));
    await writeFile(join(folder, 'root', 'deep', 'a.yaml'), map('a'));
    await writeFile(join(folder, 'root', 'README.md'), 'no YAML');
    await writeFile(join(folder, 'secret.yaml'), map('secret'));
    await mkdir(join(folder, 'rootless'));
    await writeFile(join(folder, 'rootless', 'c.yaml'), map('c'));
    await mkdir(join(folder, 'links'));
    await symlink(join(folder, 'root', 'b.yaml'), join(folder, 'links', 'in.yaml'));
    await symlink(join(folder, 'secret.yaml'), join(folder, 'root', 'deep', 'out'));
    await mkdir(join(folder, 'root', 'bad'));
    await symlink(join(folder, 'secret.yaml'), join(folder, 'root', 'bad', 'out.yaml'));
  });
  afterAll(() => rm(folder, { recursive: true }));
  const read = (path: string) => open({ roots: [join(folder, 'root')] }).read(join(folder, path), '1', undefined);
  const names = async (path: string) => (await read(path)).items.map(({ object }) => object.metadata.name);

  it('is a file, or the YAML of a folder, or a link to one', async () => {
    expect(await names('root/b.yaml')).toEqual(['b']);
    expect(await names('links/in.yaml')).toEqual(['b']);
  });

  it.each([
    ['secret.yaml', 'only what is under'],
    ['rootless/c.yaml', 'only what is under'],
    ['root/deep/out', 'only what is under'],
    ['root/bad', 'only what is under'],
    ['nothing.yaml', 'only what is under'],
  ])('does not lead out of the folders that are allowed: %s', async (path, message) => {
    expect(await failure(read(path))).toMatch(new RegExp(`^InvalidAdditionalManifests: .*${message}`));
  });

  it('says what is missing', async () => {
    expect(await failure(read('root/none.yaml'))).toMatch(
      /^FetchFailed: .*none\.yaml: there is no such file or folder$/,
    );
  });
});

it.each([
  ['127.0.0.1', true],
  ['127.9.9.9', true],
  ['0.0.0.0', true],
  ['169.254.169.254', true],
  ['100.100.100.200', true],
  ['::1', true],
  ['[::1]', true],
  ['::ffff:127.0.0.1', true],
  ['::ffff:a9fe:a9fe', true],
  ['64:ff9b::169.254.169.254', true],
  ['fe80::1%eth0', true],
  ['fd00:ec2::254', true],
  ['10.0.0.1', false],
  ['93.184.216.34', false],
  ['2606:2800:220:1::1', false],
  ['example.com', false],
])('the address %s is refused: %s', (address, refused) => expect(isRefusedAddress(address)).toBe(refused));

it.each([
  ['https://a.example.com/', { HTTPS_PROXY: 'proxy:3128' }, 'http://proxy:3128/'],
  ['https://a.example.com/', { HTTP_PROXY: 'http://proxy' }, undefined],
  ['http://a.example.com/', { http_proxy: 'http://low', HTTP_PROXY: 'http://up' }, 'http://low/'],
  ['https://a.example.com/', { HTTPS_PROXY: 'http://p', NO_PROXY: 'b.com,.example.com' }, undefined],
  ['https://a.example.com/', { HTTPS_PROXY: 'http://p', NO_PROXY: 'a.example.com:8443' }, 'http://p/'],
  ['https://a.example.com/', { HTTPS_PROXY: 'http://p', NO_PROXY: '*' }, undefined],
])('the proxy for %s with %j is %s', (url, environment, proxy) => {
  expect(proxyOf(new URL(url), environment)?.href).toBe(proxy);
});
