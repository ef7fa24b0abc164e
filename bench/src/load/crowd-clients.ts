import { setPriority } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { connect, type TLSSocket } from 'node:tls';
import { Pool } from 'undici';
import { crowdToken } from '../server-process.ts';

/**
 * A crowd of clients in a separate process: `node crowd-clients.js ADDRESS IDLE WATCHES SLOW WRITERS`. Prints `ready`
 * when all are connected, and a {@link CrowdResult} when its input ends.
 */
export interface CrowdResult {
  /** Connections without a request, and watches, that were open at the end. */
  readonly idle: number;
  readonly watches: number;
  readonly events: number;
  /** How often a slow reader was cut off. Each connects again. */
  readonly cuts: number;
  readonly largeWrites: number;
  readonly tooManyRequests: number;
  readonly failures: number;
}

const list = '/api/v1/namespaces/bench/configmaps';
const large = '/api/v1/namespaces/default/configmaps';
const headers = { authorization: `Bearer ${crowdToken}`, 'content-type': 'application/json' };
const megabyte = 'x'.repeat(1_000_000);

const [address = '', ...counts] = process.argv.slice(2);
const [idle = 0, watches = 0, slow = 0, writers = 0] = counts.map(Number);
const { hostname: host, port } = new URL(address);
// The server is under test, not the scheduler.
setPriority(10);
let stopping = false;
const result = { events: 0, cuts: 0, largeWrites: 0, tooManyRequests: 0, failures: 0 };

function open(path: string): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port: Number(port), rejectUnauthorized: false }, () => {
      socket.write(`GET ${path} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${crowdToken}\r\n\r\n`);
      resolve(socket);
    });
    socket.once('error', reject);
  });
}

/** Opens connections, some at a time. */
async function openAll(count: number, make: () => Promise<TLSSocket>): Promise<TLSSocket[]> {
  const sockets: TLSSocket[] = [];
  const worker = async () => {
    while (sockets.length < count) {
      const socket = await make().catch(() => undefined);
      if (!socket) result.failures++;
      else if (sockets.push(socket) > count) socket.destroy();
    }
  };
  await Promise.all(Array.from({ length: 16 }, worker));
  return sockets;
}

async function openWatch(): Promise<TLSSocket> {
  const socket = await open(
    `${list}?watch=1&resourceVersion=0&sendInitialEvents=false&resourceVersionMatch=NotOlderThan`,
  );
  socket.on('data', (chunk: Buffer) => {
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1))
      if (chunk[at - 1] === 125) result.events++;
  });
  return socket.on('error', () => {});
}

async function openIdle(): Promise<TLSSocket> {
  const socket = await open('/version');
  return socket.on('error', () => {}).resume();
}

/** Asks for much and reads a little of it in a while; when it is cut off, it asks again. */
async function readSlowly(number: number): Promise<void> {
  while (!stopping) {
    try {
      const socket = await open(number % 2 === 0 ? list : `${list}?watch=1&resourceVersion=0`);
      socket.on('error', () => {});
      socket.pause();
      let ended = false;
      socket.once('close', () => (ended = true));
      while (!ended && !stopping) {
        await delay(1000 + (number % 100) * 10);
        socket.read(32 * 1024);
      }
      socket.destroy();
      if (!stopping) result.cuts++;
    } catch {
      await delay(500);
    }
  }
}

async function writeLarge(pool: Pool, number: number): Promise<void> {
  const name = `large-${number}`;
  for (let round = 0; !stopping; round++) {
    try {
      const body = JSON.stringify({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name },
        data: { round: String(round), megabyte },
      });
      const [method, path] = round === 0 ? (['POST', large] as const) : (['PUT', `${large}/${name}`] as const);
      const answer = await pool.request({ method, path, headers, body });
      await answer.body.dump();
      if (answer.statusCode < 300) result.largeWrites++;
      else if (answer.statusCode === 429) {
        result.tooManyRequests++;
        if (round === 0) round--;
        await delay(1000);
      } else result.failures++;
    } catch {
      if (!stopping) result.failures++;
    }
  }
}

const idleSockets = await openAll(idle, openIdle);
const watchSockets = await openAll(watches, openWatch);
const pool = new Pool(address, { connections: Math.max(1, writers), connect: { rejectUnauthorized: false } });
const running = [
  ...Array.from({ length: slow }, (_, number) => readSlowly(number)),
  ...Array.from({ length: writers }, (_, number) => writeLarge(pool, number)),
];
process.stdout.write('ready\n');
process.stdin.resume();
await new Promise((resolve) => process.stdin.once('end', resolve));
stopping = true;
const alive = (sockets: readonly TLSSocket[]) => sockets.filter(({ destroyed }) => !destroyed).length;
const counted: CrowdResult = { ...result, idle: alive(idleSockets), watches: alive(watchSockets) };
process.stdout.write(`${JSON.stringify(counted)}\n`);
await Promise.race([Promise.all(running), delay(3000)]);
process.exit();
