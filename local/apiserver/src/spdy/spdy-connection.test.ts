import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { seededRandom } from '@tektite/meta';
import { describe, expect, it } from 'vitest';
import { SpdyConnection } from './spdy-connection.ts';
import type { SpdyStream } from './spdy-stream.ts';
import { SpdyTestClient } from './test-support.ts';

interface Pair extends AsyncDisposable {
  readonly client: SpdyTestClient;
  readonly connection: SpdyConnection;
  readonly streams: SpdyStream[];
}

async function connected(onStream: (stream: SpdyStream) => void = () => undefined): Promise<Pair> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [accepted] = (await once(server, 'connection')) as [Socket];
  const streams: SpdyStream[] = [];
  const connection = new SpdyConnection(accepted, (stream) => {
    streams.push(stream);
    onStream(stream);
  });
  const client = new SpdyTestClient(socket);
  return {
    client,
    connection,
    streams,
    async [Symbol.asyncDispose]() {
      await client.close();
      await connection.closed;
      server.close();
    },
  };
}

const soon = <T>(read: () => T) => expect.poll(read, { timeout: 10_000 });

describe('a connection', () => {
  it('accepts streams with their headers, and carries bytes both ways', async () => {
    await using pair = await connected((stream) => stream.pipe(stream));
    const first = await pair.client.open({ streamType: 'data', port: '80' });
    const second = await pair.client.open({ streamType: 'error' });
    pair.client.send(first, 'hello ');
    pair.client.send(second, 'other', true);
    pair.client.send(first, 'again', true);
    await soon(() => pair.client.ended.size).toBe(2);
    expect(pair.client.data.get(first)).toBe('hello again');
    expect(pair.client.data.get(second)).toBe('other');
    expect(pair.client.replied).toEqual(new Set([first, second]));
    expect(pair.streams[0]?.headers).toEqual(
      new Map([
        ['streamtype', 'data'],
        ['port', '80'],
      ]),
    );
  });

  it('answers pings', async () => {
    await using pair = await connected();
    pair.client.ping(1);
    pair.client.ping(2);
    pair.client.ping(3);
    await soon(() => pair.client.pings).toEqual([1, 3]);
  });

  it('stops reading while a stream is not read, and goes on when it is', async () => {
    await using pair = await connected();
    const id = await pair.client.open({ streamType: 'data' });
    const text = 'x'.repeat(100_000);
    for (let i = 0; i < 100; i++) pair.client.send(id, text, i === 99);
    await soon(() => pair.streams.length).toBe(1);
    const [stream] = pair.streams;
    await soon(() => stream?.readableLength).toBeGreaterThan(0);
    expect(stream?.readableLength).toBeLessThan(1024 * 1024);
    let size = 0;
    for await (const chunk of stream ?? []) size += (chunk as Buffer).length;
    expect(size).toBe(10_000_000);
  });

  it('resets a stream whose reader leaves, and the others go on', async () => {
    await using pair = await connected((stream) =>
      stream.headers.get('streamtype') === 'bad' ? stream.destroy() : stream.pipe(stream),
    );
    const bad = await pair.client.open({ streamType: 'bad' });
    const good = await pair.client.open({ streamType: 'good' });
    pair.client.send(bad, 'ignored');
    pair.client.send(good, 'fine', true);
    await soon(() => pair.client.ended.has(good)).toBe(true);
    expect(pair.client.reset).toEqual(new Set([bad]));
  });

  it('refuses streams beyond its limit', async () => {
    await using pair = await connected();
    for (let i = 0; i < 2060; i++) await pair.client.open({ streamType: 'data' });
    await soon(() => pair.client.reset.size).toBe(12);
    expect(pair.streams).toHaveLength(2048);
  });

  it.each([
    [
      'headers that are not compressed',
      Buffer.concat([Buffer.from([0, 0, 0, 1]), Buffer.alloc(6), Buffer.from('abc')]),
    ],
    ['a stream with an even number', Buffer.concat([Buffer.from([0, 0, 0, 2]), Buffer.alloc(6)])],
  ])('is closed for %s', async (_, body) => {
    await using pair = await connected();
    pair.client.control(1, body);
    await soon(() => pair.client.closed).toBe(true);
  });

  it('is closed for headers that decompress to too much', async () => {
    await using pair = await connected();
    await pair.client.open({ streamType: 'x'.repeat(2_000_000) });
    await soon(() => pair.client.closed).toBe(true);
    expect(pair.streams).toEqual([]);
  });

  it('survives any bytes', async () => {
    const random = seededRandom(5);
    for (let round = 0; round < 100; round++) {
      await using pair = await connected((stream) => stream.resume());
      const id = await pair.client.open({ streamType: 'data' });
      pair.client.send(id, 'some');
      const bytes = Buffer.from(Array.from({ length: 60 }, () => Math.floor(random.next() * 256)));
      if (random.next() < 0.5) bytes.set([0x80, 3, 0, Math.floor(random.next() * 12)]);
      pair.client.raw(bytes);
    }
  });
});
