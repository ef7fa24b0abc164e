import { request } from 'node:http';
import { connect } from 'node:net';
import { seededRandom } from '@tektite/meta';
import { describe, expect, it } from 'vitest';
import { GuardedServer, type GuardedServerOptions } from './guarded-server.ts';

async function start(onRequest: GuardedServerOptions['onRequest'], errors: unknown[] = []): Promise<GuardedServer> {
  return GuardedServer.start({ host: '127.0.0.1', port: 0, onRequest, onError: (error) => errors.push(error) });
}

/** Sends bytes and returns what comes back until the connection ends. */
function send(port: number, bytes: string | Buffer, end = true): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    socket.on('data', (chunk) => (text += chunk.toString('latin1')));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(text));
    if (end) socket.end(bytes);
    else socket.write(bytes);
  });
}

const ok: GuardedServerOptions['onRequest'] = (_, response) => void response.end('fine');
const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`;

describe('a guarded server', () => {
  it.each([
    ['no HTTP', 'hello\r\n\r\n', 400],
    ['headers that are too large', `GET / HTTP/1.1\r\nHost: x\r\nx: ${'y'.repeat(200_000)}\r\n\r\n`, 431],
    ['a URL that is too large', get(`/${'y'.repeat(200_000)}`), 431],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab', 400],
    [
      'a length and chunks',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
      400,
    ],
  ])('answers %s, and lives on', async (_, bytes, code) => {
    await using server = await start(ok);
    expect(await send(server.port, bytes, false)).toMatch(new RegExp(`^HTTP/1\\.1 ${code} `));
    expect(await send(server.port, get('/'))).toMatch(/^HTTP\/1\.1 200 [^]*fine/);
  });

  it('answers 500 when a handler throws, at once or later, and hands the error on', async () => {
    const errors: unknown[] = [];
    await using server = await start((request) => {
      if (request.url === '/now') throw new Error('now');
      return Promise.reject(new Error('later'));
    }, errors);
    for (const path of ['/now', '/later']) expect(await send(server.port, get(path))).toMatch(/^HTTP\/1\.1 500 /);
    expect(errors).toEqual([new Error('now'), new Error('later')]);
  });

  it('survives random bytes and mutated requests', async () => {
    await using server = await start(ok);
    const random = seededRandom(7);
    const base = Buffer.from(get('/healthz?x=y'));
    for (let round = 0; round < 300; round++) {
      const bytes = round % 3 === 0 ? Buffer.from(random.bytes(200)) : Buffer.from(base);
      for (let i = 0; i < 1 + random.next() * 5; i++)
        bytes[Math.floor(random.next() * bytes.length)] = Math.floor(random.next() * 256);
      await send(server.port, bytes);
    }
    expect(await send(server.port, get('/'))).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('ends kept connections with their next answer when it is retired, and takes new ones', async () => {
    await using server = await start(ok);
    const kept = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';
    const socket = connect(server.port, '127.0.0.1');
    let text = '';
    socket.on('data', (chunk) => (text += chunk.toString('latin1')));
    const closed = new Promise((resolve) => {
      socket.on('close', resolve);
    });
    socket.write(kept);
    await expect.poll(() => text).toMatch(/keep-alive[^]*fine$/i);
    server.retire();
    socket.write(kept);
    await closed;
    expect(text).toMatch(/fine[^]*connection: close[^]*fine$/i);
    expect(await send(server.port, kept, false)).toMatch(/connection: close[^]*fine$/i);
  });

  it('lets answers under way be sent when it drains, and takes no new connections', async () => {
    let finish = () => {};
    const server = await start((_, response) => {
      finish = () => void response.end('late');
      return new Promise<void>((resolve) => response.once('finish', () => resolve()));
    });
    const answer = new Promise<string>((resolve) => {
      request({ port: server.port, host: '127.0.0.1' }, (response) => {
        response.setEncoding('utf8').on('data', resolve);
      }).end();
    });
    await expect.poll(() => finish.length === 0 && finish.toString().includes('late')).toBe(true);
    const drained = server.drain(10_000);
    finish();
    expect(await answer).toBe('late');
    await drained;
    expect(await send(server.port, get('/'))).toBe('');
  });
});
