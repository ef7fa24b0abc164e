import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Row } from '../table.ts';

const bin = new URL('../../../apps/cli/bin/tektite.js', import.meta.url).pathname;
const podPort = 18_765;

/** Sends zeros to each client. */
const program = `const chunk = Buffer.alloc(1 << 18);
require('net').createServer((socket) => {
  const send = () => { while (socket.write(chunk)); };
  socket.on('drain', send).on('error', () => {});
  send();
}).listen(${podPort}, () => console.log('listens'));`;

/** Bytes through `kubectl port-forward`, from a Pod in the network of Pods. Undefined without kubectl. */
export async function benchPortForward(megabytes: number): Promise<Row[] | undefined> {
  if (spawnSync('kubectl', ['version', '--client']).status !== 0) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'tektite-bench-'));
  const processes: ChildProcess[] = [];
  try {
    const words = ['up', '--data-dir', folder, '--port', '0', '--runtime', 'host', '--no-dashboard'];
    const up = spawn(process.execPath, [bin, ...words], { stdio: ['ignore', 'pipe', 'ignore'] });
    processes.push(up);
    await says(up, /Ctrl-C/);
    const flags = ['--kubeconfig', join(folder, 'kubeconfig')];
    const kubectl = (...args: readonly string[]) => spawnSync('kubectl', [...flags, ...args], { encoding: 'utf8' });
    kubectl('run', 'zeros', '--image=node', '--command', '--', process.execPath, '-e', program);
    kubectl('wait', '--for=condition=Ready', 'pod/zeros', '--timeout=60s');
    while (!kubectl('logs', 'zeros').stdout.includes('listens'))
      await new Promise((resolve) => setTimeout(resolve, 50));
    const forward = spawn('kubectl', [...flags, 'port-forward', 'pod/zeros', `:${podPort}`]);
    processes.unshift(forward);
    const port = Number((await says(forward, /127\.0\.0\.1:(\d+) ->/))[1]);
    const value = await gigabits(port, megabytes);
    const target = { value: 1, better: 'more' } as const;
    return [{ what: `${megabytes} MB by kubectl port-forward`, value, unit: 'Gbit/s', target }];
  } finally {
    for (const child of processes) {
      child.kill();
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    }
    await rm(folder, { recursive: true, force: true });
  }
}

/** Resolves with the match, and reads on: a program whose output is closed ends. */
function says(child: ChildProcess, text: RegExp): Promise<RegExpExecArray> {
  return new Promise((resolve, reject) => {
    let said = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      const match = text.exec(said);
      if (match) resolve(match);
    });
    child.once('exit', () => reject(new Error(`it ended before it said ${text}`)));
  });
}

async function gigabits(port: number, megabytes: number): Promise<number> {
  const socket = connect(port, '127.0.0.1');
  let bytes = 0;
  let started = 0;
  for await (const chunk of socket) {
    started ||= performance.now();
    bytes += (chunk as Buffer).length;
    if (bytes >= megabytes * 1e6) break;
  }
  socket.destroy();
  return (bytes * 8) / 1e6 / (performance.now() - started);
}
