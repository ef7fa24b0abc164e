import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { canHaveNetwork } from '../network/test-support.ts';
import { PodNetwork } from '../network/pod-network.ts';
import { encodeAnswer, parseQuery } from './dns-message.ts';
import { DnsServer } from './dns-server.ts';
import { forwardQuery } from './forward-query.ts';
import { readFrames, writeFrame } from './tcp-frames.ts';

/** A question about a name, for its address if not for a record of another type. */
function question(name: string, { id = 7, type = 1 } = {}): Buffer {
  const labels = name.split('.').flatMap((label) => [Buffer.from([label.length]), Buffer.from(label)]);
  return Buffer.concat([
    Buffer.from([0, id, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0]),
    ...labels,
    Buffer.from([0, 0, type, 0, 1]),
  ]);
}

/** A name server of another network, that knows one address, for all names, and more of them over TCP. */
async function outerServer(): Promise<AsyncDisposable & { address: string; port: number; asked: string[] }> {
  const udp = createSocket('udp4');
  udp.bind(0, '127.0.0.1');
  await once(udp, 'listening');
  const { port } = udp.address();
  const asked: string[] = [];
  const answer = (bytes: Buffer, transport: 'udp' | 'tcp') => {
    const query = parseQuery(bytes);
    if (!query) return Buffer.alloc(0);
    asked.push(`${transport} ${query.name}`);
    const count = query.name.startsWith('many') ? 60 : 1;
    const answers = Array.from(
      { length: count },
      (_, i) => ({ type: 'A', name: query.name, ttl: 5, address: `192.0.2.${i}` }) as const,
    );
    return encodeAnswer(query, { code: 0, answers }, transport);
  };
  udp.on('message', (bytes, from) => udp.send(answer(bytes, 'udp'), from.port, from.address));
  const serve = async (socket: Socket) => {
    for await (const bytes of readFrames(socket)) writeFrame(socket, answer(bytes, 'tcp'));
  };
  const tcp = createServer((socket) => void serve(socket));
  tcp.listen(port, '127.0.0.1');
  await once(tcp, 'listening');
  return {
    address: '127.0.0.1',
    port,
    asked,
    [Symbol.asyncDispose]: async () => {
      udp.close();
      tcp.close();
      await once(tcp, 'close');
    },
  };
}

it('asks the next name server when one is silent', async () => {
  await using outer = await outerServer();
  const silent = createSocket('udp4');
  silent.bind(0, '127.0.0.1');
  await once(silent, 'listening');
  const servers = [{ address: '127.0.0.1', port: silent.address().port }, outer];
  const answer = await forwardQuery(question('example.com'), 'udp', servers);
  expect(answer?.subarray(-4)).toEqual(Buffer.from([192, 0, 2, 0]));
  expect(await forwardQuery(question('example.com'), 'tcp', [outer])).toEqual(answer);
  expect(await forwardQuery(question('example.com'), 'udp', [])).toBeUndefined();
  silent.close();
});

it.runIf(await canHaveNetwork())('answers for the cluster, and passes everything else on, by UDP and TCP', async () => {
  await using outer = await outerServer();
  await using network = await PodNetwork.open({ directory: '/nowhere/dns-test' });
  const metadata = { namespace: 'default', name: 'web' };
  const elsewhere = { type: 'ExternalName', externalName: 'localhost' } as const;
  const services = [
    { apiVersion: 'v1', kind: 'Service', metadata, spec: { clusterIP: '10.96.0.9' } },
    { apiVersion: 'v1', kind: 'Service', metadata: { ...metadata, name: 'away' }, spec: elsewhere },
  ] as const;
  const source = {
    service: (_: string, name: string) => services.find((each) => each.metadata.name === name),
    slices: () => [],
    services: () => services,
  };
  await using _server = await new DnsServer({
    network,
    address: '10.96.0.10',
    domain: 'cluster.local',
    source,
    upstream: [outer],
  }).start();
  const udp = await network.udpSocket();
  const ask = async (name: string, type = 1) => {
    udp.send(question(name, { type }), 53, '10.96.0.10');
    const [answer] = (await once(udp, 'message')) as [Buffer];
    return answer;
  };
  expect([...(await ask('web.default.svc.cluster.local')).subarray(-4)]).toEqual([10, 96, 0, 9]);
  expect((await ask('none.default.svc.cluster.local')).readUInt16BE(2) & 0xf).toBe(3);
  // An alias, and only where its address is asked for, that too.
  const away = 'away.default.svc.cluster.local';
  const counts = await Promise.all([(await ask(away, 5)).readUInt16BE(6), (await ask(away)).readUInt16BE(6)]);
  expect(counts).toEqual([1, 2]);
  expect([...(await ask('example.com')).subarray(-4)]).toEqual([192, 0, 2, 0]);
  // Cut: the client asks again over TCP.
  expect((await ask('many.example.com')).readUInt16BE(2) & 0x0200).toBe(0x0200);
  const socket = await network.connect('10.96.0.10', 53);
  writeFrame(socket, question('many.example.com'));
  for await (const answer of readFrames(socket)) {
    expect(answer.readUInt16BE(6)).toBe(60);
    break;
  }
  socket.destroy();
  expect(outer.asked).toEqual(['udp example.com', 'udp many.example.com', 'tcp many.example.com']);
  udp.close();
});
