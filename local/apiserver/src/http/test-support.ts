import { connect as connectHttp2, type ClientHttp2Session } from 'node:http2';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { systemClock } from '@tektite/meta';
import { clientCertificateAuthenticator } from '../auth/client-certificate.ts';
import type { ApiServerOptions } from '../server.ts';
import { type AnyObject, TestServer } from '../test-support.ts';
import { createAuthority, issueCertificate, type KeyPair } from '@tektite/certificates';
import { type HttpServerOptions, type RunningHttpServer, serveHttps } from './http-server.ts';

/** For tests over real HTTPS. */

export interface HttpAnswer {
  readonly code: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  readonly bytes: Buffer;
  readonly object: AnyObject;
}

export interface HttpRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Whose certificate is shown; `null` shows none. Default: the administrator's. */
  readonly as?: KeyPair | null;
}

/** An API server that listens on loopback, with a generated authority. */
export class HttpTestServer implements AsyncDisposable {
  readonly api: TestServer;
  readonly authority: KeyPair;
  readonly admin: KeyPair;
  readonly http: RunningHttpServer;
  private readonly sessions: ClientHttp2Session[] = [];

  private constructor(api: TestServer, authority: KeyPair, admin: KeyPair, http: RunningHttpServer) {
    this.api = api;
    this.authority = authority;
    this.admin = admin;
    this.http = http;
  }

  static async start(
    options: ApiServerOptions & Pick<HttpServerOptions, 'maxInflightBytes'> = {},
  ): Promise<HttpTestServer> {
    const authority = await createAuthority('test', systemClock);
    const own = await issueCertificate(authority, { commonName: 'server', hosts: ['127.0.0.1'] }, systemClock);
    const admin = await issueCertificate(
      authority,
      { commonName: 'root', organizations: ['system:masters'] },
      systemClock,
    );
    const authenticators = [clientCertificateAuthenticator, ...(options.authenticators ?? [])];
    const api = await TestServer.start({ ...options, authenticators });
    const http = await serveHttps({
      host: '127.0.0.1',
      port: 0,
      key: own.key,
      certificate: own.certificate,
      clientCa: authority.certificate,
      ...(options.maxInflightBytes ? { maxInflightBytes: options.maxInflightBytes } : {}),
      admit: (request) => api.server.admit(request),
      handle: (request) => api.server.handle(request),
    });
    return new HttpTestServer(api, authority, admin, http);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const session of this.sessions) session.destroy();
    await this.http.close();
    await this.api[Symbol.asyncDispose]();
  }

  /** The TLS options of a client of this server. */
  tls(as: KeyPair | null = this.admin): RequestOptions {
    return {
      host: '127.0.0.1',
      port: this.http.port,
      ca: this.authority.certificate,
      ...(as ? { cert: as.certificate, key: as.key } : {}),
    };
  }

  /** A request over HTTP/1.1. */
  http1(path: string, { method = 'GET', headers = {}, body, as }: HttpRequest = {}): Promise<HttpAnswer> {
    return new Promise((resolve, reject) => {
      const request = httpsRequest({ ...this.tls(as), path, method, headers, agent: false }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', reject);
        response.once('end', () => resolve(answer(response.statusCode ?? 0, response.headers, chunks)));
      });
      request.once('error', reject);
      request.end(body);
    });
  }

  /** An HTTP/2 connection, closed with the server. */
  session(as: KeyPair | null = this.admin): ClientHttp2Session {
    const { host: _, port: __, ...tls } = this.tls(as);
    const session = connectHttp2(`https://127.0.0.1:${this.http.port}`, { ...(tls as object), maxSessionMemory: 100 });
    session.on('error', () => {});
    this.sessions.push(session);
    return session;
  }

  /** A request over HTTP/2. */
  http2(path: string, { method = 'GET', headers = {}, body, as }: HttpRequest = {}): Promise<HttpAnswer> {
    const session = this.session(as);
    return new Promise((resolve, reject) => {
      const stream = session.request({ ':path': path, ':method': method, ...headers });
      const chunks: Buffer[] = [];
      let code = 0;
      let head: HttpAnswer['headers'] = {};
      stream.once('response', (received) => {
        code = received[':status'] ?? 0;
        head = received as HttpAnswer['headers'];
      });
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.once('error', reject);
      stream.once('end', () => {
        session.close();
        resolve(answer(code, head, chunks));
      });
      stream.end(body);
    });
  }

  /** Another certificate of a user who may do everything. */
  issue(user: string): Promise<KeyPair> {
    return issueCertificate(this.authority, { commonName: user, organizations: ['system:masters'] }, systemClock);
  }

  /** A bare connection, for those who do not speak HTTP well. */
  socket(as: KeyPair | null = this.admin): Promise<TLSSocket> {
    return new Promise((resolve, reject) => {
      const socket = connectTls(this.tls(as) as object, () => resolve(socket));
      socket.once('error', reject);
    });
  }
}

function answer(code: number, headers: HttpAnswer['headers'], chunks: readonly Buffer[]): HttpAnswer {
  const bytes = Buffer.concat(chunks);
  const text = bytes.toString();
  return {
    code,
    headers,
    text,
    bytes,
    get object() {
      return JSON.parse(text) as AnyObject;
    },
  };
}
