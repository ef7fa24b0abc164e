import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { openClient, kinds } from '@tektite/client';
import { expect, it } from 'vitest';
import { Scratch } from '../test-support.ts';

const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0;

it.skipIf(!hasKubectl)(
  'kubectl run and debug work with base images, or end at once',
  { timeout: 120_000 },
  async () => {
    using scratch = new Scratch();
    const data = join(scratch.path, 'data');
    await using _ = await scratch.start(['up', '--data-dir', data, '--port', '0'], /Ctrl-C/);
    const kubeconfig = join(data, 'kubeconfig');
    const kubectl = (input: string, ...args: readonly string[]) =>
      spawnSync('kubectl', ['--kubeconfig', kubeconfig, ...args], { input, encoding: 'utf8', timeout: 60_000 });
    const interactive = ['--rm', '-i', '--restart=Never'];
    const run = (input: string, name: string, image: string, ...args: readonly string[]) =>
      kubectl(input, 'run', name, `--image=${image}`, ...interactive, ...args);
    expect(run('hello\n', 'arguments', 'busybox:1.36', '--', 'cat')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('hello'),
    });
    expect(run('echo from a shell\n', 'shell', 'docker.io/library/ubuntu')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('from a shell'),
    });
    // Containers that exit before kubectl attaches: it prints their log.
    for (const name of ['short-1', 'short-2', 'short-3'])
      expect(run('', name, 'busybox', '--', 'echo', 'short')).toMatchObject({
        status: 0,
        stdout: expect.stringContaining('short\n'),
      });
    expect(run('', 'fails', 'bash', '--', 'sh', '-c', 'exit 3').status).toBe(3);

    kubectl('', 'run', 'server', '--image=bash', '--', 'sleep', '1000');
    await using client = await openClient({ kubeconfig });
    await expect
      .poll(async () => (await client.get(kinds.Pod, { namespace: 'default', name: 'server' })).status?.phase)
      .toBe('Running');
    const debug = kubectl('echo from a debugger; hostname\n', 'debug', 'server', '--image=busybox', '-i', '-c', 'look');
    expect(debug).toMatchObject({ status: 0, stdout: expect.stringContaining('from a debugger\nserver\n') });
    const debugged = await client.get(kinds.Pod, { namespace: 'default', name: 'server' });
    expect(debugged.status).toMatchObject({
      phase: 'Running',
      ephemeralContainerStatuses: [{ name: 'look', restartCount: 0 }],
    });
    expect(debugged.status?.conditions?.find(({ type }) => type === 'Ready')?.status).toBe('True');
    expect(kubectl('', 'logs', 'server', '-c', 'look').stdout).toContain('from a debugger');
  },
);
