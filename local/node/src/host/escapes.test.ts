import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { kinds } from '@tektite/client';
import type { Container, Pod, PodSpec } from '@tektite/schema/kubernetes';
import { type ControlPlane, startControlPlane } from '@tektite/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canHaveNetwork } from '../network/test-support.ts';
import { nameFor } from './memory-folder.ts';
import { bundleNodeProgram, killNodeProgram, shell, startNodeProgram } from '../test-support.ts';

/** Attempts to leave a container, on the node of root and on that of an ordinary user. None may succeed. */
const isRoot = process.getuid?.() === 0;
const accounts: Readonly<Record<string, { uid?: number; gid?: number }>> = isRoot
  ? { root: {}, 'an ordinary user': { uid: 65_534, gid: 65_534 } }
  : { 'an ordinary user': {} };
const networks = (await canHaveNetwork()) ? [false, true] : [false];
const users = Object.fromEntries(
  Object.entries(accounts).flatMap(([who, account]) =>
    networks.map((hasNetwork) => [hasNetwork ? `${who} with a network` : who, { ...account, hasNetwork }]),
  ),
);

const folder = mkdtempSync(join(tmpdir(), 'tektite-escapes-'));
const programs = join(folder, 'programs');
let nodeProgram: string;

beforeAll(async () => {
  chmodSync(folder, 0o755);
  mkdirSync(programs);
  const source = fileURLToPath(new URL('../../../../native/sandbox/test/escapes.c', import.meta.url));
  const flags = ['-std=c11', '-D_GNU_SOURCE', '-static', '-o', join(programs, 'escapes'), source];
  const { status, stderr } = spawnSync(process.env.CC || 'cc', flags, { encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
  nodeProgram = await bundleNodeProgram(join(folder, 'node.mjs'));
  chmodSync(nodeProgram, 0o644);
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each(Object.entries(users))('a container on the node of %s', (who, user) => {
  let plane: ControlPlane;
  let child: Awaited<ReturnType<typeof startNodeProgram>>;
  const dataDir = join(folder, who.replaceAll(' ', '-'));
  const secret = join(folder, `secret-${who.replaceAll(' ', '-')}`);
  let count = 0;
  beforeAll(async () => {
    plane = await startControlPlane();
    mkdirSync(dataDir);
    writeFileSync(secret, 'a secret of the machine');
    const { uid, gid } = user;
    if (uid !== undefined && gid !== undefined) for (const path of [dataDir, secret]) chownSync(path, uid, gid);
    child = await startNodeProgram(plane, nodeProgram, dataDir, user);
  }, 60_000);
  afterAll(async () => {
    await killNodeProgram(child);
    await plane.close();
    rmSync(join('/dev/shm', nameFor(join(dataDir, 'host'))), { recursive: true, force: true });
  });

  async function run(container: Partial<Container>, spec: Partial<PodSpec> = {}): Promise<Pod> {
    const name = `try-${count++}`;
    const volumes = [{ name: 'programs', hostPath: { path: programs } }, ...(spec.volumes ?? [])];
    const mounts = [{ name: 'programs', mountPath: '/programs' }, ...(container.volumeMounts ?? [])];
    await plane.client.create(kinds.Pod, {
      metadata: { namespace: 'default', name },
      spec: {
        nodeName: 'here',
        restartPolicy: 'Never',
        ...spec,
        volumes,
        containers: [
          { ...shell(''), terminationMessagePolicy: 'FallbackToLogsOnError', ...container, volumeMounts: mounts },
        ],
      },
    });
    let pod: Pod | undefined;
    await expect
      .poll(
        async () => {
          pod = await plane.client.get(kinds.Pod, { namespace: 'default', name });
          return pod.status?.phase;
        },
        { timeout: 15_000 },
      )
      .toMatch(/Succeeded|Failed/);
    return pod as Pod;
  }
  const message = ({ status }: Pod) => status?.containerStatuses?.[0]?.state?.terminated?.message ?? '';
  const toMessage = (script: string) => ({ command: ['sh', '-c', `{ ${script}; } >/dev/termination-log 2>&1; true`] });

  test.each([
    ['root', {}],
    ['another user', { runAsUser: 1234, runAsGroup: 1234 }],
    ['root with all capabilities dropped', { capabilities: { drop: ['ALL'] } }],
  ])('gains nothing by system calls, as %s', async (_, securityContext) => {
    const pod = await run({ ...toMessage('/programs/escapes'), securityContext });
    const lines = message(pod).trim().split('\n');
    expect(lines.length).toBeGreaterThan(60);
    expect(lines.filter((line) => !/^\w+: denied, /.test(line))).toEqual([]);
  });

  test.each([
    ['variables of other processes', 'cat /proc/[0-9]*/environ | tr "\\0" "\\n"', /NODE_PROGRAM/],
    ['files by the root of processes', `cat /proc/[0-9]*/root${secret} /proc/[0-9]*/cwd${secret}`, /a secret/],
    [
      'files by the folders that mounts name',
      `for d in $(cut -d" " -f2 /proc/mounts); do cat $d/../${secret}; done`,
      /a secret/,
    ],
    ['files by dots', `cat /../../../../..${secret} /workspace/../../..${secret}`, /a secret/],
    ['the data of the node', `ls ${dataDir} /dev/shm/tektite-host-*`, /^(pods|logs|containers|host)$/m],
    ['the mounts of the machine', 'cat /proc/mounts /proc/self/mountinfo', /lowerdir=\/(?!proc)/],
    ['disks', 'head -c 1 /dev/sda /dev/vda /dev/nvme0n1 | od -c', /^0000000\s+\S/m],
    [
      'rights by setuid programs',
      'cp /bin/sh /tmp/sh && chmod u+s /tmp/sh && mount | grep " /tmp "',
      /\((?!.*\bnosuid\b)/,
    ],
    ['files by its own program', 'echo x >/proc/self/exe; echo x >/proc/1/exe && echo WROTE', /^WROTE$/m],
    ['signals to the machine', 'kill -0 -1 -2 9999999; kill -9 2147483 && echo KILLED', /^KILLED$/m],
    [
      'kernel settings',
      'echo 1 >/proc/sys/net/ipv4/ip_forward && echo WROTE; echo x >/proc/sys/kernel/hostname && echo WROTE',
      /^WROTE$/m,
    ],
    [
      'cgroups of the machine',
      'mkdir /sys/fs/cgroup/escape && echo MADE; mkdir /sys/fs/cgroup/memory/escape && echo MADE',
      /^MADE$/m,
    ],
    [
      'its bounds by a scheduler',
      'nice -n -20 true 2>&1 && cat /proc/1/oom_score_adj && echo -1000 >/proc/1/oom_score_adj && echo SET',
      /^SET$/m,
    ],
  ])('does not reach %s', async (_, script, forbidden) => {
    expect(message(await run(toMessage(script)))).not.toMatch(forbidden);
    expect(readFileSync(secret, 'utf8')).toBe('a secret of the machine');
  });

  test('is not started in a folder, or from a program, that a descriptor of the sandbox leads to', async () => {
    const paths = [3, 4, 5, 6, 7, 8, 9, 10].map((fd) => `/proc/self/fd/${fd}`);
    const pods = await Promise.all([
      ...paths.flatMap((path) => [
        run({ ...toMessage('ls ..; ls ../..'), workingDir: path }),
        run({ command: [`${path}/bin/true`] }),
      ]),
      run({ ...toMessage('pwd'), workingDir: '/proc/1/cwd' }),
    ]);
    for (const pod of pods.slice(0, -1))
      expect(pod.status?.containerStatuses?.[0]?.state?.terminated).toMatchObject({ exitCode: 128 });
    expect(message(pods.at(-1) as Pod)).not.toContain('unreachable');
  });

  test('cannot change the program that starts containers by being started as that', async () => {
    const sandbox = join(folder, 'native/sandbox/dist/sandbox');
    const before = readFileSync(sandbox);
    const script = '#!/proc/self/exe\n';
    writeFileSync(join(programs, 'script'), script, { mode: 0o755 });
    const pods = await Promise.all([
      run({ command: ['/proc/self/exe'] }),
      run({ command: ['/programs/script'] }),
      run({ ...toMessage('for p in /proc/[0-9]*; do cat /programs/script >$p/exe && echo WROTE; done') }),
    ]);
    for (const pod of pods) expect(message(pod)).not.toContain('WROTE');
    expect(readFileSync(sandbox).equals(before)).toBe(true);
  });

  test('cannot lead the mounts of another container elsewhere by links in a volume they share', async () => {
    const volumes = [{ name: 'shared', emptyDir: {} }];
    const name = `try-${count++}`;
    const swap = 'while :; do rm -rf /v/a; ln -s / /v/a; rm -f /v/a; mkdir -p /v/a/b; done';
    const at = (mountPath: string, subPath?: string) => ({
      name: 'shared',
      mountPath,
      ...(subPath ? { subPath } : {}),
    });
    await plane.client.create(kinds.Pod, {
      metadata: { namespace: 'default', name },
      spec: {
        nodeName: 'here',
        restartPolicy: 'Never',
        terminationGracePeriodSeconds: 0,
        volumes,
        containers: [
          shell(swap, { name: 'swap', volumeMounts: [at('/v')] }),
          ...Array.from({ length: 10 }, (_, number) =>
            shell(`ls /mnt /mnt/b/.. >>/v/seen-${number}`, {
              name: `mount-${number}`,
              volumeMounts: [at('/v'), at('/mnt', 'a')],
            }),
          ),
        ],
      },
    });
    await expect
      .poll(
        async () => {
          const pod = await plane.client.get(kinds.Pod, { namespace: 'default', name });
          const others = (pod.status?.containerStatuses ?? []).filter((one) => one.name !== 'swap');
          return others.filter(({ state }) => state?.terminated || /^Create|^Run/.test(state?.waiting?.reason ?? ''))
            .length;
        },
        { timeout: 15_000 },
      )
      .toBe(10);
    // A root of the machine would have these.
    const { stdout } = spawnSync('grep', ['-rhE', '^(usr|proc|etc)$', join(dataDir, 'pods')], { encoding: 'utf8' });
    expect(stdout).toBe('');
    await plane.client.delete(kinds.Pod, { namespace: 'default', name }, { gracePeriodSeconds: 0 });
  });
});
