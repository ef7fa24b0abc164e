import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

/** The command as people run it, which is as it was built last. */
const bin = new URL('../../bin/tektite.js', import.meta.url).pathname;
const hello = new URL('../../../../examples/pipelines/hello.yaml', import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), 'tektite-run-offline-'));
chmodSync(folder, 0o777);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const resolvConf = join(folder, 'resolv.conf');
writeFileSync(resolvConf, 'nameserver 192.0.2.53\n');

/** Namespaces of root: networks without a way out. In the second, packets go nowhere, and so no name server ever answers. */
const networks: Readonly<Record<string, string>> = {
  'there is no network': 'true',
  'nothing answers': `ip link set lo up && ip route add default dev lo && mount --bind ${resolvConf} /etc/resolv.conf`,
};

function run(setUp: string, ...args: readonly string[]) {
  const script = `${setUp} && exec "$@"`;
  const command = [process.execPath, bin, 'run', ...args];
  const { status, stdout, stderr } = spawnSync('unshare', ['-nm', 'sh', '-c', script, 'sh', ...command], {
    encoding: 'utf8',
    env: { PATH: `${process.env['PATH']}:/usr/sbin:/sbin`, HOME: folder, NO_COLOR: '1' },
  });
  return { status, stdout, stderr };
}

const node = join(folder, 'node.yaml');
writeFileSync(
  node,
  'apiVersion: tekton.dev/v1\nkind: Task\nmetadata: {name: node}\nspec: {steps: [{name: one, image: "node:20", command: [node, --version]}]}\n',
);

/** The kernel of this machine may deny it, and `ip` may be missing. */
const canRun = (setUp: string) => spawnSync('unshare', ['-nm', 'sh', '-c', setUp]).status === 0;

describe.each(Object.entries(networks))('run, where %s', (_, setUp) => {
  it.runIf(canRun(setUp))('replaces images that are only a shell, and prints by what', () => {
    const { status, stdout, stderr } = run(setUp, hello, '-p', 'who=Ada');
    expect([status, stderr]).toEqual([
      0,
      expect.stringMatching(/^the image busybox is replaced by .*: index\.docker\.io cannot be reached\n$/),
    ]);
    expect(stdout).toContain('Hello, Ada!');
    // Resolvers wait for five seconds, twice, for each of the three Pods.
    const [, seconds] = /^Succeeded in (?:\d+ ms|([\d.]+) s)$/m.exec(stdout) ?? [];
    expect(Number(seconds ?? 0)).toBeLessThan(10);
  });

  it.runIf(canRun(setUp))(
    'fails for other images as a cluster does, and names the ways out',
    { timeout: 60_000 },
    () => {
      const { status, stdout, stderr } = run(setUp, '-f', node);
      expect([status, stdout + stderr]).toEqual([
        1,
        expect.stringMatching(/ErrImagePull.*node:20.*tektite image load.*--images FILE.*--runtime host/s),
      ]);
    },
  );
});

it('asks no registry where TEKTITE_OFFLINE is set', () => {
  const env = { PATH: process.env['PATH'], HOME: folder, NO_COLOR: '1', TEKTITE_OFFLINE: '1' };
  const { status, stderr } = spawnSync(process.execPath, [bin, 'run', hello], { encoding: 'utf8', env });
  expect([status, stderr]).toEqual([0, expect.stringContaining('the image busybox is replaced by')]);
});
