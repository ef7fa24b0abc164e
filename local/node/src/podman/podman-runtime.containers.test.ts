import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { podRuntimeCases } from '../runtime/pod-runtime.cases.ts';
import { shell, startTestNode } from '../test-support.ts';
import { createArguments } from './podman-arguments.ts';
import { PodmanRuntime } from './podman-runtime.ts';

const engine = 'podman';
const ociRuntime = 'runc';
/** The lane with containers brings it. */
const shellProgram = existsSync('/usr/bin/busybox') ? '/usr/bin/busybox' : '/bin/busybox';
const image = 'localhost/tektite-test:1';

/** An image with nothing but busybox, made of this machine's. */
function importImage(): void {
  const root = mkdtempSync(join(tmpdir(), 'image-'));
  mkdirSync(join(root, 'bin'));
  mkdirSync(join(root, 'tmp'));
  copyFileSync(shellProgram, join(root, 'bin/busybox'));
  for (const name of ['sh', 'sleep', 'true', 'cat', 'id', 'env', 'hostname', 'tail', 'head'])
    symlinkSync('busybox', join(root, 'bin', name));
  execFileSync('sh', ['-c', `tar -C "$1" -c . | "$2" import -q - "$3"`, 'sh', root, engine, image]);
  rmSync(root, { recursive: true });
}

const start = () =>
  startTestNode({
    makeRuntime: (dataDir) =>
      new PodmanRuntime({
        directory: join(dataDir, 'podman'),
        ...(spawnSync(ociRuntime, ['--version']).status === 0 ? { ociRuntime } : {}),
      }),
  });

describe('with podman', () => {
  beforeAll(importImage, 60_000);
  afterAll(() => void spawnSync(engine, ['rmi', '--force', image]));

  podRuntimeCases('podman', start, image);

  test('Pods have what their image brings, and what they ask for', async () => {
    await using here = await start();
    await here.plane.client.create({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace: 'default', name: 'settings' },
      data: { a: 'red' },
    } as never);
    await here.run('asks', {
      restartPolicy: 'Never',
      hostname: 'box',
      securityContext: { runAsUser: 1234, runAsGroup: 2345 },
      volumes: [
        { name: 'v', configMap: { name: 'settings' } },
        { name: 'e', emptyDir: {} },
      ],
      containers: [
        shell('hostname; id -u; id -g; cat /v/a; echo; echo "$LINES"; echo kept >/e/f; cat /e/f; cat /etc/shadow', {
          image,
          env: [{ name: 'LINES', value: 'one\ntwo' }],
          volumeMounts: [
            { name: 'v', mountPath: '/v' },
            { name: 'e', mountPath: '/e' },
          ],
        }),
      ],
    });
    await here.done('asks');
    expect(await here.log('asks')).toBe(
      "box\n1234\n2345\nred\none\ntwo\nkept\ncat: can't open '/etc/shadow': No such file or directory\n",
    );
  });

  test('Pods say what is wrong with their image or program', async () => {
    await using here = await start();
    const state = async (name: string, container: object) => {
      await here.run(name, { restartPolicy: 'Never', containers: [{ name: 'main', image, ...container }] });
      const pod = await here.until(name, ({ status }) => {
        const one = status?.containerStatuses?.[0]?.state;
        return one?.terminated !== undefined || (one?.waiting?.reason ?? 'ContainerCreating') !== 'ContainerCreating';
      });
      return pod.status?.containerStatuses?.[0]?.state;
    };
    expect(await state('absent', { image: 'localhost/none:1', imagePullPolicy: 'Never' })).toEqual({
      waiting: {
        reason: 'ErrImageNeverPull',
        message: 'Container image "localhost/none:1" is not present with pull policy of Never',
      },
    });
    expect(await state('no-command', {})).toMatchObject({ waiting: { reason: 'CreateContainerError' } });
    expect(await state('no-program', { command: ['no-such-program'] })).toMatchObject({
      terminated: {
        exitCode: 128,
        reason: 'StartError',
        message: expect.stringContaining('executable file not found in $PATH'),
      },
    });
  });

  test('a container that takes too much memory is ended', async () => {
    await using here = await start();
    const greedy = shell('x=a; while :; do x=$x$x; done', { image, resources: { limits: { memory: '20Mi' } } });
    await here.run('greedy', { restartPolicy: 'Never', containers: [greedy] });
    const end = (await here.done('greedy')).status?.containerStatuses?.[0]?.state?.terminated;
    expect(end?.exitCode).toBe(137);
    // With cgroups of both versions, the engine itself does not notice why.
    expect(['OOMKilled', 'Error']).toContain(end?.reason);
  });
});

test('what a Pod writes is never taken for an option of the engine', () => {
  const sandbox = {
    uid: 'u',
    namespace: 'n',
    name: 'p',
    hostname: 'h',
    sysctls: new Map(),
    shareProcessNamespace: false,
    annotations: {},
    directory: '/d',
    hostNetwork: false,
    hostAliases: [],
  };
  const output = { write: () => true, drained: async () => undefined };
  const words = createArguments(
    {
      id: 'i',
      name: 'c',
      attempt: 0,
      restarts: false,
      sandbox,
      image: '--privileged',
      imagePullPolicy: 'Never',
      command: ['--rm'],
      args: ['--volume=/:/host'],
      env: new Map([['A', '1']]),
      workingDir: '/w',
      mounts: [{ hostPath: '/a,readonly=false,b', containerPath: '/c', readOnly: true }],
      user: { supplementalGroups: [] },
      readOnlyRootFilesystem: false,
      privileged: false,
      allowPrivilegeEscalation: true,
      tty: false,
      seccompProfile: { type: 'RuntimeDefault' },
      capabilities: { add: [], drop: [] },
      limits: {},
      stdin: false,
      output,
    },
    { pidFile: '/p', envFile: '/e', label: 'l', limits: { openFiles: 1, processes: 1 } },
  );
  const end = words.indexOf('--');
  expect(words.slice(end)).toEqual(['--', '--privileged', '--volume=/:/host']);
  expect(words.slice(0, end)).not.toContain('--privileged');
  expect(words).toContain('--mount=type=bind,"source=/a,readonly=false,b",target=/c,ro=true');
});
