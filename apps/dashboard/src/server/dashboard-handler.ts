import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { parseTarget, type RequestTarget, type ServerRequest, type ServerResponse } from '@tektite/http';
import { type Clock, type Random, sleep } from '@tektite/meta';
import { WebSocketServer } from 'ws';
import type { Explanation } from '../api/explanation.ts';
import { proxyRequest } from './kube-proxy.ts';
import type { Login } from './login.ts';
import { PageFiles } from './page-files.ts';
import { findTool, type PageTools } from './page-tools.ts';
import { proxiedPath } from './proxied-path.ts';
import { readRequestBody } from './read-request-body.ts';
import { checkRequest, type HostNames } from './request-check.ts';
import { denial, sendError, sendJson, statusOf } from './send.ts';
import { readSessionCookie, sessionCookie } from './session-cookie.ts';
import { SessionFile } from './session-file.ts';
import { Sessions } from './sessions.ts';
import { serveStreams } from './stream-socket.ts';
import type { Visitor } from './visitor.ts';

/** The recent reconciles of an object, as the controllers of this process report them. */
export type Explain = (kind: string, key: string) => Promise<readonly Explanation[]>;

export interface DashboardHandlerOptions {
  readonly login: Login;
  /** The folder of the built page. */
  readonly pageFolder: string;
  readonly isReadOnly: boolean;
  readonly hostNames: HostNames;
  /** Served over TLS, by a proxy in front. */
  readonly isSecure: boolean;
  readonly explain?: Explain;
  readonly tools: PageTools;
  /** Keeps sessions across restarts, for logins that have one visitor. */
  readonly sessionFile?: string;
  readonly clock: Clock;
  readonly random: Random;
}

type Origin = Pick<IncomingMessage, 'headers' | 'socket'>;

const csrfHeader = 'x-tektite-csrf';
/** Browsers cannot add headers to WebSockets; the offered protocols are the place for the token. */
const socketProtocol = 'tektite.streams';
const maxLoginBytes = 32 * 1024;

/** Answers all requests of the page: its files, the session, the Kubernetes API, streams of it, explanations, and tools. */
export class DashboardHandler {
  private readonly options: DashboardHandlerOptions;
  private readonly files: PageFiles;
  private readonly sessions: Sessions;
  private readonly sockets = new WebSocketServer({
    noServer: true,
    maxPayload: 64 * 1024,
    handleProtocols: () => socketProtocol,
  });

  static async open(options: DashboardHandlerOptions): Promise<DashboardHandler> {
    const { login, sessionFile, clock, random } = options;
    const file = sessionFile && login.restore ? new SessionFile(sessionFile) : undefined;
    const sessions = new Sessions(clock, random, file);
    if (file && login.restore) sessions.restore(await login.restore());
    return new DashboardHandler(options, await PageFiles.read(options.pageFolder), sessions);
  }

  private constructor(options: DashboardHandlerOptions, files: PageFiles, sessions: Sessions) {
    this.options = options;
    this.files = files;
    this.sessions = sessions;
  }

  async answer(request: ServerRequest, response: ServerResponse, port: number): Promise<void> {
    const target = parseTarget(request.url);
    const isData = target?.path.startsWith('/api/') === true;
    try {
      const denied = checkRequest(request.headers, this.options.hostNames, isData);
      if (denied !== undefined) throw denial(403, denied);
      if (!target) throw denial(400, 'the request has no path');
      if (isData) await this.answerData(target, request, response, port);
      else if (request.method === 'GET' || request.method === 'HEAD') this.files.send(target.path, request, response);
      else throw denial(405, 'only GET');
    } catch (error) {
      if (response.headersSent) response.destroy();
      else if (!response.destroyed) sendError(response, error);
    }
  }

  /** Opens the WebSocket of the streams. */
  async upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, port: number): Promise<void> {
    socket.on('error', () => socket.destroy());
    const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((each) => each.trim());
    const token = offered.find((each) => each.startsWith('csrf.'))?.slice('csrf.'.length);
    try {
      const denied = checkRequest(request.headers, this.options.hostNames, true);
      // Every browser sends an Origin with a WebSocket.
      if (denied !== undefined || request.headers.origin === undefined) throw denial(403, denied ?? 'no Origin');
      if (parseTarget(request.url)?.path !== '/api/streams') throw denial(404, 'no such route');
      const { transport } = this.visitorOf(request, token, port);
      const pause = (ms: number) => sleep(this.options.clock, ms);
      this.sockets.handleUpgrade(request, socket, head, (opened) => serveStreams(opened, { transport, pause }));
    } catch (error) {
      const { code = 500, message = '' } = statusOf(error);
      socket.end(
        `HTTP/1.1 ${code} denied\r\ncontent-type: text/plain\r\ncontent-length: ${Buffer.byteLength(message)}\r\nconnection: close\r\n\r\n${message}`,
      );
    }
  }

  async close(): Promise<void> {
    this.sessions.save();
    for (const client of this.sockets.clients) client.terminate();
    await this.options.login.close?.();
  }

  private async answerData(
    { path, query }: RequestTarget,
    request: ServerRequest,
    response: ServerResponse,
    port: number,
  ): Promise<void> {
    const { isReadOnly, login } = this.options;
    if (path === '/api/login' && request.method === 'GET') return sendJson(response, 200, { form: login.form });
    if (path === '/api/session' && request.method === 'POST') return this.logIn(request, response, port);
    const visitor = this.visitorOf(request, request.headers[csrfHeader] as string | undefined, port);
    if (path === '/api/session' && request.method === 'GET')
      return sendJson(response, 200, {
        user: visitor.name,
        isReadOnly,
        canExplain: this.options.explain !== undefined,
        tools: Object.keys(this.options.tools),
      });
    if (path === '/api/session' && request.method === 'DELETE') {
      this.sessions.close(readSessionCookie(request.headers, port) ?? '');
      return sendJson(response, 200, {}, { 'set-cookie': sessionCookie(port, '', this.options.isSecure) });
    }
    if (path === '/api/explain' && request.method === 'GET') return this.explain(visitor, query, response);
    if (path.startsWith('/api/tools/') && request.method === 'POST')
      return this.runTool(path.slice('/api/tools/'.length), visitor, request, response);
    if (!path.startsWith('/api/kube/')) throw denial(404, 'no such route');
    const target = { path: path.slice('/api/kube'.length), query };
    await proxyRequest(visitor.transport, target, request, response, isReadOnly);
  }

  private async logIn(request: ServerRequest, response: ServerResponse, port: number): Promise<void> {
    // Pages of other origins cannot send this type without asking first.
    if (!/^application\/json\b/.test(request.headers['content-type'] ?? ''))
      throw denial(415, 'a login is application/json');
    const given = readTexts((await readRequestBody(request, maxLoginBytes)).toString());
    const { headers, socket } = request;
    const visitor = await this.options.login.logIn({ headers, remoteAddress: socket.remoteAddress, given });
    if (!visitor) throw denial(401, 'the credentials are not valid');
    const { id, csrfToken } = this.sessions.open(visitor);
    const cookie = { 'set-cookie': sessionCookie(port, id, this.options.isSecure) };
    sendJson(response, 200, { csrfToken, user: visitor.name }, cookie);
  }

  private visitorOf({ headers, socket }: Origin, token: string | undefined, port: number): Visitor {
    const { login } = this.options;
    const visitor = this.sessions.find(readSessionCookie(headers, port), token);
    const isStill = visitor && (login.isStill?.(visitor, { headers, remoteAddress: socket.remoteAddress }) ?? true);
    if (!visitor || !isStill) throw denial(401, 'log in first');
    return visitor;
  }

  /** Runs a tool with the visitor's connection, until the visitor leaves. */
  private async runTool(
    name: string,
    { transport }: Visitor,
    request: ServerRequest,
    response: ServerResponse,
  ): Promise<void> {
    const tool = findTool(this.options.tools, name);
    if (!tool) throw denial(404, 'the page has no such tool');
    if (tool.isWriting && this.options.isReadOnly) throw denial(403, 'this page is read-only');
    const input = readTexts((await readRequestBody(request)).toString());
    const abort = new AbortController();
    response.once('close', () => abort.abort(new Error('the client left')));
    sendJson(response, 200, await tool.run(transport, input, abort.signal));
  }

  /** Reconciles of objects that the visitor may read: the object is read with the visitor's credentials first. */
  private async explain({ transport }: Visitor, query: URLSearchParams, response: ServerResponse): Promise<void> {
    const { explain } = this.options;
    if (!explain) throw denial(404, 'the controllers are not in this process');
    const path = proxiedPath(query.get('path') ?? '');
    if (path === undefined) throw denial(404, 'the page does not pass on this path');
    const { status, body } = await transport.request({ method: 'GET', path });
    const { kind = '', metadata } = body as { kind?: string; metadata?: { name?: string; namespace?: string } };
    if (status >= 300 || !metadata?.name) return sendJson(response, status >= 300 ? status : 400, body as object);
    const key = metadata.namespace ? `${metadata.namespace}/${metadata.name}` : metadata.name;
    sendJson(response, 200, { records: await explain(kind, key) });
  }
}

/** The members of a JSON object that are texts. */
function readTexts(text: string): Readonly<Record<string, string>> {
  try {
    const value = JSON.parse(text) as unknown;
    if (typeof value !== 'object' || value === null) return {};
    return Object.fromEntries(Object.entries(value).filter(([, each]) => typeof each === 'string'));
  } catch {
    throw denial(400, 'the body is not JSON');
  }
}
