import { createHash, timingSafeEqual } from 'node:crypto';
import { GuardedServer, isAllowedHost, parseTarget, type ServerRequest, type ServerResponse } from '@tektite/http';
import { statusPage, type StatusSubject } from '@tektite/controller/observe';

/** Health, metrics and explanations of this process, over plain HTTP. */
export interface StatusServer {
  readonly url: string;
  close(): Promise<void>;
}

/** How a program of this machine reads the status pages. */
export interface StatusAccess {
  readonly url: string;
  readonly token: string;
}

/**
 * Serves the pages of `statusPage`. Nothing can be changed through it. Requests with the name of a web page are denied, so a page
 * in a browser on this machine cannot read it. Explanations name objects of all namespaces: with a `token`, only its bearers get
 * them, and not every program of this machine.
 */
export async function serveStatus(
  subject: StatusSubject,
  host: string,
  port: number,
  token?: string,
): Promise<StatusServer> {
  const server = await GuardedServer.start({
    host,
    port,
    onRequest: (request, response) => answer(subject, token, request, response),
  });
  const { family, address } = server.address;
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${server.port}`,
    close: () => server.close(),
  };
}

async function answer(
  subject: StatusSubject,
  token: string | undefined,
  request: ServerRequest,
  response: ServerResponse,
): Promise<void> {
  const send = (status: number, contentType: string, body: string) => {
    response.writeHead(status, { 'content-type': contentType, 'content-length': Buffer.byteLength(body) });
    response.end(request.method === 'HEAD' ? '' : body);
  };
  if (!isAllowedHost(request.headers.host)) return send(403, 'text/plain', 'this host is not served here\n');
  if (request.method !== 'GET' && request.method !== 'HEAD') return send(405, 'text/plain', 'only GET\n');
  const target = parseTarget(request.url);
  if (!target) return send(400, 'text/plain', 'no path\n');
  // On a cluster, a port-forward comes from the Pod itself, and asks for credentials.
  const isBearer = token === undefined || target.path !== '/explain' || bears(request, token);
  const trusted = isBearer && isLocal(request.socket.remoteAddress);
  const page = await statusPage(subject, { ...target, trusted });
  if (page) send(page.status, page.contentType, page.body);
  else send(404, 'text/plain', 'no such page\n');
}

function bears({ headers }: ServerRequest, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(headers.authorization ?? ''), digest(`Bearer ${token}`));
}

function isLocal(address = ''): boolean {
  return address === '::1' || /^(::ffff:)?127\./.test(address);
}
