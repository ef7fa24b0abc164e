import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'undici';

const bin = new URL('../../apps/cli/bin/tektite.js', import.meta.url).pathname;
/** The administrator's. */
export const token = 'bench';
/** Of another administrator. */
export const crowdToken = 'crowd';

/** Of /proc, in a second. */
const clockTicks = 100;

/** `tektite up` in a separate process, as a user would run it. */
export interface ServerProcess {
  readonly pid: number;
  readonly readyMilliseconds: number;
  /** Its data folder. */
  readonly folder: string;
  /** The address of its inspector; empty unless it was asked for. */
  readonly inspector: string;
  readonly address: string;
  /** A pool of that many kept-alive connections. */
  connect(connections: number): Pool;
  /** One connection of HTTP/2 that takes so many requests at once, as Go's clients have it. */
  multiplex(requests: number): Pool;
  residentMegabytes(): Promise<number>;
  /** The CPU time of the process, on all cores. */
  cpuSeconds(): Promise<number>;
  stop(): Promise<void>;
}

export const headers: Record<string, string> = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };

export interface ServerOptions {
  readonly flags?: readonly string[];
  /** Makes the heap of the server readable. */
  readonly inspect?: boolean;
}

export async function startServer({ flags = [], inspect = false }: ServerOptions = {}): Promise<ServerProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'tektite-bench-'));
  const tokens = join(folder, 'tokens.csv');
  await writeFile(tokens, [token, crowdToken].map((each) => `${each},${each},${each},"system:masters"\n`).join(''));
  const started = performance.now();
  // Run as a command, as npx does, so that the flags in its first line count.
  const child: ChildProcess = spawn(
    bin,
    ['up', '--api-only', '--port', '0', '--data-dir', join(folder, 'data'), '--token-auth-file', tokens, ...flags],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: inspect ? { ...process.env, NODE_OPTIONS: '--inspect=127.0.0.1:0' } : process.env,
    },
  );
  let inspector = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    inspector ||= /ws:\/\/\S+/.exec(chunk.toString())?.[0] ?? '';
    if (!/^(?:Debugger|For help)/.test(chunk.toString())) process.stderr.write(chunk);
  });
  const address = await new Promise<string>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`tektite up ended with ${code}`)));
    child.stdout?.on('data', (chunk: Buffer) => {
      const found = /https:\/\/[0-9.:]+/.exec(chunk.toString());
      if (found) resolve(found[0]);
    });
  });
  const readyMilliseconds = performance.now() - started;
  const pools: Pool[] = [];
  return {
    pid: child.pid as number,
    folder: join(folder, 'data'),
    inspector,
    readyMilliseconds,
    address,
    connect(connections) {
      const pool = new Pool(address, { connections, pipelining: 1, connect: { rejectUnauthorized: false } });
      pools.push(pool);
      return pool;
    },
    multiplex(requests) {
      const connect = { rejectUnauthorized: false };
      const pool = new Pool(address, { connections: 1, pipelining: requests, allowH2: true, connect });
      pools.push(pool);
      return pool;
    },
    async residentMegabytes() {
      const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
      return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
    },
    async cpuSeconds() {
      const stat = await readFile(`/proc/${child.pid}/stat`, 'utf8');
      const [user, system] = stat
        .slice(stat.lastIndexOf(')') + 2)
        .split(' ')
        .slice(11, 13);
      return (Number(user) + Number(system)) / clockTicks;
    },
    async stop() {
      await Promise.all(pools.map((pool) => pool.destroy()));
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await gone;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
