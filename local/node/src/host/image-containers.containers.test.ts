import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { systemClock } from '@tektite/meta';
import { ImageStore } from '@tektite/oci';
import type { Container, PodSpec } from '@tektite/schema/kubernetes';
import { busyboxLayer, imageOf, layerOf, pushImage, TestFolder, TestRegistry } from '@tektite/testkit/images';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ImageService } from '../images/image-service.ts';
import { StoreImageService } from '../images/store-image-service.ts';
import { clientObjects } from '../object-source.ts';
import { signalOf } from './plan-image-container.ts';
import { podRuntimeCases } from '../runtime/pod-runtime.cases.ts';
import { startTestNode, type TestNode } from '../test-support.ts';

const folder = new TestFolder();
let registry: TestRegistry;
let store: ImageStore;
let images: ImageService;
const programs = ['true', 'sleep', 'cat', 'ls', 'id', 'env', 'echo', 'touch', 'mount', 'grep', 'su'];

beforeAll(async () => {
  registry = await TestRegistry.start();
  store = await ImageStore.open({ folder: folder.join('store') });
  images = new StoreImageService({
    store,
    objects: clientObjects({ get: () => Promise.reject(new Error('not asked')) } as never),
    clock: systemClock,
    credentials: async () => [],
  });
  const links = programs.map((name) => ({ name: `bin/${name}`, type: '2' as const, link: 'busybox' }));
  const base = [busyboxLayer(), layerOf([...links, { name: 'etc/old', content: 'old' }])];
  const data = layerOf([
    { name: 'data/', type: '5', mode: 0o755 },
    { name: 'data/file', content: 'of the image' },
    { name: 'etc/.wh.old', content: '' },
  ]);
  const settings = { Entrypoint: ['/bin/sh', '-c'], Cmd: ['id -u; id -g; pwd; echo $COLOUR $HOME'] };
  const config = { ...settings, Env: ['PATH=/bin', 'COLOUR=red'], WorkingDir: '/data/work', User: 'app' };
  await pushImage(registry.origin, 'busybox', 'latest', imageOf(base, { Cmd: ['sh'], Env: ['PATH=/bin'] }));
  await pushImage(registry.origin, 'app', 'latest', imageOf([...base, data], config));
  await pushImage(registry.origin, 'plain', 'latest', imageOf([layerOf([{ name: 'file', content: 'plain' }])], {}));
  await pushImage(registry.origin, 'unknown', 'latest', imageOf(base, { Cmd: ['sh'], User: 'stranger' }));
  const quits = {
    Cmd: ['sh', '-c', 'trap "echo quit; exit 5" QUIT; echo ready; while :; do sleep 0.1; done'],
    StopSignal: '3',
  };
  await pushImage(registry.origin, 'quits', 'latest', imageOf(base, { ...quits, Env: ['PATH=/bin'] }));
  await pushImage(registry.origin, 'empty', 'latest', imageOf(base, {}));
  const hostile = layerOf([
    { name: 'etc/passwd', type: '2', link: '../../../../../../../../../etc/shadow' },
    { name: 'proc', type: '2', link: '/data' },
    { name: 'dev', type: '2', link: '../../../../dev' },
    { name: 'volume', type: '2', link: '../../../../../../tmp' },
    { name: 'data/', type: '5', mode: 0o755 },
  ]);
  await pushImage(registry.origin, 'hostile', 'latest', imageOf([...base, hostile], { Cmd: ['sh'], User: 'root' }));
});
afterAll(async () => {
  await store[Symbol.asyncDispose]();
  await registry[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const start = (service: ImageService = images): Promise<TestNode> =>
  startTestNode({ host: { usesImages: true }, images: service });
const imageName = (name: string) => `${registry.host}/${name}:latest`;

podRuntimeCases('containers of images', async () => {
  // Cases name images by what other runtimes have.
  const ensure: ImageService['ensure'] = (request) => images.ensure({ ...request, image: imageName('busybox') });
  return start({ ensure });
});

describe('a container of an image', () => {
  let here: TestNode;
  let count = 0;
  beforeAll(async () => {
    here = await start();
  });
  afterAll(() => here[Symbol.asyncDispose]());

  async function output(image: string, container: Partial<Container> = {}, spec: Partial<PodSpec> = {}) {
    const name = `image-${count++}`;
    await here.run(name, {
      restartPolicy: 'Never',
      containers: [{ name: 'main', image: imageName(image), ...container }],
      ...spec,
    });
    await here.done(name);
    return here.log(name);
  }
  const script = (text: string) => ({ command: ['/bin/sh', '-c', `exec 2>&1; ${text}`] });
  const failing = async (image: string, container: Partial<Container> = {}) => {
    const name = `image-${count++}`;
    await here.run(name, {
      restartPolicy: 'Never',
      containers: [{ name: 'main', image: imageName(image), ...container }],
    });
    const pod = await here.until(
      name,
      ({ status }) => (status?.containerStatuses?.[0]?.state?.waiting?.reason ?? '') === 'CreateContainerError',
    );
    return pod.status?.containerStatuses?.[0]?.state?.waiting?.message;
  };

  test('runs what its image says, as the user that the image knows', async () => {
    expect(await output('app')).toBe('1000\n1000\n/data/work\nred /home/app\n');
    expect(await output('app', { args: ['echo mine'] })).toBe('mine\n');
    expect(await output('app', { command: ['/bin/id', '-u'] }, { securityContext: { runAsUser: 65_532 } })).toBe(
      '65532\n',
    );
  });

  test('names its image by digest in the status', async () => {
    await here.run('digest', {
      restartPolicy: 'Never',
      containers: [{ name: 'main', image: imageName('app'), command: ['true'] }],
    });
    const pod = await here.done('digest');
    expect(pod.status?.containerStatuses?.[0]).toMatchObject({
      imageID: expect.stringMatching(/\/app@sha256:[0-9a-f]{64}$/),
      containerID: expect.stringMatching(/^images:\/\//),
    });
  });

  test('sees the files of all layers, and nothing of the machine', async () => {
    expect(await output('app', script('cat /data/file; ls / /etc /usr | tr "\\n" " "'))).toMatch(/^of the image/);
    const text = await output('app', script('ls / | grep -c . ; ls /usr; ls /etc'));
    expect(text).not.toContain('old');
    expect(text).toContain('No such file');
  });

  test('sees the files of an image that is a volume, and neither writes nor runs them', async () => {
    for (const [image, file, text] of [
      ['app', 'data/file', 'of the image'],
      ['plain', 'file', 'plain'],
    ] as const) {
      const volumes = [{ name: 'v', image: { reference: imageName(image), pullPolicy: 'Always' } }];
      const volumeMounts = [{ name: 'v', mountPath: '/mnt/image' }];
      const look = `cat ${file}; echo; ls etc; echo x >new; cp /bin/busybox /tmp/b; [ -e bin/sh ] && bin/sh -c true`;
      const found = await output(
        'busybox',
        { ...script(`mkdir -p /tmp; cd /mnt/image; ${look}`), volumeMounts },
        { volumes },
      );
      expect(found).toMatch(new RegExp(`^${text}\n`));
      expect(found).toContain('Read-only file system');
      expect(found).not.toContain('old');
      if (image === 'app') expect(found).toMatch(/Permission denied/);
    }
  });

  test('waits for the image of a volume that cannot be had', async () => {
    const volumes = [{ name: 'v', image: { reference: imageName('none') } }];
    const containers = [{ name: 'main', image: imageName('app'), volumeMounts: [{ name: 'v', mountPath: '/v' }] }];
    await here.run('novolume', { volumes, containers });
    await here.until('novolume', ({ status }) =>
      /^(ErrImagePull|ImagePullBackOff)$/.test(status?.containerStatuses?.[0]?.state?.waiting?.reason ?? ''),
    );
  });

  test('writes its root, which no other container sees and nothing keeps', async () => {
    const root = { securityContext: { runAsUser: 0 } };
    const write = 'echo changed >/data/file; echo new >/new; cat /data/file';
    expect(await output('app', script(write), root)).toBe('changed\n');
    expect(await output('app', script('cat /data/file; ls /new'), root)).toBe(
      'of the imagels: /new: No such file or directory\n',
    );
    await expect
      .poll(() => {
        const scratch = join(here.dataDir, 'host/scratch');
        return readdirSync(scratch).filter((name) => existsSync(join(scratch, name, 'upper')));
      })
      .toEqual([]);
  });

  test('cannot write its root where the Pod says so, but its volumes', async () => {
    const securityContext = { readOnlyRootFilesystem: true, runAsUser: 0 };
    const text = await output(
      'app',
      {
        ...script('touch /x; touch /not/there/x && echo volume'),
        securityContext,
        volumeMounts: [volumeAt('/not/there')],
      },
      { volumes: [{ name: 'v', emptyDir: {} }] },
    );
    expect(text).toBe('touch: /x: Read-only file system\nvolume\n');
  });

  const volumeAt = (mountPath: string) => ({ name: 'v', mountPath });

  test('is not led out of its root by what is in the image', async () => {
    writeFileSync('/tmp/tektite-image-secret', 'secret');
    const text = await output(
      'hostile',
      {
        ...script('cat /etc/passwd; ls /tmp /volume /data; mount'),
        volumeMounts: [volumeAt('/volume/inside')],
      },
      { volumes: [{ name: 'v', emptyDir: {} }], securityContext: { runAsUser: 0 } },
    );
    expect(text).not.toMatch(/^root:[*!$]|tektite-image-secret/m);
    expect(existsSync('/tmp/inside')).toBe(false);
  });

  test('says which user or command is missing', async () => {
    expect(await failing('unknown')).toContain('unable to find user stranger: no matching entries in passwd file');
    expect(await failing('empty')).toContain('no command specified');
  });

  test('may gain rights by programs of its image only where the Pod allows it', async () => {
    const flags = "grep NoNewPrivs /proc/self/status; grep ' / ' /proc/mounts";
    expect(await output('app', script(flags))).toMatch(/NoNewPrivs:\t0\n.*\(?rw,(?!nosuid)/);
    const allowPrivilegeEscalation = false;
    expect(await output('app', { ...script(flags), securityContext: { allowPrivilegeEscalation } })).toMatch(
      /NoNewPrivs:\t1\n.*nosuid/,
    );
  });

  test('has programs run beside it in the same root', async () => {
    await here.run('beside', {
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 0,
      containers: [
        { name: 'main', image: imageName('app'), ...script('echo mark >/tmp/mark || echo m >/home/mark; sleep 30') },
      ],
      securityContext: { runAsUser: 0 },
    });
    const pod = await here.until('beside', ({ status }) => status?.phase === 'Running');
    let text = '';
    const onOutput = (_: string, chunk: Uint8Array) => {
      text += Buffer.from(chunk).toString();
    };
    const command = ['sh', '-c', 'cat /data/file; echo " $COLOUR"'];
    expect(await here.node.exec(pod, 'main', { command, onOutput })).toEqual({ exitCode: 0 });
    expect(text).toBe('of the image red\n');
  });

  test('is asked to stop by the signal of its image', async () => {
    await here.run('quits', {
      restartPolicy: 'Never',
      activeDeadlineSeconds: 1,
      containers: [{ name: 'main', image: imageName('quits') }],
    });
    await here.until('quits', ({ status }) => status?.containerStatuses?.[0]?.state?.terminated !== undefined);
    expect(await here.log('quits')).toBe('ready\nquit\n');
    expect(['SIGQUIT', 'quit', '3', 'SIGRTMIN+3', ''].map(signalOf)).toEqual([
      'SIGQUIT',
      'SIGQUIT',
      'SIGQUIT',
      undefined,
      undefined,
    ]);
  });

  test.each([
    ['root', 0],
    ['another user', 1000],
  ])('gains nothing by system calls, as %s that may gain rights', async (_, runAsUser) => {
    const program = folder.join('escapes');
    const source = fileURLToPath(new URL('../../../../native/sandbox/test/escapes.c', import.meta.url));
    spawnSync(process.env.CC || 'cc', ['-std=c11', '-D_GNU_SOURCE', '-static', '-o', program, source]);
    const layer = layerOf([
      { name: 'escapes', content: readFileSync(program), mode: 0o4755 },
      { name: 'tmp/', type: '5', mode: 0o777 },
    ]);
    await pushImage(registry.origin, 'escapes', 'latest', imageOf([layer], { Entrypoint: ['/escapes'] }));
    const lines = (await output('escapes', {}, { securityContext: { runAsUser } })).trim().split('\n');
    expect(lines.length).toBeGreaterThan(60);
    expect(lines.filter((line) => !/^\w+: denied, /.test(line))).toEqual([]);
  });

  test('leaves nothing in the layers, which other containers share', async () => {
    const held = await store.hold(imageName('app'));
    expect(held?.layers.map((layer) => readdirSync(layer).sort().join(' '))).toEqual([
      'data etc',
      'bin etc',
      'bin etc',
    ]);
    await held?.release();
    expect(readFileSync('/proc/mounts', 'utf8')).not.toContain(folder.path);
  });
});
