import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

export const digestOf = (body: Uint8Array | string): string =>
  `sha256:${createHash('sha256').update(body).digest('hex')}`;

/** A folder that is removed with all that a test wrote, also by other owners. */
export class TestFolder implements Disposable {
  readonly path: string = mkdtempSync(join(tmpdir(), 'oci-'));

  join(...parts: readonly string[]): string {
    return join(this.path, ...parts);
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** An entry of an archive that a test writes byte by byte, so that it can be as wrong as it has to be. */
export interface TarEntry {
  readonly name: string;
  /** Default: a file. */
  readonly type?: string;
  readonly content?: string | Uint8Array;
  readonly link?: string;
  readonly mode?: number;
  readonly uid?: number;
  readonly gid?: number;
  readonly mtime?: number;
  readonly pax?: Readonly<Record<string, string>>;
  /** Instead of the length of the content. */
  readonly size?: number;
}

export function tarOf(entries: readonly TarEntry[]): Buffer {
  return Buffer.concat([...entries.flatMap(blocksOf), Buffer.alloc(1024)]);
}

function blocksOf(entry: TarEntry): Buffer[] {
  const records = Object.entries(entry.pax ?? {}).map(([key, value]) => paxRecord(key, value));
  const body = Buffer.concat(records);
  const pax = records.length > 0 ? blocksOf({ name: 'pax', type: 'x', content: body }) : [];
  const content = Buffer.from(entry.content ?? '');
  const padding = Buffer.alloc((512 - (content.length % 512)) % 512);
  return [...pax, headerOf(entry, entry.size ?? content.length), content, padding];
}

function paxRecord(key: string, value: string): Buffer {
  const rest = Buffer.from(` ${key}=${value}\n`, 'latin1');
  let length = rest.length + 1;
  while (String(length).length + rest.length !== length) length++;
  return Buffer.concat([Buffer.from(String(length)), rest]);
}

function headerOf(
  { name, type = '0', link = '', mode = 0o644, uid = 0, gid = 0, mtime = 1e9 }: TarEntry,
  size: number,
) {
  const header = Buffer.alloc(512);
  const octal = (value: number, at: number, length: number) =>
    header.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at, 'latin1');
  header.write(name.slice(0, 100), 0, 'latin1');
  octal(mode, 100, 8);
  octal(uid, 108, 8);
  octal(gid, 116, 8);
  octal(size, 124, 12);
  octal(mtime, 136, 12);
  header.write(' '.repeat(8), 148);
  header.write(type, 156, 'latin1');
  header.write(link.slice(0, 100), 157, 'latin1');
  header.write('ustar\x0000', 257, 'latin1');
  octal(
    header.reduce((sum, byte) => sum + byte, 0),
    148,
    7,
  );
  header.write(' ', 155);
  return header;
}

export interface TestLayer {
  readonly blob: Uint8Array;
  readonly diffId: string;
  readonly mediaType: string;
}

export function layerOf(entries: readonly TarEntry[], pack: (tar: Buffer) => Uint8Array = gzipSync): TestLayer {
  const tar = tarOf(entries);
  return { blob: pack(tar), diffId: digestOf(tar), mediaType: 'application/vnd.oci.image.layer.v1.tar+gzip' };
}

/** Debian's static busybox in one layer: a program that runs in any root. */
export function busyboxLayer(): TestLayer {
  const content = execFileSync('sh', ['-c', 'cat "$(command -v busybox)"'], { maxBuffer: 16 * 1024 * 1024 });
  return layerOf([
    { name: 'bin/', type: '5', mode: 0o755 },
    { name: 'bin/busybox', content, mode: 0o755 },
    { name: 'bin/sh', type: '1', link: 'bin/busybox' },
    { name: 'etc/', type: '5', mode: 0o755 },
    { name: 'etc/passwd', content: 'root:x:0:0:root:/root:/bin/sh\napp:x:1000:1000::/home/app:/bin/sh\n' },
    { name: 'etc/group', content: 'root:x:0:\napp:x:1000:\n' },
  ]);
}

export interface TestImage {
  readonly manifest: string;
  readonly digest: string;
  readonly configDigest: string;
  readonly blobs: readonly Uint8Array[];
}

export function imageOf(layers: readonly TestLayer[], config: object = { Cmd: ['/bin/sh'] }): TestImage {
  const text = JSON.stringify({
    os: 'linux',
    architecture: 'amd64',
    config,
    rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
  });
  const describe = (body: Uint8Array, mediaType: string) => ({ mediaType, digest: digestOf(body), size: body.length });
  const manifest = JSON.stringify({
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    config: describe(Buffer.from(text), 'application/vnd.oci.image.config.v1+json'),
    layers: layers.map(({ blob, mediaType }) => describe(blob, mediaType)),
  });
  return {
    manifest,
    digest: digestOf(manifest),
    configDigest: digestOf(text),
    blobs: [Buffer.from(text), ...layers.map(({ blob }) => blob)],
  };
}

/** Pushes by the distribution API. */
export async function pushImage(origin: string, repository: string, tag: string, image: TestImage): Promise<void> {
  for (const blob of image.blobs) {
    const start = await fetch(`${origin}/v2/${repository}/blobs/uploads/`, { method: 'POST' });
    const place = new URL(start.headers.get('location') ?? '', origin);
    place.searchParams.set('digest', digestOf(blob));
    await expectOk(place, 'application/octet-stream', blob);
  }
  await pushManifest(origin, repository, tag, image.manifest);
}

export async function pushManifest(origin: string, repository: string, tag: string, manifest: string): Promise<void> {
  const { mediaType } = JSON.parse(manifest) as { mediaType: string };
  await expectOk(new URL(`${origin}/v2/${repository}/manifests/${tag}`), mediaType, Buffer.from(manifest));
}

async function expectOk(url: URL, type: string, body: Uint8Array): Promise<void> {
  const response = await fetch(url, {
    method: 'PUT',
    body: new Uint8Array(body),
    headers: { 'content-type': type },
  });
  if (!response.ok) throw new Error(`PUT ${url.href}: ${response.status} ${await response.text()}`);
}

type Handler = (request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean>;

/** A small registry that can be made to fail. It keeps what is pushed in memory. */
export class TestRegistry implements AsyncDisposable {
  /** Method, path and headers of each request. */
  readonly requests: { readonly method: string; readonly url: string; readonly headers: IncomingMessage['headers'] }[] =
    [];
  /** Answers a request itself when it returns true. */
  intercept: Handler = () => false;
  readonly blobs = new Map<string, Buffer>();
  private readonly manifests = new Map<string, { body: Buffer; type: string }>();
  private readonly server: Server;

  private constructor(server: Server) {
    this.server = server;
    server.on('request', (request, response) => void this.answer(request, response));
  }

  static async start(): Promise<TestRegistry> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new TestRegistry(server);
  }

  get host(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get origin(): string {
    return `http://${this.host}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request;
    this.requests.push({ method, url, headers });
    if (await this.intercept(request, response)) return;
    const { pathname, searchParams } = new URL(url, this.origin);
    const [, kind, reference = ''] = /\/(blobs|manifests)\/(.+)$/.exec(pathname) ?? [];
    if (method === 'POST') response.writeHead(202, { location: `${pathname}1` }).end();
    else if (method === 'PUT') {
      const body = await bodyOf(request);
      const place = pathname.replace(/[^/]+$/, '');
      if (kind === 'blobs') this.blobs.set(searchParams.get('digest') ?? '', body);
      else
        for (const name of [reference, digestOf(body)])
          this.manifests.set(place + name, { body, type: headers['content-type'] ?? '' });
      response.writeHead(201).end();
    } else if (kind === 'blobs' && this.blobs.has(reference))
      sendBlob(this.blobs.get(reference) as Buffer, headers.range, response);
    else if (this.manifests.has(pathname)) {
      const { body, type } = this.manifests.get(pathname) as { body: Buffer; type: string };
      response.writeHead(200, { 'content-type': type, 'content-length': body.length }).end(body);
    } else if (pathname === '/v2/') response.writeHead(200).end('{}');
    else
      response
        .writeHead(404)
        .end(JSON.stringify({ errors: [{ code: 'MANIFEST_UNKNOWN', message: 'manifest unknown' }] }));
  }
}

function sendBlob(body: Buffer, range: string | undefined, response: ServerResponse): void {
  const start = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0);
  const part = body.subarray(start);
  const partial = start > 0 ? { 'content-range': `bytes ${start}-${body.length - 1}/${body.length}` } : {};
  response.writeHead(start > 0 ? 206 : 200, { 'content-length': part.length, ...partial }).end(part);
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}
