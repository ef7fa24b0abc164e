import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { digestOf } from './test-image.ts';

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
