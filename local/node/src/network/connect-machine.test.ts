import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { bundleProgram } from '../test-support.ts';
import { canHaveNetwork } from './test-support.ts';

const can = process.getuid?.() === 0 && (await canHaveNetwork());

/** Runs where the network of the machine is a new one, which may be changed. */
const program = `
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { PodNetwork } from './network/pod-network.ts';

const devices = () => (readFileSync('/proc/net/dev', 'utf8').match(/^ *[a-z][^ :]*(?=:)/gm) ?? []).map((name) => name.trim());
const ask = (host) => text(connect(80, host));
const found = { before: devices() };
const network = await PodNetwork.open({ directory: '/nowhere/connect-machine' });
const { address, descriptor } = await network.add('a');
found.unconnected = await ask(address).catch(({ code }) => code);
await network.connectMachine();
const serve = "require('net').createServer((s) => s.end('pod to ' + s.remoteAddress)).listen(80, () => console.log('on'))";
const pod = spawn('nsenter', ['--net=/proc/self/fd/3', process.execPath, '-e', serve], { stdio: ['ignore', 'pipe', 'inherit', descriptor] });
await once(pod.stdout, 'data');
const service = await network.listen('10.96.0.7', 80);
service.on('connection', (socket) => socket.end('service to ' + socket.remoteAddress));
Object.assign(found, { pod: await ask(address), service: await ask('10.96.0.7'), during: devices() });
pod.kill('SIGKILL');
service.close();
await network[Symbol.asyncDispose]();
for (let i = 0; i < 100 && devices().includes('tektite'); i++) await new Promise((resolve) => setTimeout(resolve, 20));
console.log(JSON.stringify({ ...found, after: devices() }));
process.exit();
`;

it.runIf(can)(
  'lets the machine reach Pods and Services where it is asked to, and leaves nothing',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tektite-connect-'));
    try {
      const bundle = await bundleProgram(program, join(folder, 'program.mjs'));
      const { stdout } = await promisify(execFile)('unshare', ['--net', process.execPath, bundle]);
      expect(JSON.parse(stdout)).toEqual({
        before: ['lo'],
        unconnected: 'ENETUNREACH',
        pod: 'pod to ::ffff:10.244.255.254',
        service: 'service to 10.244.255.254',
        during: ['lo', 'tektite'],
        after: ['lo'],
      });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
  60_000,
);
