import { systemClock } from '@tektite/meta';
import { settle, startControlPlane, virtualClock } from '@tektite/testkit';
import { describe, expect, it } from 'vitest';
import type { CredentialMaterial, Credentials } from '../config/credentials.ts';
import { configMapEvent, events, failure, json, startFaultServer } from './fault-server.cases.ts';
import { httpTransport } from './http-transport.ts';
import type { WireEvent } from './transport.ts';

const get = { method: 'GET', path: '/version' } as const;
const watch = { method: 'GET', path: '/api/v1/configmaps' } as const;

async function readAll(stream: AsyncIterable<WireEvent>): Promise<string[]> {
  const names: string[] = [];
  for await (const { object } of stream) names.push(String((object as { metadata: { name?: string } }).metadata.name));
  return names;
}

describe('connections', () => {
  it('are kept and used again', async () => {
    await using server = await startFaultServer((_, response) => json(response, 200, {}));
    const transport = httpTransport(server.config);
    for (let i = 0; i < 20; i++) await transport.request(get);
    expect(server.openSockets).toBeLessThanOrEqual(2);
    await transport.close();
    await expect.poll(() => server.openSockets).toBe(0);
  });

  it('are few, however much is asked at once, and neither reads nor watches wait for writes', async () => {
    const held: (() => void)[] = [];
    await using server = await startFaultServer((request, response) => {
      if (request.method === 'POST') held.push(() => json(response, 201, {}));
      else if (request.url?.startsWith('/version')) json(response, 200, {});
      else events(response, configMapEvent('ADDED', 'a', '1'));
    });
    const transport = httpTransport(server.config);
    const writes = Array.from({ length: 300 }, () =>
      transport.request({ method: 'POST', path: '/api/v1/configmaps', body: {} }),
    );
    await expect.poll(() => held.length).toBe(64);
    await transport.request(get);
    (await transport.watch(watch)).close();
    const release = setInterval(() => held.splice(0).forEach((answer) => answer()), 1);
    expect((await Promise.all(writes)).map(({ status }) => status)).toEqual(Array.from({ length: 300 }, () => 201));
    clearInterval(release);
    expect(server.openSockets).toBeLessThanOrEqual(66);
    await transport.close();
  });

  it('reach a server behind a path', async () => {
    await using server = await startFaultServer((_, response) => json(response, 200, {}));
    const transport = httpTransport({ ...server.config, server: `${server.config.server}/k8s/clusters/c1/` });
    await transport.request({ ...get, query: new URLSearchParams({ a: 'b c' }) });
    expect(server.requests).toEqual(['GET /k8s/clusters/c1/version?a=b+c']);
    await transport.close();
  });

  it('leave no timer behind', async () => {
    const clock = virtualClock();
    await using server = await startFaultServer((request, response) =>
      request.url?.startsWith('/version') ? json(response, 200, {}) : events(response),
    );
    const transport = httpTransport(server.config, { clock });
    await transport.request(get);
    const stream = await transport.watch(watch);
    const reading = readAll(stream);
    expect(clock.pendingTimers).toBe(1);
    stream.close();
    await reading;
    expect(clock.pendingTimers).toBe(0);
    await transport.close();
  });
});

describe('what goes wrong', () => {
  it('has a code, a cause and a remedy', async () => {
    const transport = httpTransport({ server: 'http://127.0.0.1:1', namespace: 'default' });
    await expect(transport.request(get)).rejects.toMatchObject({
      code: 'CONNECTION_REFUSED',
      message: expect.stringMatching(/cannot talk to http:\/\/127\.0\.0\.1:1: .*is the API server running/),
      cause: expect.anything(),
    });
    await transport.close();
  });

  it('reports a connection that is cut', async () => {
    await using server = await startFaultServer((_, response) => response.socket?.destroy());
    const transport = httpTransport(server.config);
    await expect(transport.request(get)).rejects.toMatchObject({ code: 'CONNECTION_RESET' });
    await transport.close();
  });

  it('reports an answer that ends early', async () => {
    await using server = await startFaultServer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      response.write('{"a":');
      setTimeout(() => response.socket?.destroy(), 20);
    });
    const transport = httpTransport(server.config);
    await expect(transport.request(get)).rejects.toMatchObject({ code: 'CONNECTION_RESET' });
    await transport.close();
  });

  it('reports a server that is no HTTP server', async () => {
    await using server = await startFaultServer((_, response) => response.socket?.end('SSH-2.0-OpenSSH_9.2\r\n'));
    const transport = httpTransport(server.config);
    await expect(transport.request(get)).rejects.toMatchObject({ code: 'INVALID_RESPONSE' });
    await transport.close();
  });

  it('reports invalid JSON', async () => {
    await using server = await startFaultServer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('<html>login</html>');
    });
    const transport = httpTransport(server.config);
    await expect(transport.request(get)).rejects.toMatchObject({ code: 'INVALID_RESPONSE' });
    await transport.close();
  });

  it('gives up on an answer that takes too long, however it dribbles', async () => {
    const clock = virtualClock();
    await using server = await startFaultServer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{');
    });
    const transport = httpTransport(server.config, { clock, timeoutMs: 10_000 });
    const answer = expect(transport.request(get)).rejects.toMatchObject({ code: 'TIMEOUT' });
    while (server.requests.length === 0) await settle();
    await clock.advance(10_000);
    await answer;
    await transport.close();
  });

  it('distinguishes an untrusted certificate from one for another name', async () => {
    await using plane = await startControlPlane();
    const { config, port } = await plane.https();
    const { certificateAuthority: _, ...strange } = config;
    const untrusted = httpTransport(strange);
    await expect(untrusted.request(get)).rejects.toMatchObject({ code: 'TLS_UNTRUSTED' });
    const wrongName = httpTransport({ ...config, tlsServerName: 'elsewhere.example.com' });
    await expect(wrongName.request(get)).rejects.toMatchObject({ code: 'TLS_WRONG_HOST' });
    const notTls = httpTransport({ ...config, server: `http://127.0.0.1:${port}` });
    await expect(notTls.request(get)).rejects.toHaveProperty('code');
    for (const transport of [untrusted, wrongName, notTls]) await transport.close();
  });

  it('says TLS when an https address leads to a plain server', async () => {
    await using server = await startFaultServer((_, response) => json(response, 200, {}));
    const transport = httpTransport({ ...server.config, server: server.config.server.replace('http:', 'https:') });
    await expect(transport.request(get)).rejects.toMatchObject({ code: 'TLS_FAILED' });
    await transport.close();
  });
});

describe('TLS options', () => {
  it.each([
    ['a name the certificate has', { tlsServerName: 'localhost' }],
    ['no checks at all', { insecureSkipTlsVerify: true, tlsServerName: 'elsewhere.example.com' }],
  ])('reach the server with %s', async (_, options) => {
    await using plane = await startControlPlane();
    const transport = httpTransport({ ...(await plane.https()).config, ...options });
    expect((await transport.request(get)).status).toBe(200);
    await transport.close();
  });

  it('impersonate with user, groups and extra', async () => {
    await using plane = await startControlPlane();
    const impersonate = {
      user: 'jane',
      groups: ['devs', 'ops'],
      extra: { 'example.com/scope': ['a', 'b'] },
    };
    const transport = httpTransport({ ...(await plane.https()).config, impersonate });
    const { body } = await transport.request({
      method: 'POST',
      path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
    });
    expect(body).toMatchObject({
      status: {
        userInfo: { username: 'jane', groups: ['devs', 'ops', 'system:authenticated'], extra: impersonate.extra },
      },
    });
    await transport.close();
  });
});

describe('credentials', () => {
  function rotating(...tokens: string[]): Credentials & { asked: number } {
    let index = 0;
    return {
      asked: 0,
      current(): Promise<CredentialMaterial> {
        this.asked++;
        return Promise.resolve({ authorization: `Bearer ${tokens[Math.min(index, tokens.length - 1)]}` });
      },
      refused: () => ++index < tokens.length,
    };
  }

  it('are fetched again after a 401, and the request is repeated once', async () => {
    await using server = await startFaultServer((request, response) =>
      request.headers.authorization === 'Bearer new' ? json(response, 200, { ok: true }) : failure(response, 401),
    );
    const transport = httpTransport({ ...server.config, credentials: rotating('old', 'new') });
    const response = await transport.request({ method: 'POST', path: '/api/v1/pods', body: { a: 1 } });
    expect(response.body).toEqual({ ok: true });
    expect(server.requests).toHaveLength(2);
    await transport.close();
  });

  it('that stay refused end in the 401', async () => {
    await using server = await startFaultServer((_, response) => failure(response, 401));
    const transport = httpTransport({ ...server.config, credentials: rotating('a', 'b', 'c') });
    expect((await transport.request(get)).status).toBe(401);
    expect(server.requests).toHaveLength(2);
    await transport.close();
  });

  it('with another client certificate use new connections', async () => {
    await using plane = await startControlPlane();
    const endpoint = await plane.https();
    const users = [
      await endpoint.configFor({ name: 'one', groups: ['system:masters'] }),
      await endpoint.configFor({ name: 'two', groups: ['system:masters'] }),
    ];
    let who = 0;
    const credentials: Credentials = {
      current: () => users[who]?.credentials?.current() ?? Promise.resolve({}),
      refused: () => false,
    };
    const transport = httpTransport({ ...endpoint.config, credentials });
    const review = {
      method: 'POST',
      path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
    } as const;
    expect((await transport.request(review)).body).toMatchObject({ status: { userInfo: { username: 'one' } } });
    who = 1;
    expect((await transport.request(review)).body).toMatchObject({ status: { userInfo: { username: 'two' } } });
    await transport.close();
  });
});

describe('a watch', () => {
  it('puts events together that arrive in pieces, even within a character', async () => {
    const bytes = Buffer.from(`${JSON.stringify(configMapEvent('ADDED', 'ü-€-😀', '1'))}\n`);
    await using server = await startFaultServer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      void (async () => {
        for (const byte of bytes) {
          response.write(Buffer.of(byte));
          await settle(1);
        }
        response.end();
      })();
    });
    const transport = httpTransport(server.config);
    expect(await readAll(await transport.watch(watch))).toEqual(['ü-€-😀']);
    await transport.close();
  });

  it('delivers the events before the cut, then reports it', async () => {
    await using server = await startFaultServer((_, response) => {
      events(response, configMapEvent('ADDED', 'a', '1'));
      response.write('{"type":"ADDED","obj');
      setTimeout(() => response.socket?.destroy(), 50);
    });
    const transport = httpTransport(server.config);
    const seen: string[] = [];
    const reading = (async () => {
      for await (const { object } of await transport.watch(watch))
        seen.push((object as { metadata: { name: string } }).metadata.name);
    })();
    await expect(reading).rejects.toMatchObject({ code: 'CONNECTION_RESET' });
    expect(seen).toEqual(['a']);
    await transport.close();
  });

  it('detects a dead peer', async () => {
    const clock = virtualClock();
    await using server = await startFaultServer((_, response) => events(response, configMapEvent('ADDED', 'a', '1')));
    const transport = httpTransport(server.config, { clock, watchIdleTimeoutMs: 30_000 });
    const stream = await transport.watch(watch);
    const iterator = stream[Symbol.asyncIterator]();
    await iterator.next();
    const next = expect(iterator.next()).rejects.toMatchObject({ code: 'CONNECTION_STALLED' });
    await clock.advance(29_000);
    expect(server.openResponses).toBe(1);
    await clock.advance(1_000);
    await next;
    await expect.poll(() => server.openResponses).toBe(0);
    await transport.close();
  });

  it('takes every event for a sign of life', async () => {
    const clock = virtualClock();
    let send = (): void => {};
    await using server = await startFaultServer((_, response) => {
      events(response);
      send = () => void response.write(`${JSON.stringify(configMapEvent('MODIFIED', 'a', '1'))}\n`);
    });
    const transport = httpTransport(server.config, { clock, watchIdleTimeoutMs: 30_000 });
    const stream = await transport.watch(watch);
    const iterator = stream[Symbol.asyncIterator]();
    for (let i = 0; i < 5; i++) {
      await clock.advance(20_000);
      send();
      expect((await iterator.next()).done).toBe(false);
    }
    stream.close();
    expect((await iterator.next()).done).toBe(true);
    await transport.close();
  });

  it.each(['this is not JSON\n', '"a string"\n', '{"type":"SURPRISE","object":{}}\n', '{"type":"ADDED"}\n'])(
    'reports garbage: %j',
    async (garbage) => {
      await using server = await startFaultServer((_, response) => {
        events(response);
        response.end(garbage);
      });
      const transport = httpTransport(server.config);
      await expect(readAll(await transport.watch(watch))).rejects.toMatchObject({ code: 'INVALID_RESPONSE' });
      await transport.close();
    },
  );

  it('frees its connection when its reader stops', async () => {
    await using server = await startFaultServer((_, response) => events(response, configMapEvent('ADDED', 'a', '1')));
    const transport = httpTransport(server.config, { clock: systemClock });
    for await (const _ of await transport.watch(watch)) break;
    await expect.poll(() => server.openResponses).toBe(0);
    await transport.close();
  });
});
