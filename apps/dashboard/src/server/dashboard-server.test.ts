import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { TestDashboard, TestFolder } from '../test-support.ts';
import type { PageTools } from './page-tools.ts';

const json = { 'content-type': 'application/json' };
const configMaps = '/api/kube/api/v1/namespaces/default/configmaps';
const configMap = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'made' } });
/** Every route with data, by method. */
const routes = [
  ['GET', '/api/session'],
  ['DELETE', '/api/session'],
  ['GET', '/api/explain?path=/api/v1/namespaces/default'],
  ['POST', '/api/tools/rollback'],
  ['POST', '/api/tools/explain-machine'],
  ['GET', configMaps],
  ['HEAD', configMaps],
  ['POST', configMaps],
  ['PUT', `${configMaps}/made`],
  ['PATCH', `${configMaps}/made`],
  ['DELETE', `${configMaps}/made`],
  ['GET', '/api/kube/api/v1/namespaces/default/pods/p/log'],
] as const;

describe('the page', () => {
  it('has headers that allow nothing from outside', async () => {
    await using dashboard = await TestDashboard.start();
    const { code, headers } = await dashboard.send('GET', '/runs/pipelinerun/default/x?tab=logs');
    expect(code).toBe(200);
    expect(headers['content-security-policy']).toMatch(/default-src 'none'; script-src 'self'; style-src 'self'/);
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' });
    expect((await dashboard.send('GET', '/app-1.js')).headers['cache-control']).toContain('immutable');
  });

  it.each(['/../package.json', '/%2e%2e/package.json', '/app-2.js', '/index.html.gz', '/..%2f..%2fetc%2fpasswd.x'])(
    'serves only its files: %s',
    async (path) => {
      await using dashboard = await TestDashboard.start();
      expect((await dashboard.send('GET', path)).code).toBe(404);
    },
  );

  it('denies requests with the name of another page', async () => {
    await using dashboard = await TestDashboard.start();
    for (const path of ['/', '/app-1.js', '/api/login', configMaps])
      expect((await dashboard.send('GET', path, { host: 'evil.example' })).code).toBe(403);
  });
});

describe('a login', () => {
  it('works once for each code', async () => {
    await using dashboard = await TestDashboard.start();
    const body = JSON.stringify({ code: dashboard.login.issue() });
    expect((await dashboard.send('POST', '/api/session', json, body)).code).toBe(200);
    expect((await dashboard.send('POST', '/api/session', json, body)).code).toBe(401);
  });

  it('sets a cookie that scripts and other sites do not get', async () => {
    await using dashboard = await TestDashboard.start();
    const body = JSON.stringify({ code: dashboard.login.issue() });
    const { headers } = await dashboard.send('POST', '/api/session', json, body);
    expect(String(headers['set-cookie'])).toMatch(
      /^tektite-session-\d+=[\w-]{32}; Path=\/api; Max-Age=604800; HttpOnly; SameSite=Strict$/,
    );
  });

  it.each([
    ['no body', ''],
    ['no JSON', '{'],
    ['null', 'null'],
    ['a wrong code', '{"code":"wrong"}'],
    ['an empty code', '{"code":""}'],
    ['a code that is no text', '{"code":["x"]}'],
    ['a body that is too large', JSON.stringify({ code: 'x'.repeat(100_000) })],
  ])('is denied for %s', async (_, body) => {
    await using dashboard = await TestDashboard.start();
    dashboard.login.issue();
    const { code, headers } = await dashboard.send('POST', '/api/session', json, body);
    expect(code).toBeGreaterThanOrEqual(400);
    expect(code).toBeLessThan(500);
    expect(headers['set-cookie']).toBeUndefined();
  });

  it('cannot be sent by a form of another page', async () => {
    await using dashboard = await TestDashboard.start();
    const body = JSON.stringify({ code: dashboard.login.issue() });
    expect((await dashboard.send('POST', '/api/session', { 'content-type': 'text/plain' }, body)).code).toBe(415);
    const foreign = { ...json, origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' };
    expect((await dashboard.send('POST', '/api/session', foreign, body)).code).toBe(403);
    expect((await dashboard.send('POST', '/api/session', json, body)).code).toBe(200);
  });
});

describe('every route with data', () => {
  it('is denied without, with half, with wrong and with ended credentials', async () => {
    await using dashboard = await TestDashboard.start();
    const session = await dashboard.session();
    const other = await dashboard.session();
    const ended = await dashboard.session();
    await dashboard.send('DELETE', '/api/session', ended);
    const hostile: Record<string, Record<string, string>> = {
      none: {},
      'the cookie alone': { cookie: session.cookie },
      'the token alone': { 'x-tektite-csrf': session['x-tektite-csrf'] },
      'the token of another session': { ...session, 'x-tektite-csrf': other['x-tektite-csrf'] },
      'a wrong cookie': { ...session, cookie: `${session.cookie}x` },
      'two cookies': { ...session, cookie: `${session.cookie}; ${other.cookie}` },
      'an ended session': ended,
      'a bearer token': { authorization: 'Bearer x' },
    };
    for (const [method, path] of routes)
      for (const [name, headers] of Object.entries(hostile))
        expect([method, path, name, (await dashboard.send(method, path, { ...json, ...headers }, '{}')).code]).toEqual([
          method,
          path,
          name,
          401,
        ]);
  });

  it('is denied to other pages, those of other ports of this machine among them', async () => {
    await using dashboard = await TestDashboard.start();
    const session = await dashboard.session();
    const { host } = new URL(dashboard.server.url);
    for (const [method, path] of routes)
      for (const foreign of [
        { 'sec-fetch-site': 'same-site' },
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'none' },
        { origin: 'http://127.0.0.1:1' },
        { origin: 'null' },
        { host: 'evil.example' },
      ])
        expect((await dashboard.send(method, path, { ...session, ...foreign }, '')).code).toBe(403);
    const own = { ...session, origin: `http://${host}`, 'sec-fetch-site': 'same-origin' };
    expect((await dashboard.send('GET', configMaps, own)).code).toBe(200);
  });

  it('answers with data that a browser does not run', async () => {
    await using dashboard = await TestDashboard.start();
    const session = await dashboard.session();
    const { headers } = await dashboard.send('GET', configMaps, session);
    expect(headers['content-security-policy']).toContain('sandbox');
    expect(headers['content-type']).toBe('application/json');
  });
});

describe('the proxy', () => {
  it('acts as the visitor, and no header of the request changes that', async () => {
    await using dashboard = await TestDashboard.start({}, { name: 'ann', groups: ['system:authenticated'] });
    const session = await dashboard.session();
    const tricks = {
      'impersonate-user': 'admin',
      'impersonate-group': 'system:masters',
      authorization: 'Bearer admin',
    };
    for (const headers of [session, { ...session, ...tricks }]) {
      const { code, text } = await dashboard.send('GET', configMaps, headers);
      expect([code, text]).toEqual([403, expect.stringContaining('User \\"ann\\" cannot list resource')]);
      expect((await dashboard.send('POST', configMaps, { ...headers, ...json }, configMap)).code).toBe(403);
    }
  });

  it('passes objects on, both ways', async () => {
    await using dashboard = await TestDashboard.start();
    const session = { ...(await dashboard.session()), ...json };
    expect((await dashboard.send('POST', configMaps, session, configMap)).code).toBe(201);
    const patch = { ...session, 'content-type': 'application/merge-patch+json' };
    expect((await dashboard.send('PATCH', `${configMaps}/made`, patch, '{"data":{"a":"b"}}')).code).toBe(200);
    expect(JSON.parse((await dashboard.send('GET', `${configMaps}/made`, session)).text)).toMatchObject({
      data: { a: 'b' },
    });
    expect((await dashboard.send('DELETE', `${configMaps}/made`, session)).code).toBe(200);
    expect((await dashboard.send('GET', `${configMaps}/made`, session)).code).toBe(404);
  });

  it.each([
    '/api/kube/metrics',
    '/api/kube/openapi/v2',
    '/api/kube/api/v1/namespaces/default/pods/p/exec',
    '/api/kube/api/v1/namespaces/default/pods/p/proxy/index.html',
    '/api/kube/api/v1/namespaces/default/services/s/proxy',
    '/api/kube/api/v1/nodes/n/proxy/logs',
    '/api/kube/api/v1/../../metrics',
    '/api/kube/api/v1/%2e%2e/%2e%2e/metrics',
    '/api/kube/api/v1//namespaces',
    '/api/kube/api/v1/namespaces/default%2Fpods',
    '/api/other',
  ])('does not pass on %s', async (path) => {
    await using dashboard = await TestDashboard.start();
    expect((await dashboard.send('GET', path, await dashboard.session())).code).toBe(404);
  });

  it('changes nothing when it is read-only', async () => {
    await using dashboard = await TestDashboard.start({ isReadOnly: true });
    const session = { ...(await dashboard.session()), ...json };
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      expect((await dashboard.send(method, configMaps, session, configMap)).code).toBe(403);
    expect((await dashboard.send('GET', configMaps, session)).code).toBe(200);
  });

  it('denies bodies that are too large', async () => {
    await using dashboard = await TestDashboard.start();
    const session = { ...(await dashboard.session()), ...json };
    const { code } = await dashboard.send('POST', configMaps, session, 'x'.repeat(4 * 1024 * 1024));
    expect(code).toBe(413);
  });

  it('explains only objects that the visitor may read', async () => {
    const explain = async (kind: string, key: string) => [
      { controller: kind, because: key, startedAt: 0, durationMs: 1, outcome: 'success' },
    ];
    const path = '/api/explain?path=/api/v1/namespaces/default';
    await using dashboard = await TestDashboard.start({ explain });
    const { text } = await dashboard.send('GET', path, await dashboard.session());
    expect(JSON.parse(text)).toMatchObject({ records: [{ controller: 'Namespace', because: 'default' }] });
    await using poor = await TestDashboard.start({ explain }, { name: 'ann', groups: [] });
    expect((await poor.send('GET', path, await poor.session())).code).toBe(403);
  });
});

describe('tools', () => {
  const tools: PageTools = {
    rollback: {
      isWriting: true,
      run: async (transport, { name = '' }) => {
        const { status } = await transport.request({ method: 'GET', path: '/api/v1/namespaces/default' });
        return { summary: `${name} ${status}`, failures: [] };
      },
    },
  };
  const call = async (dashboard: TestDashboard, tool: string) =>
    dashboard.send('POST', `/api/tools/${tool}`, { ...(await dashboard.session()), ...json }, '{"name":"web"}');

  it('work with the rights of the visitor', async () => {
    await using dashboard = await TestDashboard.start({ tools });
    expect(JSON.parse((await call(dashboard, 'rollback')).text)).toEqual({ summary: 'web 200', failures: [] });
    await using poor = await TestDashboard.start({ tools }, { name: 'ann', groups: [] });
    expect(JSON.parse((await call(poor, 'rollback')).text)).toMatchObject({ summary: 'web 403' });
  });

  it('do not write where the page is read-only, and have no names but their own', async () => {
    await using dashboard = await TestDashboard.start({ tools, isReadOnly: true });
    expect((await call(dashboard, 'rollback')).code).toBe(403);
    expect((await call(dashboard, 'plan-config')).code).toBe(404);
    expect((await call(dashboard, 'constructor')).code).toBe(404);
    const { text } = await dashboard.send('GET', '/api/session', await dashboard.session());
    expect(JSON.parse(text)).toMatchObject({ tools: ['rollback'] });
  });
});

describe('the streams', () => {
  const open = (dashboard: TestDashboard, headers: Record<string, string>, token = '') =>
    new Promise<WebSocket | number>((resolve) => {
      const socket = new WebSocket(
        `${dashboard.server.url.replace('http', 'ws')}/api/streams`,
        ['tektite.streams', `csrf.${token}`],
        {
          headers,
        },
      );
      socket.on('open', () => resolve(socket));
      socket.on('unexpected-response', (_, response) => resolve(response.statusCode ?? 0));
      socket.on('error', () => undefined);
    });

  it('carry watches of one session on one socket', async () => {
    await using dashboard = await TestDashboard.start();
    const { cookie, 'x-tektite-csrf': token } = await dashboard.session();
    const socket = await open(dashboard, { cookie, origin: dashboard.server.url }, token);
    if (typeof socket === 'number') throw new Error(`denied with ${socket}`);
    const received: string[] = [];
    socket.on('message', (data: Buffer, isBinary) =>
      received.push(isBinary ? `${data.readUInt32BE()} ${data.subarray(4).toString()}` : data.toString()),
    );
    const path = '/api/v1/namespaces/default/configmaps?watch=1';
    socket.send(JSON.stringify({ open: 1, path }));
    socket.send(JSON.stringify({ open: 2, path: '/api/v1/nodes/n/proxy' }));
    await expect.poll(() => received.join('\n')).toContain('"end":2,"status":{');
    await dashboard.plane.client.create({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace: 'default', name: 'seen' },
    });
    await expect.poll(() => received.join('\n')).toMatch(/^1 .*"ADDED".*"seen"/m);
    socket.close();
  });

  it('are denied without, with half and with wrong credentials, and to other pages', async () => {
    await using dashboard = await TestDashboard.start();
    const { cookie, 'x-tektite-csrf': token } = await dashboard.session();
    const origin = dashboard.server.url;
    expect(await open(dashboard, { origin }, token)).toBe(401);
    expect(await open(dashboard, { origin, cookie })).toBe(401);
    expect(await open(dashboard, { origin, cookie }, 'wrong')).toBe(401);
    expect(await open(dashboard, { origin: 'http://127.0.0.1:1', cookie }, token)).toBe(403);
    expect(await open(dashboard, { cookie }, token)).toBe(403);
    expect(await open(dashboard, { origin, cookie, host: 'evil.example' }, token)).toBe(403);
  });
});

it('continues sessions after a restart, and forgets those that were logged out', async () => {
  using folder = new TestFolder();
  const sessionFile = join(folder.path, 'sessions.json');
  const port = { port: 0 };
  let kept = { cookie: '', 'x-tektite-csrf': '' };
  let ended = kept;
  {
    await using dashboard = await TestDashboard.start({ sessionFile, ...port });
    kept = await dashboard.session();
    ended = await dashboard.session();
    await dashboard.send('DELETE', '/api/session', ended);
  }
  expect(readFileSync(sessionFile, 'utf8')).not.toContain(kept['x-tektite-csrf']);
  await using dashboard = await TestDashboard.start({ sessionFile, ...port });
  // Another port has another name for the cookie.
  const renamed = (session: typeof kept) => ({
    ...session,
    cookie: session.cookie.replace(/-\d+=/, `-${new URL(dashboard.server.url).port}=`),
  });
  expect((await dashboard.send('GET', '/api/session', renamed(kept))).code).toBe(200);
  expect((await dashboard.send('GET', '/api/session', renamed(ended))).code).toBe(401);
});
