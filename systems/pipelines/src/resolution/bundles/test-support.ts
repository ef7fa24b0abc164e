import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer as createSecureServer } from 'node:https';
import { gzipSync } from 'node:zlib';

export interface BundleLayer {
  readonly kind: string;
  readonly name: string;
  readonly content: Buffer;
  readonly annotations?: Readonly<Record<string, string>>;
}

const digestOf = (body: Uint8Array) => `sha256:${createHash('sha256').update(body).digest('hex')}`;
const manifestType = 'application/vnd.oci.image.manifest.v1+json';
const indexType = 'application/vnd.oci.image.index.v1+json';

/** Uploads to a registry as container tools do, and returns the digest of the manifest. */
export class Pusher {
  private readonly origin: string;
  private readonly headers: Readonly<Record<string, string>>;

  constructor(origin: string, headers: Readonly<Record<string, string>> = {}) {
    this.origin = origin;
    this.headers = headers;
  }

  async push(repository: string, tag: string, layers: readonly BundleLayer[]): Promise<string> {
    const config = Buffer.from('{}');
    for (const blob of [config, ...layers.map(({ content }) => content)]) await this.pushBlob(repository, blob);
    const manifest = {
      schemaVersion: 2,
      mediaType: manifestType,
      config: { mediaType: 'application/vnd.oci.image.config.v1+json', size: config.length, digest: digestOf(config) },
      layers: layers.map(({ kind, name, content, annotations }) => ({
        mediaType: 'application/vnd.oci.image.layer.v1.tar+gzip',
        size: content.length,
        digest: digestOf(content),
        annotations: annotations ?? {
          'dev.tekton.image.kind': kind,
          'dev.tekton.image.name': name,
          'dev.tekton.image.apiVersion': 'v1',
        },
      })),
    };
    return this.pushManifest(repository, tag, manifestType, manifest);
  }

  /** An image for many platforms, with one. */
  async pushIndex(repository: string, tag: string, digest: string): Promise<string> {
    const platform = { os: 'linux', architecture: 'amd64' };
    const manifests = [{ mediaType: manifestType, digest, size: 1, platform }];
    return this.pushManifest(repository, tag, indexType, { schemaVersion: 2, mediaType: indexType, manifests });
  }

  private async pushBlob(repository: string, blob: Buffer): Promise<void> {
    const begun = await this.send('POST', `${this.origin}/v2/${repository}/blobs/uploads/`);
    const place = new URL(begun.headers.get('location') ?? '', this.origin);
    place.searchParams.set('digest', digestOf(blob));
    await this.send('PUT', place.href, blob, 'application/octet-stream');
  }

  private async pushManifest(repository: string, tag: string, type: string, manifest: object): Promise<string> {
    const body = Buffer.from(JSON.stringify(manifest));
    await this.send('PUT', `${this.origin}/v2/${repository}/manifests/${tag}`, body, type);
    return digestOf(body);
  }

  private async send(method: string, url: string, body?: Buffer, type?: string): Promise<Response> {
    const headers = { ...this.headers, ...(type ? { 'content-type': type } : {}) };
    const response = await fetch(url, { method, headers, ...(body ? { body: new Uint8Array(body) } : {}) });
    if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${await response.text()}`);
    return response;
  }
}

/** A packed archive with one file. */
export function tarLayer(name: string, content: string): Buffer {
  const data = Buffer.from(content);
  const header = Buffer.alloc(512);
  header.write(name, 0);
  header.write('0000644\0', 100);
  header.write(`${data.length.toString(8).padStart(11, '0')}\0`, 124);
  header.write('00000000000\0', 136);
  header.write('        ', 148);
  header.write('0', 156);
  header.write('ustar\0', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  const padding = Buffer.alloc((512 - (data.length % 512)) % 512);
  return gzipSync(Buffer.concat([header, data, padding, Buffer.alloc(1024)]));
}

/** A registry in this process: as much of the OCI distribution API as it takes to push and pull, with logins. */
export class SmallRegistry {
  readonly origin: string;
  /** How often something was asked for. */
  requests = 0;
  private readonly server: Server;
  private readonly blobs = new Map<string, Buffer>();
  private readonly manifests = new Map<string, { readonly type: string; readonly body: Buffer }>();

  private constructor(server: Server, scheme: 'http' | 'https') {
    this.server = server;
    this.origin = `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** Over HTTPS with a certificate and its key. */
  static async start(tls?: { readonly certificate: string; readonly key: string }): Promise<SmallRegistry> {
    const server = tls ? createSecureServer({ cert: tls.certificate, key: tls.key }) : createServer();
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const registry = new SmallRegistry(server, tls ? 'https' : 'http');
    server.on('request', (request, response) => void registry.serve(request, response));
    return registry;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.requests++;
    const { pathname, searchParams } = new URL(request.url ?? '', this.origin);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const [, repository = '', what = '', reference = ''] = /^\/v2\/(.+)\/(blobs|manifests)\/(.*)$/.exec(pathname) ?? [];
    if (pathname === '/token') this.giveToken(request, response);
    else if (repository.startsWith('private') && request.headers.authorization !== 'Bearer good')
      response.writeHead(401, { 'www-authenticate': `Bearer realm="${this.origin}/token",service="s"` }).end();
    else if (request.method === 'POST') response.writeHead(202, { location: `${pathname}1` }).end();
    else if (request.method === 'PUT') {
      const key = `${repository}/${what === 'blobs' ? searchParams.get('digest') : reference}`;
      if (what === 'blobs') this.blobs.set(key, body);
      else this.keepManifest(repository, reference, request.headers['content-type'] ?? '', body);
      response.writeHead(201).end();
    } else if (pathname === '/v2/') response.writeHead(200).end('{}');
    else if (what === 'blobs') this.answer(response, this.blobs.get(`${repository}/${reference}`), 'BLOB_UNKNOWN');
    else {
      const found = this.manifests.get(`${repository}/${reference}`);
      if (found) response.setHeader('content-type', found.type);
      this.answer(response, found?.body, 'MANIFEST_UNKNOWN');
    }
  }

  private keepManifest(repository: string, reference: string, type: string, body: Buffer): void {
    for (const name of [reference, digestOf(body)]) this.manifests.set(`${repository}/${name}`, { type, body });
  }

  private giveToken({ headers }: IncomingMessage, response: ServerResponse): void {
    const isGood = headers.authorization === `Basic ${Buffer.from('me:pass').toString('base64')}`;
    response.writeHead(isGood ? 200 : 401).end(JSON.stringify({ token: 'good' }));
  }

  private answer(response: ServerResponse, body: Buffer | undefined, code: string): void {
    if (body) response.end(body);
    else
      response
        .writeHead(404)
        .end(JSON.stringify({ errors: [{ code, message: code.toLowerCase().replace('_', ' ') }] }));
  }
}
