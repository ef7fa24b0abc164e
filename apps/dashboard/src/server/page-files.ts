import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { ServerRequest, ServerResponse } from '@tektite/http';
import { securityHeaders } from './security-headers.ts';

interface PageFile {
  readonly type: string;
  readonly bytes: Buffer;
  readonly gzipped: Buffer;
}

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

/**
 * The files of the page, in memory: a request can name no others. Paths without a file get the page itself, which knows its own paths.
 */
export class PageFiles {
  private readonly files: ReadonlyMap<string, PageFile>;

  private constructor(files: ReadonlyMap<string, PageFile>) {
    this.files = files;
  }

  static async read(folder: string): Promise<PageFiles> {
    const files = new Map<string, PageFile>();
    for (const name of await readdir(folder)) {
      const type = types[name.slice(name.lastIndexOf('.') + 1)];
      if (!type) continue;
      const bytes = await readFile(join(folder, name));
      files.set(`/${name}`, { type, bytes, gzipped: gzipSync(bytes, { level: 9 }) });
    }
    return new PageFiles(files);
  }

  send(path: string, request: ServerRequest, response: ServerResponse): void {
    const isFile = this.files.has(path) && path !== '/index.html';
    const file = isFile || !/\.\w+$/.test(path) ? this.files.get(isFile ? path : '/index.html') : undefined;
    if (!file) {
      response.writeHead(404, { ...securityHeaders, 'content-type': 'text/plain; charset=utf-8' });
      response.end('no such file\n');
      return;
    }
    const gzip = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
    const body = gzip ? file.gzipped : file.bytes;
    response.writeHead(200, {
      ...securityHeaders,
      'content-type': file.type,
      'content-length': body.length,
      vary: 'accept-encoding',
      // Names of files have a hash of their content.
      'cache-control': isFile ? 'public, max-age=31536000, immutable' : 'no-store',
      ...(gzip ? { 'content-encoding': 'gzip' } : {}),
    });
    response.end(request.method === 'HEAD' ? '' : body);
  }
}
