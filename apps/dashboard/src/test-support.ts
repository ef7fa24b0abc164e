import { request } from 'node:http';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Transport } from '@tektite/client';
import { isStatusError, type KubeObject, systemClock, systemRandom } from '@tektite/meta';
import { type ControlPlane, startControlPlane } from '@tektite/testkit';
import { ApiError, connectionStatus, type KubeApi } from './api/kube-api.ts';
import { openStream } from './server/open-stream.ts';
import { CodeLogin } from './server/code-login.ts';
import { type DashboardOptions, type DashboardServer, serveDashboard } from './server/dashboard-server.ts';

/** The API over a transport of the same process, as the page has it over HTTP. */
export function transportApi(transport: Transport): KubeApi {
  const split = (path: string) => {
    const [bare = '', query = ''] = path.split('?');
    return { path: bare, query: new URLSearchParams(query) };
  };
  const read = async <T>(answer: ReturnType<Transport['request']>): Promise<T> => {
    const { status, body } = await answer;
    if (status >= 300) throw new ApiError(body as ApiError['status']);
    return body as T;
  };
  return {
    get: (path, options = {}) =>
      read(
        transport.request({
          method: 'GET',
          ...split(path),
          ...(options.accept ? { accept: options.accept } : {}),
          ...(options.signal ? { signal: options.signal } : {}),
        }),
      ),
    write: (method, path, { body, contentType } = {}) =>
      read(
        transport.request({
          method,
          ...split(path),
          ...(body === undefined ? {} : { body: body as object }),
          contentType: contentType ?? (method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'),
        }),
      ),
    stream: (path, reader) => {
      const abort = new AbortController();
      const pump = async () => {
        for await (const bytes of await openStream(transport, { ...split(path), signal: abort.signal }))
          reader.onData(bytes);
      };
      pump().then(
        () => reader.onEnd(),
        (error: Error) =>
          abort.signal.aborted || reader.onEnd(isStatusError(error) ? error.status : connectionStatus(error.message)),
      );
      return () => abort.abort(new Error('closed'));
    },
  };
}

/** Serves a kind without its webhooks and controllers. Its objects may have any fields. */
export async function serveKind(
  plane: ControlPlane,
  group: string,
  kind: string,
  { version = 'v1', scope = 'Namespaced', hasStatus = false } = {},
): Promise<void> {
  const singular = kind.toLowerCase();
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  await plane.client.create({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${singular}s.${group}` },
    spec: {
      group,
      scope,
      names: { kind, plural: `${singular}s`, singular, listKind: `${kind}List` },
      versions: [
        { name: version, served: true, storage: true, schema, ...(hasStatus ? { subresources: { status: {} } } : {}) },
      ],
    },
  } as never);
  const path = `/apis/${group}/${version}/${singular}s`;
  for (let status = 0; status !== 200; ) ({ status } = await plane.transport().request({ method: 'GET', path }));
}

/** A run as lists have it. */
export function run(
  name: string,
  more: { kind?: string; status?: object; spec?: object; labels?: object } = {},
): KubeObject {
  const { kind = 'PipelineRun', status, spec = {}, labels } = more;
  return {
    apiVersion: 'tekton.dev/v1',
    kind,
    metadata: {
      namespace: 'default',
      name,
      uid: name,
      creationTimestamp: '2026-01-01T00:00:00Z',
      ...(labels ? { labels } : {}),
    },
    spec,
    ...(status ? { status } : {}),
  } as KubeObject;
}

/** A folder that is removed after the test. */
export class TestFolder implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), 'tektite-page-'));

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

export interface Answer {
  readonly code: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** A dashboard in front of a control plane, and requests to it as a browser or an attacker sends them. */
export class TestDashboard implements AsyncDisposable {
  readonly plane: ControlPlane;
  readonly server: DashboardServer;
  readonly login: CodeLogin;
  private readonly folder: string;

  static async start(
    more: Partial<DashboardOptions> = {},
    user?: Parameters<ControlPlane['transport']>[0],
  ): Promise<TestDashboard> {
    const plane = await startControlPlane();
    const folder = mkdtempSync(join(tmpdir(), 'tektite-page-'));
    writeFileSync(join(folder, 'index.html'), '<!doctype html><title>page</title>');
    writeFileSync(join(folder, 'app-1.js'), '1;');
    const visitor = async () => ({ name: 'admin', transport: plane.transport(user) });
    const login = new CodeLogin(visitor, systemClock, systemRandom);
    const server = await serveDashboard({ login, pageFolder: folder, host: '127.0.0.1', port: 0, ...more });
    return new TestDashboard(plane, server, login, folder);
  }

  private constructor(plane: ControlPlane, server: DashboardServer, login: CodeLogin, folder: string) {
    this.plane = plane;
    this.server = server;
    this.login = login;
    this.folder = folder;
  }

  send(method: string, path: string, headers: Record<string, string> = {}, body?: string): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const { hostname, port } = new URL(this.server.url);
      const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
      const sent = request(
        { method, path, host: hostname, port, headers: { ...length, ...headers }, agent: false },
        (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
          response.on('end', () => resolve({ code: response.statusCode ?? 0, headers: response.headers, text }));
        },
      );
      sent.on('error', reject);
      sent.end(body);
    });
  }

  /** The headers of a session. */
  async session(): Promise<{ cookie: string; 'x-tektite-csrf': string }> {
    const body = JSON.stringify({ code: this.login.issue() });
    const answer = await this.send('POST', '/api/session', { 'content-type': 'application/json' }, body);
    const [cookie = ''] = String(answer.headers['set-cookie']).split(';');
    const { csrfToken } = JSON.parse(answer.text) as { csrfToken: string };
    return { cookie, 'x-tektite-csrf': csrfToken };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.close();
    await this.plane.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
