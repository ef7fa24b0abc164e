import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { kinds, mergePatch } from '@tektite/client';
import type { Container, PodSpec } from '@tektite/schema/kubernetes';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { shell, startTestNode, type TestNode } from '../test-support.ts';

describe('a Pod of processes', () => {
  let here: TestNode;
  const root = tinyRoot();
  beforeAll(async () => {
    here = await startTestNode({
      api: { host: '127.0.0.1', port: 6443 },
      host: {
        images: {
          tiny: { root },
          greeter: { entrypoint: ['echo', 'hello'], cmd: ['world'], env: { GREETING: 'yes' } },
        },
      },
    });
    const metadata = { namespace: 'default', name: 'settings' };
    await here.plane.client.create(kinds.ConfigMap, { metadata, data: { colour: 'red', size: '3' } });
    await here.plane.client.create(kinds.Secret, {
      metadata,
      data: { password: Buffer.from('pass').toString('base64') },
    });
  });
  afterAll(async () => {
    await here[Symbol.asyncDispose]();
    rmSync(root, { recursive: true });
  });

  let count = 0;
  async function output(
    container: Partial<Container> & { name?: string },
    spec: Partial<PodSpec> = {},
    metadata: object = {},
  ): Promise<string> {
    const name = `pod-${count++}`;
    await here.run(
      name,
      { restartPolicy: 'Never', containers: [{ name: 'main', image: 'example', ...container }], ...spec },
      { ...metadata, name, namespace: 'default' },
    );
    const pod = await here.done(name);
    if (pod.status?.phase === 'Failed')
      throw new Error(JSON.stringify(pod.status.containerStatuses?.[0]?.state) + (await here.log(name)));
    return here.log(name);
  }
  const failing = async (container: Partial<Container>, spec: Partial<PodSpec> = {}) => {
    const name = `bad-${count++}`;
    await here.run(name, {
      restartPolicy: 'Never',
      containers: [{ name: 'main', image: 'example', ...container }],
      ...spec,
    });
    const pod = await here.until(name, ({ status }) => {
      const state = status?.containerStatuses?.[0]?.state;
      return state?.terminated !== undefined || (state?.waiting?.reason ?? 'ContainerCreating') !== 'ContainerCreating';
    });
    await expect.poll(async () => (await here.events(name)).map(({ reason }) => reason)).toContain('Failed');
    const [event] = (await here.events(name)).filter(({ reason }) => reason === 'Failed');
    return { state: pod.status?.containerStatuses?.[0]?.state, phase: pod.status?.phase, event: event?.message };
  };

  test('has the variables it asks for', async () => {
    const env: Container['env'] = [
      { name: 'A', value: 'a' },
      { name: 'B', value: '$(A)-$(colour)-$(NONE)-$$(A)' },
      { name: 'NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      { name: 'LABEL', valueFrom: { fieldRef: { fieldPath: "metadata.labels['tier']" } } },
      { name: 'LIMIT', valueFrom: { resourceFieldRef: { resource: 'limits.memory', divisor: '1Mi' } } },
      { name: 'SIZE', valueFrom: { configMapKeyRef: { name: 'settings', key: 'size' } } },
      { name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 'settings', key: 'password' } } },
      { name: 'MAYBE', valueFrom: { secretKeyRef: { name: 'none', key: 'x', optional: true } } },
    ];
    const text = await output(
      {
        command: ['env'],
        env,
        envFrom: [{ configMapRef: { name: 'settings' } }, { prefix: 'S_', secretRef: { name: 'settings' } }],
        resources: { limits: { memory: '64Mi' } },
      },
      {},
      { labels: { tier: 'back' } },
    );
    const lines = text.split('\n');
    for (const line of [
      'A=a',
      'B=a-red-$(NONE)-$(A)',
      'LABEL=back',
      'LIMIT=64',
      'SIZE=3',
      'PASSWORD=pass',
      'S_password=pass',
      'KUBERNETES_SERVICE_HOST=127.0.0.1',
      'KUBERNETES_SERVICE_PORT=6443',
      'HOME=/root',
    ])
      expect(lines).toContain(line);
    expect(text).not.toContain('MAYBE');
    expect(lines.find((line) => line.startsWith('NAME='))).toMatch(/^NAME=pod-/);
    expect(lines.find((line) => line.startsWith('HOSTNAME='))).toMatch(/^HOSTNAME=pod-/);
    // Nothing of the process that runs the node.
    expect(lines.filter((line) => /^(NODE|VITEST|USER|npm)/.test(line))).toEqual([]);
  });

  test('has a separate hostname, hosts file and working directory', async () => {
    const text = await output(
      {
        command: ['sh', '-c', 'hostname; pwd; grep -c other.example /etc/hosts; grep "$(hostname)" /etc/hosts | wc -l'],
        workingDir: '/workspace/source',
      },
      { hostname: 'box', hostAliases: [{ ip: '10.1.2.3', hostnames: ['other.example'] }] },
    );
    expect(text).toBe('box\n/workspace/source\n1\n1\n');
  });

  test('shows ConfigMaps, Secrets and its own fields as files', async () => {
    const volumes: PodSpec['volumes'] = [
      { name: 'cm', configMap: { name: 'settings', items: [{ key: 'colour', path: 'deep/colour.txt', mode: 0o400 }] } },
      { name: 'secret', secret: { secretName: 'settings', defaultMode: 0o440 } },
      { name: 'own', downwardAPI: { items: [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }] } },
      {
        name: 'all',
        projected: {
          sources: [
            { configMap: { name: 'settings' } },
            { secret: { name: 'settings' } },
            { configMap: { name: 'no', optional: true } },
          ],
        },
      },
    ];
    const script = `cd /v; cat cm/deep/colour.txt; echo; stat -L -c %a cm/deep/colour.txt secret/password; cat secret/password own/labels; echo; ls all; readlink cm/deep; ls -a cm | grep -c '^[.][.]2'; touch cm/x 2>&1 | grep -o 'Read-only.*'`;
    const volumeMounts = ['cm', 'secret', 'own', 'all'].map((name) => ({ name, mountPath: `/v/${name}` }));
    const text = await output(
      { command: ['sh', '-c', script], volumeMounts },
      { volumes },
      { labels: { a: '1', b: '2' } },
    );
    expect(text).toBe(
      'red\n400\n440\npassa="1"\nb="2"\ncolour\npassword\nsize\n..data/deep\n1\nRead-only file system\n',
    );
  });

  test('shares an emptyDir between its containers, and nothing else', async () => {
    await here.run('shared', {
      restartPolicy: 'Never',
      volumes: [
        { name: 'v', emptyDir: {} },
        { name: 'm', emptyDir: { medium: 'Memory' } },
      ],
      initContainers: [
        shell('echo from init >/data/file; echo x >/tmp/private; echo m >/memory/m', {
          name: 'init',
          volumeMounts: [
            { name: 'v', mountPath: '/data' },
            { name: 'm', mountPath: '/memory' },
          ],
        }),
      ],
      containers: [
        shell(
          'cat /data/file /memory/m; ls /tmp; stat -c %a /data; df -T /memory | tail -1 | cut -d" " -f1; mkdir /data/sub/x',
          {
            volumeMounts: [
              { name: 'v', mountPath: '/data' },
              { name: 'm', mountPath: '/memory', readOnly: true },
              { name: 'v', mountPath: '/etc/nested/here', subPath: 'sub' },
            ],
          },
        ),
      ],
    });
    await here.done('shared');
    expect(await here.log('shared', { container: 'main' })).toBe('from init\nm\n777\ntmpfs\n');
    await expect
      .poll(() => readdirSync(join(here.dataDir, 'pods')))
      .not.toContain((await here.get('shared')).metadata.uid);
  });

  test('has to go when it fills an emptyDir beyond its limit', async () => {
    await here.run('filler', {
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 1,
      volumes: [{ name: 'v', emptyDir: { sizeLimit: '1Mi' } }],
      containers: [
        shell('head -c 2000000 /dev/zero >/v/file; sleep 30', { volumeMounts: [{ name: 'v', mountPath: '/v' }] }),
      ],
    });
    const pod = await here.until('filler', ({ status }) => status?.phase === 'Failed', 18_000);
    expect(pod.status).toMatchObject({
      reason: 'Evicted',
      message: 'Usage of EmptyDir volume "v" exceeds the limit "1Mi". ',
    });
  });

  test('mounts folders of the machine, and keeps what is written there', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'host-path-'));
    const volumes = [{ name: 'v', hostPath: { path: folder, type: 'Directory' } }];
    const volumeMounts = [
      { name: 'v', mountPath: '/data' },
      { name: 'v', mountPath: '/by-name', subPathExpr: '$(WHO)/files' },
    ];
    await output(
      {
        command: ['sh', '-c', 'echo kept >/data/file; echo mine >/by-name/file'],
        env: [{ name: 'WHO', value: 'me' }],
        volumeMounts,
      },
      { volumes },
    );
    expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('kept\n');
    expect(readFileSync(join(folder, 'me/files/file'), 'utf8')).toBe('mine\n');
    rmSync(folder, { recursive: true });
  });

  test('mounts files over those that the node makes, and at the top of the root', async () => {
    await here.plane.client.create(kinds.ConfigMap, {
      metadata: { namespace: 'default', name: 'files' },
      data: { hosts: '1.2.3.4 special\n', top: 'at the top\n' },
    });
    const volumes = [{ name: 'v', configMap: { name: 'files' } }];
    const volumeMounts = [
      { name: 'v', mountPath: '/etc/hosts', subPath: 'hosts' },
      { name: 'v', mountPath: '/etc/resolv.conf', subPath: 'top' },
      { name: 'v', mountPath: '/top', subPath: 'top' },
    ];
    expect(
      await output({ command: ['cat', '/etc/hosts', '/etc/resolv.conf', '/top'], volumeMounts }, { volumes }),
    ).toBe('1.2.3.4 special\nat the top\nat the top\n');
  });

  test('mounts the folder of a claim that is bound', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'claim-'));
    const { client } = here.plane;
    const capacity = { storage: '1Gi' };
    await client.create(kinds.PersistentVolume, {
      metadata: { name: 'pv' },
      spec: { capacity, accessModes: ['ReadWriteOnce'], hostPath: { path: folder }, storageClassName: '' },
    });
    const metadata = { namespace: 'default', name: 'claim' };
    await client.create(kinds.PersistentVolumeClaim, {
      metadata,
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: capacity },
        volumeName: 'pv',
        storageClassName: '',
      },
    });
    const running = output(
      { command: ['sh', '-c', 'echo data >/data/file'], volumeMounts: [{ name: 'v', mountPath: '/data' }] },
      { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'claim' } }] },
    );
    await client.patchStatus(
      kinds.PersistentVolumeClaim,
      metadata,
      mergePatch({ status: { phase: 'Bound', capacity, accessModes: ['ReadWriteOnce'] } }),
    );
    await running;
    expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('data\n');
    rmSync(folder, { recursive: true });
  });

  test('sees its volumes change when their objects do, all at once', async () => {
    const metadata = { namespace: 'default', name: 'fresh' };
    await here.plane.client.create(kinds.ConfigMap, { metadata, data: { a: '1', b: '1' } });
    await here.run('reader', {
      restartPolicy: 'Never',
      volumes: [
        { name: 'v', configMap: { name: 'fresh' } },
        {
          name: 'own',
          downwardAPI: { items: [{ path: 'a', fieldRef: { fieldPath: "metadata.annotations['note']" } }] },
        },
      ],
      containers: [
        shell('while [ "$(cat /v/a)$(cat /own/a)" != 2new ]; do sleep 0.02; done; cat /v/b; ls /v', {
          volumeMounts: [
            { name: 'v', mountPath: '/v' },
            { name: 'own', mountPath: '/own' },
          ],
        }),
      ],
    });
    await here.until('reader', ({ status }) => status?.phase === 'Running');
    await here.plane.client.patch(kinds.ConfigMap, metadata, mergePatch({ data: { a: '2', b: '2', c: '2' } }));
    await here.plane.client.patch(
      kinds.Pod,
      { namespace: 'default', name: 'reader' },
      mergePatch({ metadata: { annotations: { note: 'new' } } }),
    );
    await here.done('reader');
    expect(await here.log('reader')).toBe('2a\nb\nc\n');
  });

  test('keeps the content of its volumes when their objects are deleted, and records Events', async () => {
    const metadata = { namespace: 'default', name: 'short' };
    await here.plane.client.create(kinds.ConfigMap, { metadata, data: { a: '1' } });
    await here.run('keeper', {
      volumes: [{ name: 'v', configMap: { name: 'short' } }],
      containers: [shell('sleep 60', { volumeMounts: [{ name: 'v', mountPath: '/v' }] })],
    });
    await here.until('keeper', ({ status }) => status?.phase === 'Running');
    await here.plane.client.delete(kinds.ConfigMap, metadata);
    // Volumes are updated when the Pod fields that they show may have changed.
    await here.plane.client.patch(
      kinds.Pod,
      { namespace: 'default', name: 'keeper' },
      mergePatch({ metadata: { labels: { look: 'again' } } }),
    );
    await expect
      .poll(async () => (await here.plane.client.list(kinds.Event)).items.map(({ reason }) => reason), {
        timeout: 5000,
      })
      .toContain('FailedMount');
    expect(here.errors).toEqual([]);
  });

  test('gets a token of its account, bound to itself', async () => {
    await here.plane.client.create(kinds.ServiceAccount, { metadata: { namespace: 'default', name: 'builder' } });
    const sources = [{ serviceAccountToken: { path: 'token', audience: 'api', expirationSeconds: 3600 } }];
    const token = await output(
      {
        command: ['cat', '/var/run/secrets/tokens/token'],
        volumeMounts: [{ name: 't', mountPath: '/var/run/secrets/tokens' }],
      },
      { serviceAccountName: 'builder', volumes: [{ name: 't', projected: { sources } }] },
    );
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    expect(claims).toMatchObject({ aud: ['api'], sub: 'system:serviceaccount:default:builder' });
    expect(claims['kubernetes.io'].pod.name).toMatch(/^pod-/);
  });

  test('runs what an image is mapped to', async () => {
    expect(await output({ image: 'registry.example/greeter:v1' })).toBe('hello world\n');
    expect(await output({ image: 'greeter', args: ['you'] })).toBe('hello you\n');
  });

  test('has the root that its image is mapped to, and nothing of the machine', async () => {
    const text = await output(
      {
        image: 'tiny',
        command: [
          'sh',
          '-c',
          'echo /*; echo /usr/*; [ -e /usr/bin/setpriv ] && echo machine; echo x >/tmp/x && read y </tmp/x && echo $y; echo z >/usr/y',
        ],
        volumeMounts: [{ name: 'v', mountPath: '/data/here' }],
      },
      { volumes: [{ name: 'v', emptyDir: {} }], securityContext: { runAsUser: 1234 } },
    ).catch((error: Error) => error.message);
    expect(text).toContain('/bin /data /dev /etc');
    expect(text).toContain('/usr/own\nx\n');
    expect(text).toContain('cannot create /usr/y: Read-only file system');
  });

  test('says what is wrong when it cannot start', async () => {
    expect(await failing({ command: ['no-such-program'] })).toMatchObject({
      phase: 'Failed',
      state: {
        terminated: {
          exitCode: 128,
          reason: 'StartError',
          message: expect.stringContaining('exec: "no-such-program": executable file not found in $PATH'),
        },
      },
      event: expect.stringContaining('Error: failed to create containerd task'),
    });
    expect(await failing({ command: ['null\0byte'] })).toMatchObject({
      phase: 'Failed',
      state: { terminated: { reason: 'StartError', message: expect.stringContaining('null bytes') } },
    });
    expect(await failing({ command: ['/etc/passwd'] })).toMatchObject({
      state: { terminated: { message: expect.stringContaining('permission denied') } },
    });
    expect(await failing({ image: 'unheard-of:1.0' })).toMatchObject({
      phase: 'Pending',
      state: {
        waiting: {
          reason: 'CreateContainerError',
          message: expect.stringMatching(/no command specified.*"unheard-of:1.0"/s),
        },
      },
    });
    expect(await failing({ command: ['true'], securityContext: { runAsNonRoot: true } })).toMatchObject({
      state: {
        waiting: {
          reason: 'CreateContainerConfigError',
          message: expect.stringContaining('container has runAsNonRoot and image will run as root'),
        },
      },
    });
    expect(await failing({ command: ['true'], securityContext: { capabilities: { add: ['FLY'] } } })).toMatchObject({
      state: {
        waiting: { reason: 'CreateContainerError', message: expect.stringContaining('unknown capability "CAP_FLY"') },
      },
    });
    expect(await failing({ command: ['true'], workingDir: '/proc/nowhere' })).toMatchObject({
      state: {
        terminated: { reason: 'StartError', message: expect.stringContaining('chdir to cwd ("/proc/nowhere")') },
      },
    });
    expect(await failing({ command: ['true'], terminationMessagePath: '/tmp' })).toMatchObject({
      state: { terminated: { reason: 'StartError', message: expect.stringContaining('Not a directory') } },
    });
    expect(
      await failing({
        command: ['true'],
        env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'settings', key: 'none' } } }],
      }),
    ).toMatchObject({
      state: {
        waiting: { reason: 'CreateContainerConfigError', message: "couldn't find key none in Secret default/settings" },
      },
    });
  });

  test('leaves its last words in its status', async () => {
    await here.run('words', {
      restartPolicy: 'Never',
      containers: [
        shell('head -c 5000 /dev/zero | tr "\\0" x >/last/words', {
          name: 'long',
          terminationMessagePath: '/last/words',
        }),
        shell('echo one; echo two; exit 1', { name: 'logs', terminationMessagePolicy: 'FallbackToLogsOnError' }),
        shell('rm -f /dev/termination-log; ln -sf /etc/passwd /dev/termination-log; exit 1', { name: 'sly' }),
      ],
    });
    const pod = await here.done('words');
    const message = (name: string) =>
      pod.status?.containerStatuses?.find((one) => one.name === name)?.state?.terminated?.message;
    expect(message('long')).toBe('x'.repeat(4096));
    expect(message('logs')).toBe('one\ntwo\n');
    expect(message('sly')).toBeUndefined();
  });

  test('has the sysctls of its own that it asks for', async () => {
    const name = 'kernel.shm_rmid_forced';
    const read = (sysctls: { name: string; value: string }[]) =>
      output(shell(`cat /proc/sys/${name.replace('.', '/')}`), { securityContext: { sysctls } });
    expect([await read([]), await read([{ name, value: '1' }])]).toEqual(['0\n', '1\n']);
  });

  test('is rejected with a sysctl that could harm others', async () => {
    const securityContext = { sysctls: [{ name: 'kernel.msgmax', value: '8192' }] };
    await here.run('sysctl', { securityContext, containers: [shell('true')] });
    const { status } = await here.done('sysctl');
    expect(status).toMatchObject({
      phase: 'Failed',
      reason: 'SysctlForbidden',
      message: 'Pod was rejected: forbidden sysctl: "kernel.msgmax" not allowlisted',
    });
  });

  test('is ended by the kernel when it takes more memory than it may', async () => {
    await here.run('greedy', {
      restartPolicy: 'Never',
      containers: [shell('x=a; while :; do x=$x$x; done', { resources: { limits: { memory: '20Mi' } } })],
    });
    const pod = await here.done('greedy');
    expect(pod.status?.containerStatuses?.[0]?.state?.terminated).toMatchObject({ exitCode: 137, reason: 'OOMKilled' });
  });

  test('ends at once when it is deleted, with all its processes', async () => {
    await here.run('tree', {
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 1,
      containers: [shell('sleep 98765 & sleep 98765 & wait')],
    });
    await here.until('tree', ({ status }) => status?.phase === 'Running');
    await here.plane.client.delete(kinds.Pod, { namespace: 'default', name: 'tree' });
    await expect
      .poll(
        () =>
          here.get('tree').then(
            () => 'there',
            () => 'gone',
          ),
        { timeout: 10_000 },
      )
      .toBe('gone');
    const processes = readdirSync('/proc').filter(
      (pid) =>
        /^\d+$/.test(pid) && existsSync(`/proc/${pid}/cmdline`) && safeRead(`/proc/${pid}/cmdline`).includes('98765'),
    );
    expect(processes).toEqual([]);
  });

  test('runs a program in a running container', async () => {
    await here.run('open', {
      restartPolicy: 'Never',
      containers: [shell('echo inside >/tmp/mark; sleep 5', { env: [{ name: 'WHERE', value: 'here' }] })],
      securityContext: { runAsUser: 1234 },
    });
    const pod = await here.until('open', ({ status }) => status?.phase === 'Running');
    let text = '';
    const exec = (...command: string[]) =>
      here.node.exec(pod, 'main', {
        command,
        onOutput: (stream, chunk) => {
          text += `${stream}: ${Buffer.from(chunk).toString()}`;
        },
      });
    await expect.poll(async () => (await exec('cat', '/tmp/mark')).exitCode).toBe(0);
    text = '';
    expect(await exec('sh', '-c', 'id -u; echo $WHERE; cat /tmp/mark; hostname; exit 7')).toEqual({ exitCode: 7 });
    expect(text.replaceAll('stdout: ', '')).toBe('1234\nhere\ninside\nopen\n');
    await expect(exec('no-such-program')).rejects.toThrow('executable file not found in $PATH');
    const open = () => readdirSync('/proc/self/fd').length;
    const before = open();
    for (let i = 0; i < 20; i++) await expect(exec('null\0byte')).rejects.toThrow('null bytes');
    expect(open()).toBeLessThan(before + 10);
  });

  test('can be attached to, with input', async () => {
    await here.run('attached', {
      restartPolicy: 'Never',
      containers: [shell('read word; echo "got $word"; echo bad >&2; exit 2', { stdin: true, stdinOnce: true })],
    });
    const pod = await here.until('attached', ({ status }) => status?.phase === 'Running');
    let text = '';
    const stdin = new PassThrough();
    const attached = here.node.attach(pod, 'main', {
      stdin,
      onOutput: (stream, chunk) => {
        text += `${stream}: ${Buffer.from(chunk).toString()}`;
      },
    });
    stdin.write('something\n');
    await attached;
    expect(text).toContain('stdout: got something\n');
    expect(text).toContain('stderr: bad\n');
    expect((await here.done('attached')).status?.containerStatuses?.[0]?.state?.terminated?.exitCode).toBe(2);
  });

  test('gives a terminal to a program that is run in it', async () => {
    await here.run('terminal', { restartPolicy: 'Never', containers: [shell('sleep 5')] });
    const pod = await here.until('terminal', ({ status }) => status?.phase === 'Running');
    let text = '';
    const stdin = new PassThrough();
    const resized = (async function* () {
      await expect.poll(() => text).toContain('ready');
      yield { rows: 33, columns: 77 };
      stdin.write('go\n');
    })();
    const command = [
      'sh',
      '-c',
      'test -t 0 && test -t 1 && echo ready $TERM; read word; echo $word; stty size; exit 4',
    ];
    const onOutput = (_: string, chunk: Uint8Array) => {
      text += Buffer.from(chunk).toString();
    };
    expect(await here.node.exec(pod, 'main', { command, stdin, tty: true, sizes: resized, onOutput })).toEqual({
      exitCode: 4,
    });
    expect(text).toBe('ready xterm\r\ngo\r\ngo\r\n33 77\r\n');
  });

  test('has a terminal when it asks for one, whose size follows who is attached', async () => {
    const script = 'test -t 0 && test -t 1 && test -t 2 && tty; read word; echo "got $word"; stty size; exit 3';
    await here.run('console', {
      restartPolicy: 'Never',
      containers: [shell(script, { stdin: true, stdinOnce: true, tty: true })],
    });
    const pod = await here.until('console', ({ status }) => status?.phase === 'Running');
    const stdin = new PassThrough();
    const sizes = (async function* () {
      yield { rows: 22, columns: 66 };
    })();
    const attached = here.node.attach(pod, 'main', { stdin, sizes, onOutput: () => undefined });
    // The size is sent before the input, on another way.
    await expect.poll(async () => (await here.log('console')).includes('/dev/pts/0')).toBe(true);
    const size = { text: '' };
    const onOutput = (_: string, chunk: Uint8Array) => {
      size.text += Buffer.from(chunk).toString();
    };
    const command = ['sh', '-c', 'stty size </dev/pts/0'];
    await expect
      .poll(async () => {
        await here.node.exec(pod, 'main', { command, onOutput });
        return size.text;
      })
      .toContain('22 66');
    stdin.write('something\n');
    await attached;
    expect((await here.done('console')).status?.containerStatuses?.[0]?.state?.terminated?.exitCode).toBe(3);
    expect(await here.log('console')).toBe('/dev/pts/0\r\nsomething\r\ngot something\r\n22 66\r\n');
  });

  test('shares its processes between containers when it asks for it', async () => {
    await here.run('family', {
      restartPolicy: 'Never',
      shareProcessNamespace: true,
      containers: [
        shell('sleep 3', { name: 'quiet' }),
        shell(
          'for i in 1 2 3 4 5 6 7 8 9 10; do grep -lsa "^sleep" /proc/[0-9]*/cmdline | grep -q . && break; sleep 0.1; done; cat /proc/[0-9]*/cmdline | tr "\\0" " " | grep -o "sleep 3"',
          { name: 'curious' },
        ),
      ],
    });
    await here.done('family');
    expect(await here.log('family', { container: 'curious' })).toContain('sleep 3');
  });

  test('runs its hooks', async () => {
    await here.run('hooked', {
      restartPolicy: 'Never',
      volumes: [{ name: 'v', emptyDir: {} }],
      initContainers: [],
      containers: [
        shell('trap "cat /v/*; exit 0" TERM; while :; do sleep 0.05; done', {
          volumeMounts: [{ name: 'v', mountPath: '/v' }],
          lifecycle: {
            postStart: { exec: { command: ['sh', '-c', 'echo begin >/v/1'] } },
            preStop: { exec: { command: ['sh', '-c', 'echo end >/v/2'] } },
          },
        }),
        shell('sleep 0.3', { name: 'short' }),
      ],
      activeDeadlineSeconds: 2,
    });
    await here.until(
      'hooked',
      ({ status }) => status?.phase === 'Failed' && status.containerStatuses?.[0]?.state?.terminated !== undefined,
    );
    expect(await here.log('hooked', { container: 'main' })).toBe('begin\nend\n');
  });

  test('gives its log from where and as much as one asks', async () => {
    await here.run('talker', {
      restartPolicy: 'Never',
      containers: [shell('for i in 1 2 3 4 5; do echo line $i; done; printf unfinished')],
    });
    await here.done('talker');
    expect(await here.log('talker', { tailLines: 2 })).toBe('line 5\nunfinished');
    expect(await here.log('talker', { tailLines: 1, timestamps: true })).toMatch(
      /^\d{4}-\d\d-\d\dT[\d:.]+Z unfinished$/,
    );
    await expect(here.log('talker', { previous: true })).rejects.toThrow(
      'previous terminated container "main" in pod "talker" not found',
    );
  });
});

const libraryLister = 'ldd';

/** A root with nothing but a shell. */
function tinyRoot(): string {
  const root = mkdtempSync(join(tmpdir(), 'tiny-root-'));
  const files = [
    '/bin/sh',
    ...execFileSync(libraryLister, ['/bin/sh'], { encoding: 'utf8' }).matchAll(/(\/[^\s()]+) \(0x/g),
  ].map((file) => (typeof file === 'string' ? file : (file[1] as string)));
  for (const file of files) {
    mkdirSync(join(root, dirname(file)), { recursive: true });
    copyFileSync(file, join(root, file));
  }
  for (const folder of ['usr/own', 'etc']) mkdirSync(join(root, folder), { recursive: true });
  return root;
}

function safeRead(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
