import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { PodNetwork } from './pod-network.ts';
import { canHaveNetwork } from './test-support.ts';

/** Runs a script in the network of a Pod. */
function inPod(network: PodNetwork, descriptor: number, script: string) {
  const user = isRoot ? [] : [`--user=/proc/${network.pid}/ns/user`, '--preserve-credentials'];
  const words = [...user, '--net=/proc/self/fd/3', process.execPath, '-e', script];
  const child = spawn('nsenter', words, { stdio: ['ignore', 'pipe', 'inherit', descriptor] });
  return { stdout: child.stdout as NodeJS.ReadableStream, kill: () => child.kill('SIGKILL') };
}

const own = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ internal, family }) => !internal && family === 'IPv4')?.address;

const isRoot = process.getuid?.() === 0;
/** Made ahead. */
const spares = 2;
const can = await canHaveNetwork();

it.runIf(can)('lets two Pods listen on the same port, and be reached at their addresses', async () => {
  await using network = await PodNetwork.open({ directory: '/nowhere/network-test' });
  const pods = await Promise.all([network.add('a'), network.add('b')]);
  expect(pods.map(({ address }) => address)).toEqual(['10.244.0.2', '10.244.0.3']);
  const serve = (word: string) =>
    `require('net').createServer({ allowHalfOpen: true }, (s) => s.end('${word} ' + s.remoteAddress)).listen(80, () => console.log('on'))`;
  const children = pods.map(({ descriptor }, index) => inPod(network, descriptor, serve(`pod ${index}`)));
  await Promise.all(children.map(({ stdout }) => once(stdout, 'data')));
  const ask = async (host: string) => text((await network.connect(host, 80)).end());
  expect(await ask('10.244.0.2')).toBe('pod 0 ::ffff:10.244.0.1');
  expect(await ask('10.244.0.3')).toBe('pod 1 ::ffff:10.244.0.1');
  expect(await text((await network.connectInside('b', 80)).end())).toBe('pod 1 ::ffff:127.0.0.1');
  const between = inPod(
    network,
    pods[1]?.descriptor ?? -1,
    `require('net').connect(80, '10.244.0.2').pipe(process.stdout)`,
  );
  expect(await text(between.stdout)).toBe('pod 0 ::ffff:10.244.0.3');
  await expect(network.connect('10.244.0.3', 81)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  for (const child of children) child.kill();
});

it.runIf(can)('listens on addresses of Services, with TCP and UDP', async () => {
  await using network = await PodNetwork.open({ directory: '/nowhere/network-test' });
  const { descriptor } = await network.add('a');
  const server = await network.listen('10.96.0.7', 443);
  server.on('connection', (socket) => socket.end(`${socket.remoteAddress} to ${socket.localAddress}`));
  const client = inPod(network, descriptor, `require('net').connect(443, '10.96.0.7').pipe(process.stdout)`);
  expect(await text(client.stdout)).toBe('10.244.0.2 to 10.96.0.7');
  const udp = await network.listenUdp('10.96.0.10', 53);
  udp.on('message', (message, { port, address }) => udp.send(`got ${message.toString()}`, port, address));
  const script = `const s = require('dgram').createSocket('udp4'); s.send('ping', 53, '10.96.0.10'); s.on('message', (m) => { console.log(String(m)); s.close(); })`;
  expect(await text(inPod(network, descriptor, script).stdout)).toBe('got ping\n');
  await expect(network.listen('10.96.0.7', 443)).rejects.toThrow('cannot listen: Address already in use');
  server.close();
  udp.close();
});

it.runIf(can && own !== undefined)('connects Pods to other networks', async () => {
  await using network = await PodNetwork.open({ directory: '/nowhere/network-test' });
  const { descriptor } = await network.add('a');
  await network.openWayOut();
  const server = createServer({ allowHalfOpen: true }, (socket) => socket.pipe(socket)).listen(0, own);
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const script = `const s = require('net').connect(${port}, '${own}'); s.end('x'.repeat(1e6)); s.on('data', (d) => process.stdout.write(d))`;
  expect((await text(inPod(network, descriptor, script).stdout)).length).toBe(1e6);
  // The socket of the way out itself, and what the machine keeps to itself, are no other networks.
  for (const host of ['10.244.0.1', '10.96.0.9', '127.0.0.1']) {
    const refused = `require('net').connect(${port}, '${host}').on('error', (e) => console.log(e.code)).on('connect', () => console.log('open'))`;
    expect(await text(inPod(network, descriptor, refused).stdout)).toBe('ECONNREFUSED\n');
  }
  server.close();
});

it.runIf(can)('leaves no device and no process', async () => {
  const devices = readFileSync('/proc/net/dev', 'utf8').match(/^ *\S+:/gm);
  const network = await PodNetwork.open({ directory: '/nowhere/network-leak' });
  const { pid } = network;
  for (let i = 0; i < 50; i++) {
    await network.add(`pod ${i}`);
    if (i % 2) await network.remove(`pod ${i}`);
  }
  expect(readFileSync('/proc/net/dev', 'utf8').match(/^ *\S+:/gm)).toEqual(devices);
  await expect
    .poll(() => readFileSync(`/proc/${pid}/net/dev`, 'utf8').match(/^ *pod\d+:/gm)?.length, { timeout: 10_000 })
    .toBe(25 + spares);
  const open = () => readdirSync('/proc/self/fd').filter((fd) => linkOf(fd).startsWith('net:'));
  await expect.poll(() => open().length).toBe(25 + spares);
  await network[Symbol.asyncDispose]();
  expect(open()).toEqual([]);
  expect(readdirSync('/proc')).not.toContain(String(pid));
});

function linkOf(fd: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return '';
  }
}
