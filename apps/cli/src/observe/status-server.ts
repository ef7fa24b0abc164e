import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { statusPage, type StatusSubject } from '@tektite/controller';

/** Health, metrics and explanations of this process, over plain HTTP. */
export interface StatusServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Serves the pages of `statusPage`. Nothing can be changed through it, and nothing of it is secret but names of objects. */
export async function serveStatus(subject: StatusSubject, host: string, port: number): Promise<StatusServer> {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const answer = (status: number, contentType: string, body: string) => {
      response.writeHead(status, { 'content-type': contentType, 'content-length': Buffer.byteLength(body) });
      response.end(request.method === 'HEAD' ? undefined : body);
    };
    if (request.method !== 'GET' && request.method !== 'HEAD') return answer(405, 'text/plain', 'only GET\n');
    statusPage(subject, url).then(
      (page) => (page ? answer(page.status, page.contentType, page.body) : answer(404, 'text/plain', 'no such page\n')),
      (error: Error) => answer(500, 'text/plain', `${error.message}\n`),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const address = server.address() as AddressInfo;
  const shown = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return {
    url: `http://${shown}:${address.port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}
