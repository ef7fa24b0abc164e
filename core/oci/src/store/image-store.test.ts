import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isStoreError, type StoreErrorCode } from '../store-error.ts';
import {
  digestOf,
  imageOf,
  layerOf,
  pushImage,
  pushManifest,
  TestFolder,
  type TestImage,
  TestRegistry,
} from '@tektite/testkit/images';
import { ImageStore, type ImageStoreOptions } from './image-store.ts';
import type { PullProgress } from './store-image.ts';

let folder: TestFolder;
let registry: TestRegistry;
const stores: ImageStore[] = [];

beforeEach(async () => {
  folder = new TestFolder();
  registry = await TestRegistry.start();
});
afterEach(async () => {
  for (const store of stores.splice(0)) await store[Symbol.asyncDispose]();
  await registry[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

async function openStore(options: ImageStoreOptions = {}): Promise<ImageStore> {
  const store = await ImageStore.open({ folder: folder.join('store'), ...options });
  stores.push(store);
  return store;
}

const base = layerOf([
  { name: 'etc/', type: '5', mode: 0o755 },
  { name: 'etc/passwd', content: 'app:x:7:8::/home:/bin/sh\n' },
]);
const upper = layerOf([{ name: 'app', content: 'x'.repeat(200_000), mode: 0o755 }]);
const sample = (): TestImage => imageOf([base, upper], { Entrypoint: ['/app'], User: 'app', Env: ['A=b'] });
const push = (name: string, image = sample()) => pushImage(registry.origin, name, 'v1', image);
const code = (expected: StoreErrorCode) => (error: unknown) => isStoreError(error, expected);
const blobRequests = () => registry.requests.filter(({ method, url }) => method === 'GET' && url.includes('/blobs/'));

describe('pulling an image', () => {
  it('gives its layers, uppermost first, its configuration and its digests', async () => {
    const image = sample();
    await push('team/app', image);
    const store = await openStore();
    const held = await store.pull(`${registry.host}/team/app:v1`);
    expect(held).toMatchObject({
      reference: `${registry.host}/team/app:v1`,
      digest: image.digest,
      imageID: image.configDigest,
      repoDigest: `${registry.host}/team/app@${image.digest}`,
      config: { entrypoint: ['/app'], user: 'app' },
    });
    expect(held.layers.map((layer) => readdirSync(layer))).toEqual([['app'], ['etc']]);
    await held.release();
  });

  it('asks the registry as the policy says', async () => {
    await push('team/app');
    const store = await openStore();
    const name = `${registry.host}/team/app:v1`;
    await expect(store.pull(name, { policy: 'Never' })).rejects.toSatisfy(code('NOT_FOUND'));
    expect(registry.requests.filter(({ method }) => method === 'GET')).toEqual([]);
    await store.pull(name, { policy: 'IfNotPresent' });
    const before = registry.requests.length;
    await store.pull(name, { policy: 'IfNotPresent' });
    await store.pull(name, { policy: 'Never' });
    expect(registry.requests.length).toBe(before);
    const other = imageOf([base], { Cmd: ['new'] });
    await push('team/app', other);
    expect((await store.pull(name)).digest).toBe(sample().digest);
    const blobs = blobRequests().length;
    expect((await store.pull(name, { policy: 'Always' })).digest).toBe(other.digest);
    // The layer is there already: only the configuration is new.
    expect(blobRequests().length).toBe(blobs + 1);
  });

  it('finds images by digest, also those that came by tag', async () => {
    const image = sample();
    await push('team/app', image);
    const store = await openStore();
    const byDigest = `${registry.host}/team/app@${image.digest}`;
    expect(await store.hold(byDigest)).toBeUndefined();
    await store.pull(`${registry.host}/team/app:v1`);
    expect((await store.hold(byDigest))?.digest).toBe(image.digest);
    expect((await store.pull(byDigest, { policy: 'Always' })).repoDigest).toBe(byDigest);
  });

  it('chooses the platform of an index, and names those that there are', async () => {
    const image = sample();
    await push('team/app', image);
    const entry = (architecture: string, digest: string) => ({
      digest,
      size: 1,
      platform: { os: 'linux', architecture },
    });
    const index = JSON.stringify({
      mediaType: 'application/vnd.oci.image.index.v1+json',
      manifests: [entry('s390x', digestOf('other')), entry('amd64', image.digest)],
    });
    await pushManifest(registry.origin, 'team/app', 'many', index);
    const store = await openStore();
    const name = `${registry.host}/team/app:many`;
    const held = await store.pull(name, { platform: { os: 'linux', architecture: 'amd64' } });
    expect([held.digest, held.repoDigest]).toEqual([image.digest, `${registry.host}/team/app@${digestOf(index)}`]);
    const wrong = store.pull(name, { platform: { os: 'linux', architecture: 'riscv64' } });
    await expect(wrong).rejects.toThrow('there is none for linux/riscv64, only linux/s390x, linux/amd64');
    await expect(wrong).rejects.toSatisfy(code('NO_PLATFORM'));
  });

  it('lists a layer once that an image has twice', async () => {
    await push('team/app', imageOf([base, upper, base]));
    const held = await (await openStore()).pull(`${registry.host}/team/app:v1`);
    expect(held.layers.map((layer) => readdirSync(layer))).toEqual([['etc'], ['app']]);
  });

  it('downloads each layer once, however many pulls there are at once', async () => {
    await push('team/app');
    const store = await openStore();
    const pulls = Array.from({ length: 5 }, () => store.pull(`${registry.host}/team/app:v1`, { policy: 'Always' }));
    await Promise.all(pulls);
    const layers = [base, upper].map(({ blob }) => digestOf(blob));
    const asked = blobRequests().filter(({ url }) => layers.some((digest) => url.endsWith(digest)));
    expect(asked.length).toBe(2);
  });

  it('reports its progress in bytes', async () => {
    await push('team/app');
    const seen: PullProgress[] = [];
    await (await openStore()).pull(`${registry.host}/team/app:v1`, { onProgress: (progress) => seen.push(progress) });
    const total = base.blob.length + upper.blob.length;
    expect(seen.at(-1)).toEqual({
      name: `${registry.host}/team/app:v1`,
      bytes: total,
      total,
      layersComplete: 2,
      layers: 2,
    });
    expect(seen.map(({ bytes }) => bytes)).toEqual(seen.map(({ bytes }) => bytes).toSorted((a, b) => a - b));
  });

  it('stops when it is cancelled, and leaves nothing in the store but what continues', async () => {
    await push('team/app');
    const abort = new AbortController();
    registry.intercept = ({ url = '' }) => {
      if (url.includes('/blobs/')) abort.abort(new Error('cancelled'));
      return false;
    };
    const store = await openStore();
    await expect(store.pull(`${registry.host}/team/app:v1`, { signal: abort.signal })).rejects.toThrow('cancelled');
    registry.intercept = () => false;
    expect(await store.hold(`${registry.host}/team/app:v1`)).toBeUndefined();
    await store.pull(`${registry.host}/team/app:v1`);
  });
});

describe('a download that is cut', () => {
  const big = layerOf(
    [{ name: 'big', content: Buffer.from(Array.from({ length: 600_000 }, (_, i) => (i * 7919) % 251)) }],
    (tar) => tar,
  );
  const digest = digestOf(big.blob);
  /** Cuts the connection after so many bytes. */
  const cutAfter = (bytes: number, times: number) => {
    let left = times;
    registry.intercept = ({ url = '', headers }, response) => {
      if (!url.endsWith(digest) || left-- <= 0) return false;
      const start = Number(/\d+/.exec(headers.range ?? '')?.[0] ?? 0);
      const range = { 'content-range': `bytes ${start}-${big.blob.length - 1}/${big.blob.length}` };
      response.writeHead(start > 0 ? 206 : 200, {
        'content-length': big.blob.length - start,
        ...(start > 0 ? range : {}),
      });
      response.write(big.blob.slice(start, start + bytes), () => setImmediate(() => response.destroy()));
      return true;
    };
  };
  const ranges = () => registry.requests.filter(({ url }) => url.endsWith(digest)).map(({ headers }) => headers.range);

  it('continues where it was cut', async () => {
    await push('team/big', imageOf([big]));
    cutAfter(100_000, 2);
    const held = await (await openStore()).pull(`${registry.host}/team/big:v1`);
    expect(readFileSync(`${held.layers[0]}/big`).length).toBe(600_000);
    expect(ranges()).toHaveLength(3);
    expect(ranges()[1]).toMatch(/^bytes=[1-9]\d*-$/);
  });

  it('continues in a later pull, after the registry gave up for good', async () => {
    await push('team/big', imageOf([big]));
    let isDown = false;
    cutAfter(200_000, 1);
    const cut = registry.intercept;
    registry.intercept = async (request, response) => {
      if (!request.url?.endsWith(digest)) return false;
      if (isDown) {
        response.writeHead(404).end('{}');
        return true;
      }
      isDown = true;
      return cut(request, response);
    };
    const store = await openStore();
    await expect(store.pull(`${registry.host}/team/big:v1`)).rejects.toSatisfy(code('REGISTRY_FAILED'));
    registry.intercept = () => false;
    await store.pull(`${registry.host}/team/big:v1`);
    expect(ranges().at(-1)).toMatch(/^bytes=[1-9]\d*-$/);
  });

  it('starts again where the registry sends no parts', async () => {
    await push('team/big', imageOf([big]));
    cutAfter(100_000, 1);
    const cut = registry.intercept;
    registry.intercept = (request, response) => {
      if (request.headers.range === undefined) return cut(request, response);
      response.writeHead(200, { 'content-length': big.blob.length }).end(big.blob);
      return true;
    };
    await (await openStore()).pull(`${registry.host}/team/big:v1`);
  });
});

describe('content that differs from its digest', () => {
  it.each([
    ['of the same size', (blob: Buffer) => Buffer.from(blob).fill(0, 10, 20)],
    ['larger', (blob: Buffer) => Buffer.concat([blob, blob])],
  ])('is refused: %s', async (_, change) => {
    await push('team/app');
    const digest = digestOf(upper.blob);
    registry.blobs.set(digest, change(registry.blobs.get(digest) as Buffer));
    const store = await openStore();
    await expect(store.pull(`${registry.host}/team/app:v1`)).rejects.toSatisfy(code('DIGEST_MISMATCH'));
    registry.blobs.set(digest, Buffer.from(upper.blob));
    await store.pull(`${registry.host}/team/app:v1`);
  });

  it('is refused: layers that do not unpack to the digests of the configuration', async () => {
    await push('team/app', imageOf([{ ...base, diffId: digestOf('other') }]));
    await expect((await openStore()).pull(`${registry.host}/team/app:v1`)).rejects.toSatisfy(code('DIGEST_MISMATCH'));
    expect(readdirSync(folder.join('store/layers'))).toEqual([]);
    expect(readdirSync(folder.join('store/tmp'))).toEqual([]);
  });

  it.each([
    ['has no layers', { schemaVersion: 2 }],
    ['has a layer without a size', { layers: [{ digest: digestOf('x') }], config: { digest: digestOf('x'), size: 1 } }],
    ['has a digest that is a path', { layers: [], config: { digest: 'sha256:../../x', size: 1 } }],
  ])('is refused: a manifest that %s', async (_, manifest) => {
    const mediaType = 'application/vnd.oci.image.manifest.v1+json';
    await pushManifest(registry.origin, 'team/odd', 'v1', JSON.stringify({ mediaType, ...manifest }));
    await expect((await openStore()).pull(`${registry.host}/team/odd:v1`)).rejects.toThrow();
  });
});

describe('registries', () => {
  it('are asked with each login until one is accepted, and with tokens of the server that they name', async () => {
    await push('team/app');
    const accepted = `Basic ${Buffer.from('me:right').toString('base64')}`;
    registry.intercept = ({ url = '', headers }, response) => {
      if (url.startsWith('/token')) {
        const isRight = headers.authorization === accepted;
        response.writeHead(isRight ? 200 : 401).end(JSON.stringify({ token: 'T' }));
        return true;
      }
      if (url === '/v2/' || headers.authorization === 'Bearer T') return false;
      response.writeHead(401, { 'www-authenticate': `Bearer realm="${registry.origin}/token",service="s"` }).end();
      return true;
    };
    const store = await openStore();
    const name = `${registry.host}/team/app:v1`;
    await expect(store.pull(name)).rejects.toSatisfy(code('REGISTRY_FAILED'));
    const logins = ['wrong', 'right'].map((password) => ({ username: 'me', password }));
    await store.pull(name, { credentials: async () => logins });
  });

  it('may redirect downloads, and credentials do not go along', async () => {
    await push('team/app');
    await using elsewhere = await TestRegistry.start();
    const basic = `Basic ${Buffer.from('me:pw').toString('base64')}`;
    for (const [digest, blob] of registry.blobs) elsewhere.blobs.set(digest, blob);
    registry.intercept = ({ url = '', headers }, response) => {
      if (url === '/v2/') return false;
      if (headers.authorization !== basic) response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
      else if (url.includes('/blobs/')) response.writeHead(307, { location: `${elsewhere.origin}${url}` }).end();
      else return false;
      return true;
    };
    const credentials = async () => [{ username: 'me', password: 'pw' }];
    await (await openStore()).pull(`${registry.host}/team/app:v1`, { credentials });
    expect(elsewhere.requests.length).toBe(3);
    expect(elsewhere.requests.every(({ headers }) => headers.authorization === undefined)).toBe(true);
  });

  it('have mirrors, which are asked first, with their own credentials', async () => {
    await push('library/app');
    const asked: string[] = [];
    const down = 'http://127.0.0.1:9';
    const registries = { mirrors: { 'docker.io': [down, registry.origin] } };
    const store = await openStore({ registries });
    const credentials = async ({ registry: host }: { registry: string }) => {
      asked.push(host);
      return [];
    };
    const held = await store.pull('app:v1', { credentials });
    expect(held.repoDigest).toBe(`docker.io/library/app@${sample().digest}`);
    expect(asked).toEqual(['127.0.0.1:9', registry.host]);
  });

  it('answer for images that they do not have', async () => {
    const pull = (await openStore()).pull(`${registry.host}/team/none:v1`);
    await expect(pull).rejects.toSatisfy(code('REGISTRY_FAILED'));
    await expect(pull).rejects.toThrow(`failed to resolve reference "${registry.host}/team/none:v1"`);
  });

  it('are not asked for names that are none', async () => {
    await expect((await openStore()).pull('UPPER/Case:x:y')).rejects.toSatisfy(code('INVALID_REFERENCE'));
  });
});

it('a layer of the store is a lower directory for overlayfs', async ({ skip }) => {
  if (process.getuid?.() !== 0) skip('mounting needs root');
  const lower = layerOf([
    { name: 'gone', content: 'x' },
    { name: 'dir/old', content: 'x' },
    { name: 'kept', content: 'low' },
  ]);
  const over = layerOf([{ name: '.wh.gone' }, { name: 'dir/.wh..wh..opq' }, { name: 'dir/new', content: 'x' }]);
  await push('team/overlay', imageOf([lower, over]));
  const held = await (await openStore()).pull(`${registry.host}/team/overlay:v1`);
  const script =
    'mkdir -p "$1" && mount -t overlay overlay -o "ro,lowerdir=$2" "$1" && cd "$1" && find . -type f | sort';
  const words = ['--mount', 'sh', '-ec', script, 'sh', folder.join('merged'), held.layers.join(':')];
  expect(execFileSync('unshare', words, { encoding: 'utf8' }).trim().split('\n')).toEqual(['./dir/new', './kept']);
  expect(existsSync(folder.join('merged/kept'))).toBe(false);
});
