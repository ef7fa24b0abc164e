import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** The command as people run it, which is as it was built last. */
const bin = new URL('../../bin/tektite.js', import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), 'tektite-run-network-'));
chmodSync(folder, 0o755);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ordinary = { uid: 65_534, gid: 65_534 };
/** The repository may lie in a folder of root's. */
const others =
  process.getuid?.() === 0 && spawnSync(process.execPath, [bin, '--version'], { ...ordinary, cwd: '/' }).status === 0;
const users: [string, { uid?: number; gid?: number }][] = [
  ['this user', {}],
  ...(others ? [['an ordinary user', ordinary] as [string, typeof ordinary]] : []),
];

const task = `
apiVersion: tekton.dev/v1
kind: Task
metadata: {name: network}
spec:
  sidecars:
  - name: server
    image: node
    command: [node, -e, "require('http').createServer((q, s) => s.end('from the sidecar')).listen(80)"]
    readinessProbe: {httpGet: {port: 80}, periodSeconds: 1}
  steps:
  - name: ask
    image: node
    script: |
      #!/usr/bin/env node
      const { readFileSync } = require('node:fs');
      (async () => {
        console.log(await (await fetch('http://localhost')).text());
        console.log((await require('node:dns').promises.lookup('kubernetes.default')).address, process.env.KUBERNETES_SERVICE_HOST);
        console.log(readFileSync('/proc/net/dev', 'utf8').match(/\\w+(?=:)/g).join());
      })();
`;

describe.each(users)('run --network, by %s', (who, user) => {
  const home = join(folder, who.replaceAll(' ', '-'));
  beforeAll(() => {
    mkdirSync(home);
    if (user.uid !== undefined && user.gid !== undefined) chownSync(home, user.uid, user.gid);
  });

  async function tektite(...args: readonly string[]) {
    const file = join(folder, 'task.yaml');
    writeFileSync(file, task);
    const child = spawn(process.execPath, [bin, 'run', '-f', file, '--runtime', 'host', ...args], {
      env: { PATH: process.env.PATH ?? '', HOME: home, TMPDIR: home, NO_COLOR: '1' },
      cwd: '/',
      stdio: ['ignore', 'pipe', 'pipe'],
      ...user,
    });
    const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
    return { code: code as number, out, err };
  }

  it.each(['pods', 'auto'])('gives steps a network of their own with %s, or prints why it cannot', async (network) => {
    const { code, out, err } = await tektite('--network', network);
    // The kernel of this machine may forbid it.
    if (/USER_NAMESPACES|Pods cannot have a network/.test(err)) return;
    expect(out).toContain('[ask] from the sidecar\n[ask] 10.96.0.1 10.96.0.1\n[ask] lo,eth0\n');
    expect([code, err.includes('Pods')]).toEqual([0, false]);
  });
});

/** A user namespace in which the kernel denies network namespaces. */
const denied = (network: string) => {
  const command = `echo 0 >/proc/sys/user/max_net_namespaces && exec "$0" "$1" run -f "$2" --runtime host --network ${network}`;
  const words = ['-Ur', 'sh', '-c', command, process.execPath, bin, join(folder, 'denied.yaml')];
  writeFileSync(join(folder, 'denied.yaml'), task);
  return spawnSync('unshare', words, { encoding: 'utf8', env: { ...process.env, HOME: folder, NO_COLOR: '1' } });
};
const canDeny = spawnSync('unshare', ['-Ur', 'sh', '-c', 'echo 0 >/proc/sys/user/max_net_namespaces']).status === 0;

it.runIf(canDeny)('where the kernel denies it, auto takes the network of the machine and pods fails', () => {
  const reason = 'Pods cannot have a network on this machine: the kernel denies a network namespace';
  const fallback = denied('auto');
  expect(fallback.stderr).toContain(`Pods have the network of the machine: ${reason}`);
  expect(fallback.stdout).toContain('TaskRun network-');
  const failed = denied('pods');
  expect([failed.status, failed.stdout]).toEqual([1, '']);
  expect(failed.stderr).toContain(reason);
  expect(failed.stderr).toContain('`--network host`');
});

it('names the networks that there are', async () => {
  const { status, stderr } = spawnSync(
    process.execPath,
    [bin, 'up', '--in-memory', '--port', '0', '--network', 'bridge'],
    {
      encoding: 'utf8',
    },
  );
  expect([status, stderr]).toEqual([
    2,
    expect.stringContaining('--network must be one of auto, pods, host, not "bridge"'),
  ]);
});
