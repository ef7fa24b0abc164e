import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveStatus, type StatusServer } from './status-server.ts';

describe('the status server', () => {
  let server: StatusServer;
  let guarded: StatusServer;
  beforeAll(async () => {
    const explain = () => [];
    const health = () => ({ healthy: true, ready: true, controllers: new Map(), informers: new Map() });
    const subject = { health, explain, metrics: async () => 'up 1\n' };
    server = await serveStatus(subject, '127.0.0.1', 0);
    guarded = await serveStatus(subject, '127.0.0.1', 0, 'sesame');
  });
  afterAll(async () => {
    await server.close();
    await guarded.close();
  });

  function get(target: string, host = '127.0.0.1'): Promise<string> {
    return new Promise((resolve) => {
      const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
      let text = '';
      socket.on('data', (chunk) => (text += chunk.toString()));
      socket.on('close', () => resolve(text));
      socket.write(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    });
  }

  it.each(['//', '/%', 'http://', '//x:99999999/', '/healthz?%'])('answers %s and lives on', async (target) => {
    expect(await get(target)).toMatch(/^HTTP\/1\.1 [24]\d\d /);
    expect(await get('/healthz')).toMatch(/^HTTP\/1\.1 200 [^]*ok$/);
  });

  it('explains objects to bearers of its token only, and shows health to every program of this machine', async () => {
    const path = '/explain?kind=Pod&key=a/b';
    const ask = async (authorization?: string) =>
      (await fetch(`${guarded.url}${path}`, { headers: authorization ? { authorization } : {} })).status;
    expect(await ask()).toBe(403);
    expect(await ask('Bearer ')).toBe(403);
    expect(await ask('Bearer sesam')).toBe(403);
    expect(await ask('Bearer sesame')).toBe(200);
    expect((await fetch(`${guarded.url}/healthz`)).status).toBe(200);
  });

  it.each(['/metrics', '/explain?kind=Pod&key=a/b', '/healthz'])(
    'denies %s to a web page that had its name resolve to this machine',
    async (path) => {
      expect(await get(path, 'evil.example:8080')).toMatch(/^HTTP\/1\.1 403 /);
      expect(await get(path)).toMatch(/^HTTP\/1\.1 200 /);
    },
  );
});
