import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { freePorts } from '@tektite/testkit';
import { describe, expect, it } from 'vitest';
import { Scratch } from '../test-support.ts';

const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0;

/** kubectl's own switches between WebSockets and SPDY. */
const transports: [string, Readonly<Record<string, string>>][] = [
  ['WebSockets', {}],
  ['SPDY', { KUBECTL_PORT_FORWARD_WEBSOCKETS: 'false', KUBECTL_REMOTE_COMMAND_WEBSOCKETS: 'false' }],
];

/** In a network of its own a Pod is reached on its loopback, too. An ordinary machine may not have one: then Pods have the machine's. */
describe.skipIf(!hasKubectl).each(['host', 'auto'])('kubectl, where Pods have the network %s', (network) => {
  it('forwards ports, executes programs and copies files over WebSockets and SPDY', { timeout: 120_000 }, async () => {
    using scratch = new Scratch();
    const data = join(scratch.path, 'data');
    await using _ = await scratch.start(
      ['up', '--data-dir', data, '--port', '0', '--runtime', 'host', '--network', network],
      /Ctrl-C/,
    );
    const [port = 0, unused = 0] = await freePorts(2);
    const flags = ['--kubeconfig', join(data, 'kubeconfig')];
    const kubectl = (env: Readonly<Record<string, string>>, input: string, ...args: readonly string[]) =>
      spawnSync('kubectl', [...flags, ...args], {
        input,
        encoding: 'utf8',
        timeout: 60_000,
        env: { ...process.env, ...env },
      });
    const serve = `require('http').createServer((request, response) => response.end('page ' + request.url)).listen(${port}, '127.0.0.1', () => console.log('listens'))`;
    kubectl({}, '', 'run', 'web', '--image=node', '--command', '--', process.execPath, '-e', serve);
    await expect.poll(() => kubectl({}, '', 'logs', 'web').stdout, { timeout: 30_000 }).toContain('listens');

    for (const [name, env] of transports) {
      const [local = 0, other = 0] = await freePorts(2);
      const forward = spawn(
        'kubectl',
        [...flags, 'port-forward', 'pod/web', `${local}:${port}`, `${other}:${unused}`],
        { env: { ...process.env, ...env } },
      );
      let output = '';
      const append = (chunk: Buffer) => (output += chunk.toString());
      forward.stdout.on('data', append);
      forward.stderr.on('data', append);
      try {
        for (const listens of [local, other])
          await expect.poll(() => output, { timeout: 20_000 }).toContain(`127.0.0.1:${listens} ->`);
        const pages = await Promise.all(
          Array.from({ length: 20 }, async (_each, index) => {
            const answer = await fetch(`http://127.0.0.1:${local}/${index}`);
            return answer.text();
          }),
        );
        expect([name, pages]).toEqual([name, Array.from({ length: 20 }, (_each, index) => `page /${index}`)]);
        // kubectl ends after such an error.
        await expect(fetch(`http://127.0.0.1:${other}/`)).rejects.toThrow();
        await expect.poll(() => output, { timeout: 10_000 }).toContain('ECONNREFUSED');
      } finally {
        if (forward.exitCode === null) {
          forward.kill();
          await once(forward, 'exit');
        }
      }
      const exec = kubectl(env, 'typed\n', 'exec', '-i', 'web', '--', 'sh', '-c', 'cat; echo problem >&2; exit 7');
      expect(exec).toMatchObject({ status: 7, stdout: 'typed\n', stderr: expect.stringContaining('problem') });
      const large = kubectl(env, '', 'exec', 'web', '--', 'sh', '-c', 'head -c 300000 /dev/zero | tr "\\0" x');
      expect(large.stdout).toHaveLength(300_000);
      const copy = join(scratch.path, `copy-${name}`);
      expect(kubectl(env, '', 'cp', 'web:/etc/hostname', copy).status).toBe(0);
    }
  });
});
