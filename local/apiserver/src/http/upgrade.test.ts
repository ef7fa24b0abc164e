import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { badRequestError, seededRandom } from '@tektite/meta';
import { expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { NodeConnector } from '../rest/subresources/pod-node.ts';
import { HttpTestServer } from './test-support.ts';

const path = '/api/v1/namespaces/default/pods/p/exec?container=c&command=cat&stdin=true&stdout=true&stderr=true';

async function serverWith(connector: Partial<NodeConnector>): Promise<HttpTestServer> {
  const server = await HttpTestServer.start();
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } };
  await server.api.ok('POST', '/api/v1/namespaces/default/serviceaccounts', account);
  await server.api.ok('POST', '/api/v1/namespaces/default/pods', {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p' },
    spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] },
  });
  server.api.server.nodes.register('n', { log: () => (async function* () {})(), ...connector });
  return server;
}

function open(server: HttpTestServer, url: string, protocol = 'v5.channel.k8s.io') {
  const { host, port, ...tls } = server.tls() as { host: string; port: number };
  const socket = new WebSocket(`wss://${host}:${port}${url}`, protocol, tls);
  socket.on('error', () => undefined);
  const received = { out: '', err: '', status: undefined as unknown };
  socket.on('message', (data: Buffer) => {
    const body = data.subarray(1).toString();
    if (data[0] === 1) received.out += body;
    if (data[0] === 2) received.err += body;
    if (data[0] === 3) received.status = JSON.parse(body);
  });
  return { socket, received };
}

it('carries input, output and the exit code of a program', async () => {
  await using server = await serverWith({
    async exec(_pod, container, { command, stdin, onOutput, sizes }) {
      for await (const { rows, columns } of sizes) {
        await onOutput('stderr', Buffer.from(`${columns}x${rows}`));
        break;
      }
      await onOutput(
        'stdout',
        Buffer.from(`${container} runs ${command.join(' ')}: ${stdin ? await text(stdin) : ''}`),
      );
      return { exitCode: 3 };
    },
  });
  const { socket, received } = open(server, path);
  await once(socket, 'open');
  expect(socket.protocol).toBe('v5.channel.k8s.io');
  socket.send(Buffer.from('\x04{"Width":80,"Height":24}'));
  socket.send(Buffer.from('\x00hello'));
  socket.send(Buffer.of(255, 0));
  const [code] = await once(socket, 'close');
  expect(received).toEqual({
    out: 'c runs cat: hello',
    err: '80x24',
    status: expect.objectContaining({
      status: 'Failure',
      reason: 'NonZeroExitCode',
      details: { causes: [{ reason: 'ExitCode', message: '3' }] },
    }),
  });
  expect(code).toBe(1000);
});

it.each([
  ['channel.k8s.io', false, false],
  ['base64.channel.k8s.io', true, false],
  ['v4.channel.k8s.io', false, true],
  ['v4.base64.channel.k8s.io', true, true],
  ['', false, false],
])('speaks the protocol %j', async (protocol, isText, hasStatus) => {
  await using server = await serverWith({
    async exec(_pod, _container, { stdin, onOutput }) {
      const [first] = stdin ? await once(stdin, 'data') : [];
      await onOutput('stdout', Buffer.from(`read ${String(first)}`));
      return { exitCode: 3 };
    },
  });
  const { host, port, ...tls } = server.tls() as { host: string; port: number };
  const socket = new WebSocket(`wss://${host}:${port}${path}`, protocol === '' ? [] : [protocol], tls);
  const messages: string[] = [];
  socket.on('message', (data: Buffer, isBinary: boolean) => {
    expect(isBinary).toBe(!isText);
    const body = isText ? Buffer.from(data.toString().slice(1), 'base64') : data.subarray(1);
    messages.push(`${isText ? data.toString()[0] : data[0]} ${body.toString()}`);
  });
  await once(socket, 'open');
  socket.send(isText ? `0${Buffer.from('hello').toString('base64')}` : Buffer.from('\x00hello'));
  await once(socket, 'close');
  expect(messages[0]).toBe('1 read hello');
  const status = 'command terminated with non-zero exit code';
  if (hasStatus) expect(JSON.parse(messages[1]?.slice(2) ?? '')).toMatchObject({ reason: 'NonZeroExitCode' });
  else expect(messages[1]).toContain(`3 ${status}`);
});

it.each([
  ['binary.k8s.io', false],
  ['base64.binary.k8s.io', true],
  ['', false],
])('sends a log over the protocol %j', async (protocol, isText) => {
  await using server = await serverWith({
    log: async function* () {
      yield Buffer.from('first ');
      yield Buffer.from('second');
    },
  });
  const { host, port, ...tls } = server.tls() as { host: string; port: number };
  const url = `wss://${host}:${port}/api/v1/namespaces/default/pods/p/log?container=c`;
  const socket = new WebSocket(url, protocol === '' ? [] : [protocol], tls);
  let log = '';
  socket.on('message', (data: Buffer) => {
    log += isText ? Buffer.from(data.toString(), 'base64').toString() : data.toString();
  });
  await once(socket, 'close');
  expect(log).toBe('first second');
});

it('notifies the program when the client disconnects', async () => {
  let gone: Promise<unknown> | undefined;
  await using server = await serverWith({
    async exec(_pod, _container, _request, signal) {
      gone = once(signal, 'abort');
      await gone;
      return { exitCode: 0 };
    },
  });
  const { socket } = open(server, path);
  await once(socket, 'open');
  await expect.poll(() => gone !== undefined).toBe(true);
  socket.terminate();
  await gone;
});

it('reports why a program could not be run', async () => {
  await using server = await serverWith({ exec: () => Promise.reject(badRequestError('container not found ("c")')) });
  const { socket, received } = open(server, path);
  await once(socket, 'close');
  expect(received.status).toMatchObject({ status: 'Failure', message: 'container not found ("c")' });
});

it.each([
  ['a Pod that is not there', '/api/v1/namespaces/default/pods/none/exec?command=a', 'v5.channel.k8s.io', 404],
  ['no command', '/api/v1/namespaces/default/pods/p/exec', 'v5.channel.k8s.io', 400],
  ['a protocol of others', path, 'soap', 403],
  [
    'port-forward to a node that does not support it',
    '/api/v1/namespaces/default/pods/p/portforward',
    'v5.channel.k8s.io',
    501,
  ],
])('refuses %s as any other request', async (_title, url, protocol, code) => {
  await using server = await serverWith({ exec: async () => ({ exitCode: 0 }) });
  const { socket } = open(server, url, protocol);
  const [, response] = await once(socket, 'unexpected-response');
  expect((response as { statusCode: number }).statusCode).toBe(code);
  socket.terminate();
});

it('wants an upgrade', async () => {
  await using server = await serverWith({ exec: async () => ({ exitCode: 0 }) });
  const { code, object } = await server.http1(path);
  expect({ code, message: object.message }).toEqual({ code: 400, message: 'Upgrade request required' });
});

const turn = () => new Promise((resolve) => setImmediate(resolve));
const chunk = Buffer.alloc(64 * 1024);

it('lets a program wait for a client that does not read', async () => {
  let sent = 0;
  await using server = await serverWith({
    async exec(_pod, _container, { onOutput }, signal) {
      for (; !signal.aborted; sent += chunk.length) {
        await onOutput('stdout', chunk);
        await turn();
      }
      return { exitCode: 0 };
    },
  });
  const { socket } = open(server, path);
  socket.once('open', () => socket.pause());
  await expect.poll(() => sent).toBeGreaterThan(0);
  let before = -1;
  await expect.poll(() => before === (before = sent), { interval: 100 }).toBe(true);
  expect(sent).toBeLessThan(16 * 1024 * 1024);
  socket.terminate();
});

it('ends the session of a client that does not read what cannot wait', async () => {
  let sent: number | undefined;
  await using server = await serverWith({
    async attach(_pod, _container, { onOutput }, signal) {
      let bytes = 0;
      for (; bytes < 256 * 1024 * 1024 && !signal.aborted; bytes += chunk.length) {
        void onOutput('stdout', chunk);
        await turn();
      }
      sent = bytes;
    },
  });
  const { socket } = open(server, path.replace('/exec', '/attach'));
  socket.once('open', () => socket.pause());
  await expect.poll(() => sent).toBeDefined();
  expect(sent).toBeLessThan(64 * 1024 * 1024);
  socket.terminate();
});

const frames = Number(process.env['TEKTITE_FUZZ_INPUTS'] ?? 600);

it(`survives frames that no client sends (${frames} inputs)`, { timeout: 60_000 + frames * 100 }, async () => {
  await using server = await serverWith({
    async exec(_pod, _container, { stdin, onOutput, sizes }, signal) {
      for await (const _ of sizes) break;
      if (stdin) await onOutput('stdout', Buffer.from(await text(stdin).catch(() => '')));
      return { exitCode: signal.aborted ? 1 : 0 };
    },
  });
  const random = seededRandom(Number(process.env['TEKTITE_FUZZ_SEED'] ?? 20261116));
  const upTo = (count: number) => Math.floor(random.next() * count);
  /** By the grammar of the protocol, with any choice at each place. */
  const frame = (): Buffer => {
    const payloads = ['{"Width":80,"Height":24}', '{"Width":-1}', '[', '{"Width":1e99,"Height":null}', ''];
    const content = Buffer.concat([
      Buffer.of([0, 0, 4, 4, 255, 3, 7][upTo(7)] as number),
      upTo(2) === 0 ? Buffer.from(payloads[upTo(payloads.length)] as string) : Buffer.from(random.bytes(upTo(200))),
    ]);
    const length = upTo(20) === 0 ? upTo(2 ** 31) : content.length;
    const masked = upTo(20) > 0 ? 0x80 : 0;
    const size = length < 126 ? Buffer.of(masked | length) : Buffer.of(masked | 127, 0, 0, 0, 0, ...uint32(length));
    const opcode = upTo(4) === 0 ? upTo(256) : 0x82;
    return Buffer.concat([Buffer.of(opcode), size, ...(masked ? [Buffer.alloc(4)] : []), content]);
  };
  for (let round = 0; round < frames / 5; round++) {
    const socket = await server.socket();
    socket.on('error', () => {});
    const head = [
      `GET ${path} HTTP/1.1`,
      'host: x',
      'connection: Upgrade',
      'upgrade: websocket',
      'sec-websocket-version: 13',
      'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
      'sec-websocket-protocol: v5.channel.k8s.io',
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString('latin1')).toMatch(/^HTTP\/1\.1 101 /);
    for (let count = 0; count < 5; count++) socket.write(frame());
    const start = performance.now();
    expect((await server.http1('/readyz')).code).toBe(200);
    expect(performance.now() - start).toBeLessThan(5000);
    socket.destroy();
  }
});

function uint32(value: number): number[] {
  return [...Buffer.from([value >>> 24, value >>> 16, value >>> 8, value])];
}
