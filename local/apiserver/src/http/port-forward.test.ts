import { once } from 'node:events';
import { request as httpsRequest } from 'node:https';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { Duplex } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { NodeConnector } from '../rest/subresources/pod-node.ts';
import { SpdyTestClient } from '../spdy/test-support.ts';
import { HttpTestServer } from './test-support.ts';

const forwardPath = '/api/v1/namespaces/default/pods/p/portforward';
const soon = <T>(read: () => T) => expect.poll(read, { timeout: 10_000 });

/** Answers each connection with what it received, in capitals. */
let echo: Server;
let port = 0;
let server: HttpTestServer;

const connector: Partial<NodeConnector> = {
  async dial(_pod, wanted) {
    const socket = connect({ port: wanted, host: '127.0.0.1', allowHalfOpen: true });
    await once(socket, 'connect');
    return socket;
  },
  async exec(_pod, _container, { command, stdin, onOutput, sizes, tty }) {
    for await (const { rows, columns } of tty ? sizes : []) {
      await onOutput('stdout', Buffer.from(`${columns}x${rows} `));
      break;
    }
    for await (const chunk of stdin ?? []) await onOutput('stdout', Buffer.from(String(chunk).toUpperCase()));
    if (!tty) await onOutput('stderr', Buffer.from('to stderr'));
    return { exitCode: Number(command[1] ?? 0) };
  },
};

beforeAll(async () => {
  echo = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk) => socket.write(chunk.toString().toUpperCase()));
    socket.on('end', () => socket.end());
  }).listen(0, '127.0.0.1');
  await once(echo, 'listening');
  ({ port } = echo.address() as AddressInfo);
  server = await HttpTestServer.start();
  await server.api.ok('POST', '/api/v1/namespaces/default/serviceaccounts', {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'default' },
  });
  await server.api.ok('POST', '/api/v1/namespaces/default/pods', {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p' },
    spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] },
  });
  server.api.server.nodes.register('n', { log: () => (async function* () {})(), ...connector });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  echo.close();
});

async function overSpdy(path: string, protocol: string): Promise<{ socket: Duplex; protocol: unknown }> {
  const outgoing = httpsRequest({
    ...server.tls(),
    path,
    method: 'POST',
    headers: { connection: 'Upgrade', upgrade: 'SPDY/3.1', 'x-stream-protocol-version': protocol },
  });
  outgoing.end();
  const [response, socket] = (await once(outgoing, 'upgrade')) as [{ headers: Record<string, unknown> }, Duplex];
  return { socket, protocol: response.headers['x-stream-protocol-version'] };
}

async function overWebSocket(path: string, protocol: string): Promise<WebSocket> {
  const { host, port: serverPort, ...tls } = server.tls() as { host: string; port: number };
  const socket = new WebSocket(`wss://${host}:${serverPort}${path}`, protocol, tls);
  await once(socket, 'open');
  return socket;
}

/** A WebSocket made by hand: libraries deny the name of the protocol. */
async function tunnel(): Promise<Duplex> {
  const outgoing = httpsRequest({
    ...server.tls(),
    path: forwardPath,
    headers: {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
      'sec-websocket-protocol': 'SPDY/3.1+portforward.k8s.io',
    },
  });
  outgoing.end();
  const [response, socket] = (await once(outgoing, 'upgrade')) as [{ headers: Record<string, unknown> }, Duplex];
  expect(response.headers['sec-websocket-protocol']).toBe('SPDY/3.1+portforward.k8s.io');
  let received = Buffer.alloc(0);
  const frames = new Duplex({
    read: () => undefined,
    write(chunk: Buffer, _encoding, done) {
      const head = Buffer.alloc(14);
      head.set([0x82, 0xff]);
      head.writeBigUInt64BE(BigInt(chunk.length), 2);
      socket.write(Buffer.concat([head, chunk]), done);
    },
    destroy(error, done) {
      socket.destroy();
      done(error);
    },
  });
  socket.on('close', () => frames.destroy());
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    for (;;) {
      const short = received[1] ?? 0;
      const headLength = short === 127 ? 10 : short === 126 ? 4 : 2;
      if (received.length < headLength) return;
      const length =
        short === 127 ? Number(received.readBigUInt64BE(2)) : short === 126 ? received.readUInt16BE(2) : short;
      if (received.length < headLength + length) return;
      frames.push(received.subarray(headLength, headLength + length));
      received = received.subarray(headLength + length);
    }
  });
  return frames;
}

const ways: [string, () => Promise<Duplex>][] = [
  ['SPDY', async () => (await overSpdy(forwardPath, 'portforward.k8s.io')).socket],
  ['SPDY in a WebSocket', tunnel],
];

describe.each(ways)('a port that is forwarded over %s', (_, open) => {
  const pairOf = async (client: SpdyTestClient, id: string, to = port) => ({
    error: await client.open({ streamType: 'error', port: String(to), requestID: id }),
    data: await client.open({ streamType: 'data', port: String(to), requestID: id }),
  });

  it('carries connections side by side, each to its end', async () => {
    const client = new SpdyTestClient(await open());
    const [first, second] = [await pairOf(client, '0'), await pairOf(client, '1')];
    client.send(first.data, 'one ');
    client.send(second.data, 'two', true);
    await soon(() => client.ended.has(second.error)).toBe(true);
    expect(client.data.get(second.data)).toBe('TWO');
    client.send(first.data, 'more', true);
    await soon(() => client.ended.has(first.error)).toBe(true);
    expect(client.data.get(first.data)).toBe('ONE MORE');
    expect(client.data.get(first.error) ?? '').toBe('');
    await client.close();
  });

  it('reports a port on which no program listens, and forwards others', async () => {
    const client = new SpdyTestClient(await open());
    const refused = await pairOf(client, '0', 1);
    client.send(refused.data, 'lost');
    await soon(() => client.ended.has(refused.error)).toBe(true);
    expect(client.data.get(refused.error)).toMatch(/^error forwarding port 1 to pod p_default, uid .*ECONNREFUSED/);
    const good = await pairOf(client, '1');
    client.send(good.data, 'still here', true);
    await soon(() => client.data.get(good.data)).toBe('STILL HERE');
    await client.close();
  });

  it('resets streams that name no port', async () => {
    const client = new SpdyTestClient(await open());
    const odd = [
      await client.open({ streamType: 'data', port: '0' }),
      await client.open({ streamType: 'data', port: 'x' }),
      await client.open({ streamType: 'other', port: '80' }),
    ];
    await soon(() => client.reset).toEqual(new Set(odd));
    await client.close();
  });

  it('closes its connections when the client disconnects', async () => {
    const client = new SpdyTestClient(await open());
    const { data } = await pairOf(client, '0');
    client.send(data, 'x');
    await soon(() => client.data.get(data)).toBe('X');
    const count = async () => new Promise<number>((resolve) => echo.getConnections((_error, n) => resolve(n)));
    expect(await count()).toBeGreaterThan(0);
    await client.close();
    await soon(count).toBe(0);
  });
});

describe('ports that are forwarded over channels', () => {
  it.each([['v4.channel.k8s.io'], ['v4.base64.channel.k8s.io']])('start with their numbers (%s)', async (protocol) => {
    const socket = await overWebSocket(`${forwardPath}?ports=${port}&ports=1`, protocol);
    const isText = protocol.includes('base64');
    const received = new Map<number, Buffer>();
    socket.on('message', (message: Buffer) => {
      const from = isText ? Number(message.toString()[0]) : (message[0] ?? 0);
      const body = isText ? Buffer.from(message.toString().slice(1), 'base64') : message.subarray(1);
      received.set(from, Buffer.concat([received.get(from) ?? Buffer.alloc(0), body]));
    });
    socket.send(isText ? `0${Buffer.from('hello').toString('base64')}` : Buffer.from('\x00hello'));
    await soon(() => received.get(0)?.subarray(2).toString()).toBe('HELLO');
    await soon(() => received.get(3)?.subarray(2).toString()).toContain('error forwarding port 1 to pod p_default');
    expect(received.get(0)?.readUInt16LE(0)).toBe(port);
    expect(received.get(1)?.readUInt16LE(0)).toBe(port);
    expect(received.get(2)?.readUInt16LE(0)).toBe(1);
    socket.close();
    await once(socket, 'close');
  });

  it('need ports that are numbers', async () => {
    const { host, port: serverPort, ...tls } = server.tls() as { host: string; port: number };
    const socket = new WebSocket(`wss://${host}:${serverPort}${forwardPath}?ports=70000`, 'v4.channel.k8s.io', tls);
    const [error] = (await once(socket, 'error')) as [Error];
    expect(error.message).toContain('400');
  });
});

describe('a session over SPDY', () => {
  const execPath = (query: string) =>
    `/api/v1/namespaces/default/pods/p/exec?container=c&command=cat&command=3&${query}`;

  it.each([
    ['v4.channel.k8s.io', 'v4.channel.k8s.io'],
    ['v5.channel.k8s.io, v4.channel.k8s.io, v3.channel.k8s.io', 'v4.channel.k8s.io'],
    ['channel.k8s.io', 'channel.k8s.io'],
    ['', undefined],
  ])('carries input, both outputs and the exit code (%j)', async (offered, agreed) => {
    const { socket, protocol } = await overSpdy(execPath('stdin=true&stdout=true&stderr=true'), offered);
    expect(protocol).toBe(agreed);
    const client = new SpdyTestClient(socket);
    const error = await client.open({ streamType: 'error' });
    const stdin = await client.open({ streamType: 'stdin' });
    const stdout = await client.open({ streamType: 'stdout' });
    const stderr = await client.open({ streamType: 'stderr' });
    client.send(stdin, 'hello', true);
    await soon(() => client.closed).toBe(true);
    expect(client.data.get(stdout)).toBe('HELLO');
    expect(client.data.get(stderr)).toBe('to stderr');
    const status = client.data.get(error) ?? '';
    if (agreed?.startsWith('v4')) expect(JSON.parse(status)).toMatchObject({ reason: 'NonZeroExitCode' });
    else expect(status).toContain('exit code 3');
  });

  it('sets the sizes of a terminal, which has one output', async () => {
    const { socket } = await overSpdy(execPath('stdin=true&stdout=true&tty=true'), 'v4.channel.k8s.io');
    const client = new SpdyTestClient(socket);
    const [, stdin, stdout] = [
      await client.open({ streamType: 'error' }),
      await client.open({ streamType: 'stdin' }),
      await client.open({ streamType: 'stdout' }),
    ];
    const resize = await client.open({ streamType: 'resize' });
    client.send(resize, '{"Width":80,"Heig');
    client.send(resize, 'ht":24}\n');
    client.send(stdin, 'x', true);
    await soon(() => client.closed).toBe(true);
    expect(client.data.get(stdout)).toBe('80x24 X');
  });

  it('is refused for a protocol that does not exist', async () => {
    const outgoing = httpsRequest({
      ...server.tls(),
      path: execPath('stdout=true'),
      method: 'POST',
      headers: { connection: 'Upgrade', upgrade: 'SPDY/3.1', 'x-stream-protocol-version': 'v9.channel.k8s.io' },
    });
    outgoing.end();
    const [response] = (await once(outgoing, 'response')) as [{ statusCode: number }];
    expect(response.statusCode).toBe(403);
    outgoing.destroy();
  });
});
