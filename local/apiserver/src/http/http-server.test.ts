import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { request as httpsRequest } from 'node:https';
import { connect } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { createSigningRequest, type KeyPair, signRequest } from '@tektite/certificates';
import { type Status, systemClock } from '@tektite/meta';
import { describe, expect, it } from 'vitest';
import { HttpTestServer } from './test-support.ts';

const path = '/api/v1/namespaces/default/configmaps';
const configMap = (name: string, data: Record<string, string> = {}) =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });
const json = { 'content-type': 'application/json' };

/** Writes bytes to a connection, and returns the answer until the server ends it or is silent. */
async function exchange(socket: TLSSocket, text: string | Buffer): Promise<string> {
  let received = '';
  socket.on('data', (chunk: Buffer) => (received += chunk.toString('latin1')));
  socket.on('error', () => {});
  socket.write(text);
  const quiet = new Promise((resolve) => setTimeout(resolve, 300).unref());
  await Promise.race([once(socket, 'close').catch(() => {}), quiet]);
  socket.destroy();
  return received;
}

/** Reads a chunked answer; whether it came to its end. */
async function endsWhole(socket: TLSSocket): Promise<boolean> {
  let end = '';
  socket.on('data', (chunk: Buffer) => (end = (end + chunk.toString('latin1')).slice(-20)));
  const closed = once(socket, 'close').catch(() => {});
  socket.resume();
  await Promise.race([closed, expect.poll(() => end).toContain('0\r\n\r\n')]);
  socket.destroy();
  return end.endsWith('0\r\n\r\n');
}

describe.each(['http1', 'http2'] as const)('HTTPS by %s', (version) => {
  it('serves objects', async () => {
    await using server = await HttpTestServer.start();
    const created = await server[version](path, { method: 'POST', headers: json, body: configMap('a', { x: '1' }) });
    expect(created.code).toBe(201);
    expect(created.headers['content-type']).toBe('application/json');
    expect(created.headers['cache-control']).toBe('no-cache, private');
    const read = await server[version](`${path}/a`);
    expect(read.object.data).toEqual({ x: '1' });
    expect(read.headers['content-length']).toBe(String(Buffer.byteLength(read.text)));
    expect((await server[version](`${path}/a`, { method: 'DELETE' })).code).toBe(200);
    expect((await server[version](`${path}/a`)).code).toBe(404);
  });

  it('answers HEAD like GET, without the body', async () => {
    await using server = await HttpTestServer.start();
    const full = await server[version]('/version');
    const head = await server[version]('/version', { method: 'HEAD' });
    expect(head.code).toBe(200);
    expect(head.text).toBe('');
    expect(head.headers['content-length']).toBe(full.headers['content-length']);
  });

  it('prints for people when asked', async () => {
    await using server = await HttpTestServer.start();
    const plain = await server[version](`${path}?limit=1`);
    expect(plain.text.split('\n')).toHaveLength(2);
    for (const pretty of ['?pretty', '?pretty=true', '?limit=1&pretty=1'])
      expect((await server[version](path + pretty)).text).toContain('{\n  "kind": "ConfigMapList"');
    for (const compact of ['?pretty=false', '?pretty=0', '?prettyplease=1'])
      expect((await server[version](path + compact)).text.split('\n')).toHaveLength(2);
  });

  it('reads and writes YAML', async () => {
    await using server = await HttpTestServer.start();
    const body = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: why\ndata:\n  text: "ü 日本"\n';
    const headers = { 'content-type': 'application/yaml', accept: 'application/yaml' };
    const created = await server[version](path, { method: 'POST', headers, body });
    expect(created.code).toBe(201);
    expect(created.headers['content-type']).toBe('application/yaml');
    expect(created.text).toContain('\ndata:\n  text: ü 日本\n');
    expect((await server[version](`${path}/why`)).object.data).toEqual({ text: 'ü 日本' });
  });

  it('refuses bodies above three megabytes with 413, however they come', async () => {
    await using server = await HttpTestServer.start();
    const large = Buffer.alloc(10 * 1024 * 1024, 'x');
    const announced = await server[version](path, {
      method: 'POST',
      headers: { ...json, 'content-length': String(large.length) },
      body: large,
    });
    expect(announced.code).toBe(413);
    expect(announced.object).toMatchObject({
      kind: 'Status',
      reason: 'RequestEntityTooLarge',
      message: 'Request entity too large: limit is 3145728',
    });
    const unannounced = await server[version](path, { method: 'POST', headers: json, body: large });
    expect(unannounced.code).toBe(413);
    const justFits = configMap('b', { x: 'y'.repeat(900_000) });
    expect((await server[version](path, { method: 'POST', headers: json, body: justFits })).code).toBe(201);
  });

  it('sends warnings as headers, whatever is in them', async () => {
    await using server = await HttpTestServer.start();
    const body = JSON.stringify({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'w' },
      'a "quoted"\r\nSet-Cookie: x=1\u0000 日本': 1,
    });
    const answer = await server[version](`${path}?fieldValidation=Warn`, { method: 'POST', headers: json, body });
    expect(answer.code).toBe(201);
    expect(answer.headers['set-cookie']).toBeUndefined();
  });

  it('streams watches, and ends them when the client goes', async () => {
    await using server = await HttpTestServer.start();
    const before = server.api.server.storage.revision;
    const lines: string[] = [];
    let stop: () => void;
    if (version === 'http1') {
      const request = httpsRequest({
        ...server.tls(),
        path: `${path}?watch=1&resourceVersion=${before}`,
        agent: false,
      });
      request.on('error', () => {});
      request.end();
      const [response] = (await once(request, 'response')) as [AsyncIterable<Buffer> & NodeJS.ReadableStream];
      response.on('data', (chunk: Buffer) => lines.push(...chunk.toString().trim().split('\n')));
      stop = () => request.destroy();
    } else {
      const stream = server.session().request({ ':path': `${path}?watch=1&resourceVersion=${before}` });
      stream.on('data', (chunk: Buffer) => lines.push(...chunk.toString().trim().split('\n')));
      await once(stream, 'response');
      stop = () => stream.close();
    }
    await server.api.ok('POST', path, JSON.parse(configMap('a')));
    await expect.poll(() => lines.length).toBe(1);
    expect(JSON.parse(lines[0] as string)).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'a' } } });
    stop();
  });
});

describe('clients that misbehave', () => {
  it.each([
    ['no HTTP at all', 'hello?\r\n\r\n'],
    ['noise', Buffer.from(Array.from({ length: 500 }, (_, i) => (i * 73) % 256))],
    ['a header without a name', 'GET /version HTTP/1.1\r\nhost: x\r\n: y\r\n\r\n'],
    ['a flood of headers', `GET /version HTTP/1.1\r\nhost: x\r\n${'a: b\r\n'.repeat(20_000)}\r\n`],
    ['a header of a megabyte', `GET /version HTTP/1.1\r\nhost: x\r\na: ${'b'.repeat(1024 * 1024)}\r\n\r\n`],
    ['an address of a megabyte', `GET /${'a'.repeat(1024 * 1024)} HTTP/1.1\r\nhost: x\r\n\r\n`],
    ['two lengths', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'],
    ['a length and chunks', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\nab'],
    ['a chunk that is none', 'POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nZZ\r\nab\r\n'],
    ['a body that never comes', 'POST /version HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\nab'],
    [
      'a request for another protocol',
      'GET /version HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: spdy/3.1\r\n\r\n',
    ],
  ])('do no harm: %s', async (_, bytes) => {
    await using server = await HttpTestServer.start();
    const received = await exchange(await server.socket(), bytes);
    if (received !== '') expect(received).toMatch(/^HTTP\/1\.1 [24]\d\d /);
    expect((await server.http1('/version')).code).toBe(200);
    expect((await server.http2('/version')).code).toBe(200);
  });

  it('may break off in the middle of a body or of an answer', async () => {
    await using server = await HttpTestServer.start();
    await server.api.ok('POST', path, JSON.parse(configMap('big', { x: 'y'.repeat(900_000) })));
    for (let i = 0; i < 5; i++) {
      const half = await server.socket();
      half.on('error', () => {});
      half.write(`POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: 100000\r\n\r\n{"kind":`);
      await new Promise((resolve) => setTimeout(resolve, 10));
      half.destroy();
      const reader = await server.socket();
      reader.on('error', () => {});
      reader.write(`GET ${path}/big HTTP/1.1\r\nhost: x\r\n\r\n`);
      await once(reader, 'data');
      reader.destroy();
      const stream = server.session().request({ ':path': path, ':method': 'POST' });
      stream.on('error', () => {});
      stream.write('{"kind":');
      await new Promise((resolve) => setTimeout(resolve, 10));
      stream.close(8);
    }
    expect((await server.http1(`${path}/big`)).code).toBe(200);
    expect((await server.api.ok('GET', path)).items).toHaveLength(1);
  });

  it('cannot send a body without end', async () => {
    await using server = await HttpTestServer.start();
    const socket = await server.socket();
    let received = '';
    socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
    socket.on('error', () => {});
    socket.write(`POST ${path} HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n`);
    const chunk = `${(1024 * 1024).toString(16)}\r\n${'x'.repeat(1024 * 1024)}\r\n`;
    let sent = 0;
    let drained = () => {};
    socket.on('drain', () => drained());
    socket.on('close', () => drained());
    while (!socket.destroyed && sent < 200) {
      sent++;
      if (!socket.write(chunk))
        await new Promise<void>((resolve) => {
          drained = resolve;
        });
    }
    expect(sent).toBeLessThan(200);
    expect(received).toContain('413');
  });

  it('are believed no longer than their certificate lasts, on a connection that lasts longer too', async () => {
    await using server = await HttpTestServer.start();
    const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' });
    const request = await createSigningRequest(String(key), { commonName: 'ada', organizations: ['system:masters'] });
    const options = { clock: systemClock, usages: ['client auth'], validForMs: 3000 };
    const certificate = await signRequest(server.authority, request, options);
    const session = server.session({ certificate, key: String(key) });
    const ask = async () => {
      const [headers] = (await once(session.request({ ':path': path }), 'response')) as [Record<string, unknown>];
      return headers[':status'];
    };
    expect(await ask()).toBe(200);
    await expect.poll(ask, { timeout: 5000, interval: 200 }).toBe(401);
  });

  it('are answered before they have sent much, when they may send nothing at all', async () => {
    await using server = await HttpTestServer.start();
    const stream = server.session(null).request({ ':path': path, ':method': 'POST' });
    // The end of it never comes.
    stream.write(Buffer.alloc(1024 * 1024, 0x20));
    const [headers] = (await once(stream, 'response')) as [Record<string, unknown>];
    expect(headers[':status']).toBe(403);
    stream.destroy();
    const { host, port } = server.tls() as { host: string; port: number };
    const options = { host, port, path, method: 'POST', ca: server.authority.certificate, agent: false as const };
    const request = httpsRequest(options).on('error', () => {});
    request.write(Buffer.alloc(1024 * 1024, 0x20));
    const [{ statusCode }] = (await once(request, 'response')) as [{ statusCode: number }];
    expect(statusCode).toBe(403);
    request.destroy();
  });

  it('do not make others wait: one that reads nothing of its watch is cut off, the rest hear everything', async () => {
    await using server = await HttpTestServer.start();
    const watchPath = `${path}?watch=1&resourceVersion=${server.api.server.storage.revision}`;
    const slow = await server.socket();
    slow.on('error', () => {});
    slow.write(`GET ${watchPath} HTTP/1.1\r\nhost: x\r\n\r\n`);
    slow.pause();
    const lazy = server.session().request({ ':path': watchPath });
    lazy.on('error', () => {});
    lazy.pause();
    const names: string[] = [];
    const quick = server.session().request({ ':path': watchPath });
    let text = '';
    quick.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const lines = text.split('\n');
      text = lines.pop() as string;
      for (const line of lines)
        names.push((JSON.parse(line) as { object: { metadata: { name: string } } }).object.metadata.name);
    });
    await once(quick, 'response');
    const count = 60;
    for (let i = 0; i < count; i++) {
      await server.api.ok('POST', path, JSON.parse(configMap(`c${i}`, { x: 'y'.repeat(400_000) })));
      while (names.length <= i && !quick.closed) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(names).toEqual(Array.from({ length: count }, (_, i) => `c${i}`));
    // The slow ones find their connection or stream ended before they got everything.
    let bytes = 0;
    slow.on('data', (chunk: Buffer) => (bytes += chunk.length));
    const closed = once(slow, 'close').catch(() => {});
    slow.resume();
    await closed;
    let lazyBytes = 0;
    lazy.on('data', (chunk: Buffer) => (lazyBytes += chunk.length));
    const lazyClosed = once(lazy, 'close').catch(() => {});
    lazy.resume();
    await lazyClosed;
    expect(bytes).toBeLessThan(count * 400_000);
    expect(lazyBytes).toBeLessThan(count * 400_000);
  });

  it('may take their time with what a watch starts with, however much that is', async () => {
    await using server = await HttpTestServer.start();
    const count = 40;
    const enough = count * 400_000;
    for (let i = 0; i < count; i++)
      await server.api.ok('POST', path, JSON.parse(configMap(`c${i}`, { x: 'y'.repeat(400_000) })));
    for (const version of ['http1', 'http2']) {
      const watchPath = `${path}?watch=1`;
      let bytes = 0;
      if (version === 'http1') {
        const request = httpsRequest({ ...server.tls(), path: watchPath, agent: false });
        request.end();
        const [response] = (await once(request, 'response')) as [NodeJS.ReadableStream];
        await new Promise((resolve) => setTimeout(resolve, 50));
        for await (const chunk of response) if ((bytes += (chunk as Buffer).length) > enough) break;
      } else {
        const stream = server.session().request({ ':path': watchPath });
        await once(stream, 'response');
        await new Promise((resolve) => setTimeout(resolve, 50));
        for await (const chunk of stream) if ((bytes += (chunk as Buffer).length) > enough) break;
      }
      expect(bytes).toBeGreaterThan(enough);
    }
  });
});

describe('a stream of HTTP/2', () => {
  it('is told to go on with its body when it asks', async () => {
    await using server = await HttpTestServer.start();
    const headers = { ':path': path, ':method': 'POST', expect: '100-continue', ...json };
    const stream = server.session().request(headers);
    await once(stream, 'continue');
    stream.end(configMap('a'));
    const [received] = (await once(stream, 'response')) as [Record<string, unknown>];
    expect(received[':status']).toBe(201);
  });

  it('cannot be a tunnel', async () => {
    await using server = await HttpTestServer.start();
    const stream = server.session().request({ ':method': 'CONNECT', ':authority': '127.0.0.1:1' });
    const [received] = (await once(stream, 'response')) as [Record<string, unknown>];
    expect(received[':status']).toBe(405);
  });

  it('that is reset before its body is whole, or its answer is read, leaves the others of its connection alone', async () => {
    await using server = await HttpTestServer.start();
    await server.api.ok('POST', path, JSON.parse(configMap('a', { x: 'y'.repeat(100_000) })));
    const session = server.session();
    for (let i = 0; i < 20; i++) {
      const half = session.request({ ':path': path, ':method': 'POST', 'content-length': '1000', ...json });
      half.on('error', () => {});
      half.write('{');
      half.close(8);
      const unread = session.request({ ':path': `${path}/a` });
      unread.on('error', () => {});
      unread.once('response', () => unread.close(8));
    }
    const stream = session.request({ ':path': '/version' });
    const [received] = (await once(stream, 'response')) as [Record<string, unknown>];
    expect(received[':status']).toBe(200);
  });
});

describe('limits', () => {
  it('answers 429 with Retry-After when too much is under way, watches not counted', async () => {
    let release: () => void = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    await using server = await HttpTestServer.start({
      maxInFlight: 2,
      admission: [{ name: 'Gate', mutate: ({ name }) => (name.startsWith('slow') ? gate : undefined) }],
    });
    const watches = Array.from({ length: 5 }, () => server.session().request({ ':path': `${path}?watch=1` }));
    await Promise.all(watches.map((watch) => once(watch, 'response')));
    const slow = ['slow1', 'slow2'].map((name) =>
      server.http1(path, { method: 'POST', headers: json, body: configMap(name) }),
    );
    await expect.poll(async () => (await server.http1('/version')).code).toBe(429);
    for (const probe of ['/healthz', '/livez', '/readyz']) expect((await server.http1(probe)).code).toBe(200);
    const refused = await server.http2('/version');
    expect(refused.headers['retry-after']).toBe('1');
    expect(refused.object as unknown as Status).toMatchObject({
      kind: 'Status',
      code: 429,
      reason: 'TooManyRequests',
      message: 'Too many requests, please try again later.',
    });
    release();
    expect((await Promise.all(slow)).map(({ code }) => code)).toEqual([201, 201]);
    expect((await server.http1('/version')).code).toBe(200);
  });

  it('refuses JSON that is nested too deep, and patches with too many operations', async () => {
    await using server = await HttpTestServer.start();
    const deep = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
    const answer = await server.http1(path, { method: 'POST', headers: json, body: deep });
    expect(answer.code).toBe(400);
    expect(answer.object.message).toContain('exceeded max depth');
    await server.api.ok('POST', path, JSON.parse(configMap('a')));
    const operation = { op: 'test', path: '/kind', value: 'ConfigMap' };
    const patch = (count: number) =>
      server.http1(`${path}/a`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json-patch+json' },
        body: JSON.stringify(Array.from({ length: count }, () => operation)),
      });
    expect((await patch(10_000)).code).toBe(200);
    const refused = await patch(10_001);
    expect(refused.code).toBe(413);
    expect(refused.object.message).toContain('The allowed maximum operations in a JSON patch is 10000, got 10001');
  });

  it('answers huge selectors and long addresses in little time', async () => {
    await using server = await HttpTestServer.start();
    for (let i = 0; i < 20; i++) await server.api.ok('POST', path, JSON.parse(configMap(`c${i}`)));
    const values = Array.from({ length: 5000 }, (_, i) => `v${i}`).join(',');
    const start = process.cpuUsage();
    const answer = await server.api.send('GET', `${path}?labelSelector=${encodeURIComponent(`tier in (${values})`)}`);
    expect(answer.code).toBe(200);
    const many = Array.from({ length: 5000 }, (_, i) => `k${i}=v`).join(',');
    expect((await server.api.send('GET', `${path}?labelSelector=${encodeURIComponent(many)}`)).code).toBe(200);
    expect(process.cpuUsage(start).user / 1000).toBeLessThan(1000);
    for (const url of [`${path}/${'a'.repeat(10_000)}`, `${path}${'/x'.repeat(4000)}`])
      expect((await server.http1(url)).code).toBe(404);
  });
});

describe('closing', () => {
  it('ends every connection, watch and request, and frees the port', async () => {
    const server = await HttpTestServer.start();
    const stream = server.session().request({ ':path': `${path}?watch=1` });
    stream.on('error', () => {});
    await once(stream, 'response');
    const request = httpsRequest({ ...server.tls(), path: `${path}?watch=1`, agent: false });
    request.on('error', () => {});
    request.end();
    const [response] = (await once(request, 'response')) as [NodeJS.ReadableStream & { closed: boolean }];
    response.on('error', () => {});
    response.resume();
    const idle = await server.socket();
    idle.on('error', () => {});
    const silent = connect(server.http.port, '127.0.0.1');
    silent.on('error', () => {});
    await once(silent, 'connect');
    const ended = Promise.all(
      ([stream, response, idle, silent] as NodeJS.EventEmitter[]).map(
        (end) => new Promise((resolve) => end.once('close', resolve)),
      ),
    );
    const start = performance.now();
    await server.http.close();
    await server.api[Symbol.asyncDispose]();
    await ended;
    expect(performance.now() - start).toBeLessThan(1000);
    await expect(server.http1('/version')).rejects.toThrow('ECONNREFUSED');
    // Closing twice is closing once.
    await server.http.close();
  });
});

describe('clients that do not read', () => {
  it('hold little of a long list, and are cut off when all of them together hold too much', async () => {
    await using server = await HttpTestServer.start({ maxInflightBytes: 400_000 });
    for (let i = 0; i < 60; i++)
      await server.api.ok('POST', path, JSON.parse(configMap(`c${i}`, { x: 'y'.repeat(100_000) })));
    const slow = await Promise.all(
      Array.from({ length: 12 }, async () => {
        const socket = await server.socket();
        socket.on('error', () => {});
        socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`);
        return socket.pause();
      }),
    );
    const { object, headers } = await server.http1(path, { as: await server.issue('quick') });
    expect((object.items as unknown[]).length).toBe(60);
    expect(headers['transfer-encoding']).toBe('chunked');
    const whole = await Promise.all(slow.map(endsWhole));
    const cut = whole.filter((each) => !each).length;
    expect(cut).toBeGreaterThanOrEqual(4);
    expect(cut).toBeLessThan(12);
  });

  it('count by user, however many credentials one has', async () => {
    await using server = await HttpTestServer.start({ maxInflightBytes: 400_000 });
    for (let i = 0; i < 60; i++)
      await server.api.ok('POST', path, JSON.parse(configMap(`c${i}`, { x: 'y'.repeat(100_000) })));
    const ask = async (as: KeyPair) => {
      const socket = await server.socket(as);
      socket.on('error', () => {});
      socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`);
      return socket.pause();
    };
    const own = await server.issue('modest');
    const modest = [await ask(own), await ask(own)];
    const greedy: TLSSocket[] = [];
    for (let i = 0; i < 12; i++) greedy.push(await ask(await server.issue('greedy')));
    expect((await server.http1(path)).code).toBe(200);
    expect(await Promise.all(modest.map(endsWhole))).toEqual([true, true]);
    expect((await Promise.all(greedy.map(endsWhole))).filter(Boolean).length).toBeLessThan(8);
  });

  it('hold no events of what a watch starts with, and are cut off before what they keep alive takes much', async () => {
    await using server = await HttpTestServer.start({ maxInflightBytes: 4_000_000 });
    const { storage } = server.api.server;
    const count = 2000;
    const data = { x: 'y'.repeat(5000) };
    for (let i = 0; i < count; i++) await server.api.ok('POST', path, JSON.parse(configMap(`c${i}`, data)));
    const watch = () => {
      const stream = server.session().request({ ':path': `${path}?watch=1` });
      stream.on('error', () => {});
      return stream.pause();
    };
    const slow = Array.from({ length: 20 }, watch);
    for (const stream of slow) await once(stream, 'response');
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(slow.filter(({ closed }) => closed)).toEqual([]);
    // The storage forgets the objects; each of the watches would now keep ten megabytes of them.
    await storage.compact(storage.revision);
    await server.api.ok('DELETE', path);
    await storage.compact(storage.revision);
    await expect.poll(() => slow.filter(({ closed }) => closed).length).toBe(20);
  });
});

describe('bodies', () => {
  it('beyond the memory for requests under way are answered with 429, and accepted when there is room', async () => {
    let release = () => {};
    const gate = new Promise<void>((resolve) => (release = resolve));
    let waits = false;
    const wait = () => {
      waits = true;
      return gate;
    };
    await using server = await HttpTestServer.start({
      maxInflightBytes: 1_000_000,
      admission: [{ name: 'Gate', mutate: ({ name }) => (name === 'slow' ? wait() : undefined) }],
    });
    const post = (name: string) =>
      server.http1(path, { method: 'POST', headers: json, body: configMap(name, { x: 'y'.repeat(600_000) }) });
    const slow = post('slow');
    await expect.poll(() => waits).toBe(true);
    expect((await post('other')).code).toBe(429);
    expect((await server.http1('/readyz')).code).toBe(200);
    release();
    expect((await slow).code).toBe(201);
    expect((await post('another')).code).toBe(201);
  });

  it('of one user leave room for those of others, however many credentials the user has', async () => {
    let release = () => {};
    const gate = new Promise<void>((resolve) => (release = resolve));
    let waits = false;
    const wait = () => {
      waits = true;
      return gate;
    };
    await using server = await HttpTestServer.start({
      maxInflightBytes: 1_000_000,
      admission: [{ name: 'Gate', mutate: ({ name }) => (name === 'slow' ? wait() : undefined) }],
    });
    const post = (name: string, size: number, as: KeyPair) =>
      server.http1(path, { method: 'POST', headers: json, body: configMap(name, { x: 'y'.repeat(size) }), as });
    const slow = post('slow', 600_000, await server.issue('jane'));
    const again = await server.issue('jane');
    await expect.poll(() => waits).toBe(true);
    expect((await post('more', 300_000, again)).code).toBe(429);
    expect((await post('other', 300_000, await server.issue('john'))).code).toBe(201);
    release();
    expect((await slow).code).toBe(201);
    expect((await post('last', 300_000, again)).code).toBe(201);
  });
});

it('answers a URL that is too long with 414, and headers that are too large with 431', async () => {
  await using server = await HttpTestServer.start();
  const long = await server.http1(`${path}?labelSelector=${'x'.repeat(70_000)}`);
  expect([long.code, (long.object as unknown as Status).reason]).toEqual([414, 'RequestURITooLong']);
  const selector = `a in (${Array.from({ length: 3000 }, (_, i) => `v${i}`).join(',')})`;
  expect((await server.http1(`${path}?labelSelector=${encodeURIComponent(selector)}`)).code).toBe(200);
  const socket = await server.socket();
  expect(await exchange(socket, `GET ${path} HTTP/1.1\r\nhost: x\r\nx-y: ${'z'.repeat(300_000)}\r\n\r\n`)).toMatch(
    /^HTTP\/1\.1 431 /,
  );
});

describe('a web page of another site, in a browser that has the certificate of the administrator', () => {
  const body = configMap('planted');
  // A body without a type is taken as JSON, and needs no consent of the server.
  const types = [undefined, 'text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'];

  it.each(types)('cannot change anything with a simple request of type %s', async (type) => {
    await using server = await HttpTestServer.start();
    const headers = {
      origin: 'https://evil.example',
      'sec-fetch-site': 'cross-site',
      ...(type ? { 'content-type': type } : {}),
    };
    for (const version of ['http1', 'http2'] as const) {
      const { code, object } = await server[version](path, { method: 'POST', headers, body });
      expect([code, object.kind]).toEqual([403, 'Status']);
    }
    expect((await server.http1(`${path}/planted`)).code).toBe(404);
  });

  it('may not read, and gets no consent to ask for more', async () => {
    await using server = await HttpTestServer.start();
    const origin = 'https://evil.example';
    for (const method of ['GET', 'OPTIONS', 'DELETE']) {
      const asks = { origin, 'access-control-request-method': 'DELETE' };
      for (const headers of [asks, { ...asks, 'sec-fetch-site': 'cross-site' }]) {
        const answer = await server.http1(`${path}/none`, { method, headers });
        expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
        if ('sec-fetch-site' in headers) expect(answer.code).toBe(403);
      }
    }
    const own = { 'sec-fetch-site': 'same-origin', origin: 'https://127.0.0.1' };
    expect((await server.http1(path, { headers: own })).code).toBe(200);
  });

  it('cannot open a session in a container', async () => {
    await using server = await HttpTestServer.start();
    const upgrade = (headers: string) =>
      server
        .socket()
        .then((socket) =>
          exchange(
            socket,
            `GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\nupgrade: websocket\r\n${headers}\r\n\r\n`,
          ),
        );
    const browser = 'user-agent: Mozilla/5.0 (X11; Linux x86_64)';
    const compresses = 'sec-websocket-extensions: permessage-deflate';
    const evil = 'origin: https://evil.example';
    expect(await upgrade(`${evil}\r\n${browser}`)).toMatch(/^HTTP\/1\.1 403 [^]*web pages of other sites/);
    expect(await upgrade(`${evil}\r\n${compresses}`)).toMatch(/^HTTP\/1\.1 403 /);
    expect(await upgrade(`origin: null\r\n${browser}`)).toMatch(/^HTTP\/1\.1 403 /);
    expect(await upgrade('sec-fetch-site: same-site')).toMatch(/^HTTP\/1\.1 403 /);
    expect(await upgrade(`origin: https://x\r\n${browser}`)).not.toMatch(/^HTTP\/1\.1 403 /);
    // A program that is no browser, and sends an origin nevertheless.
    expect(await upgrade('origin: http://localhost\r\nuser-agent: e2e.test')).not.toMatch(/^HTTP\/1\.1 403 /);
  });
});
