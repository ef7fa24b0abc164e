import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { kinds } from '@tektite/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { shell, startTestNode, type TestNode } from '../test-support.ts';

/** Attacks of a user who can create Pods and wants more. */
describe('a container on this machine', () => {
  let here: TestNode;
  let count = 0;
  beforeAll(async () => {
    here = await startTestNode();
  });
  afterAll(() => here[Symbol.asyncDispose]());

  /** Runs a script in a Pod and gives what it printed. */
  async function attempt(script: string, spec: object = {}, container: object = {}): Promise<string> {
    const name = `try-${count++}`;
    await here.run(name, { restartPolicy: 'Never', containers: [shell(`exec 2>&1\n${script}`, container)], ...spec });
    await here.done(name);
    return here.log(name);
  }

  test('cannot write the files of the machine, but its own root and temporary folders', async () => {
    // A name that no other program has taken.
    const own = `isolation-${process.pid}`;
    const output = await attempt(`
      for d in /usr /etc /var /opt /bin /lib; do
        { echo bad >$d/${own}; } 2>/dev/null && echo "wrote $d"
      done
      for f in /proc/sys/kernel/core_pattern /sys/kernel/uevent_helper; do
        { echo bad >$f; } 2>/dev/null && echo "wrote $f"
      done
      for d in '' /dev /tmp /root /home /var/tmp /run /dev/shm; do echo ok >$d/${own} || echo "no $d"; done
      ls /tmp`);
    expect(output).toBe(`${own}\n`);
    for (const folder of ['/', '/dev', '/tmp', '/root']) expect(existsSync(`${folder}/${own}`)).toBe(false);
  });

  test('sees no processes but its own, and nothing of the machine behind them', async () => {
    const output = await attempt(
      'ls -d /proc/[0-9]* | wc -l; readlink /proc/1/root; ls /proc/1/root/root /proc/1/cwd/root; cat /proc/keys; ls /proc/acpi',
    );
    const [processes, root, ...rest] = output.split('\n');
    expect(Number(processes)).toBeLessThanOrEqual(4);
    expect(root).toBe('/');
    expect(rest.filter((line) => line !== '' && !line.startsWith('/proc/1') && !line.includes('No such file'))).toEqual(
      [],
    );
  });

  test("cannot see the node's own data, homes, keys and sockets", async () => {
    writeFileSync('/tmp/tektite-isolation-secret', 'secret');
    const output = await attempt(`
      ls ${here.dataDir}
      cat /etc/shadow; cat /tmp/tektite-isolation-secret
      ls /root /home /run /var/log /var/lib/docker 2>/dev/null`);
    rmSync('/tmp/tektite-isolation-secret');
    expect(output).not.toContain('pods');
    expect(output).not.toMatch(/^root:[*!$]/m);
    expect(output).not.toMatch(/^secret/m);
    expect(output).not.toContain('docker.sock');
  });

  test('sees a list of folders of the machine, and not the machine less a list', async () => {
    const [root = '', etc = ''] = (await attempt('ls -A / | tr "\\n" " "; echo; ls -A /etc | tr "\\n" " "')).split(
      '\n',
    );
    const known =
      'bin sbin lib lib32 lib64 libx32 usr nix gnu etc var dev proc sys tmp run root home boot media mnt opt srv';
    expect(
      root
        .trim()
        .split(' ')
        .filter((name) => !known.split(' ').includes(name)),
    ).toEqual([]);
    for (const secret of ['shadow', 'sudoers', 'ssh', 'kubernetes', 'apt', 'gitconfig', 'npmrc', 'pip.conf', 'subuid'])
      expect(etc.split(' ')).not.toContain(secret);
    expect(
      await attempt('find /srv /opt /mnt /media /boot /var/lib /var/log /etc/ssl/private -mindepth 1; echo end'),
    ).toBe('end\n');
  });

  test.runIf(process.getuid?.() === 0)('cannot see a data folder, wherever that lies', async () => {
    for (const parent of ['/srv', '/opt', '/var/lib', '/usr/local', '/mnt', '/']) {
      const dataDir = mkdtempSync(join(parent, 'tektite-test-'));
      writeFileSync(join(dataDir, 'ca.key'), 'secret');
      try {
        await using node = await startTestNode({ host: { hide: [dataDir] } });
        await node.run('try', {
          restartPolicy: 'Never',
          containers: [shell(`cat ${dataDir}/ca.key; ls ${dataDir}; true`)],
        });
        await node.done('try');
        expect([parent, await node.log('try')]).toEqual([parent, expect.not.stringMatching(/secret|ca\.key$/m)]);
      } finally {
        rmSync(dataDir, { recursive: true });
      }
    }
  });

  test('finds what programs need: users, certificates, alternatives, words and times', async () => {
    const output = await attempt(`
      id -un 0; getent hosts localhost >/dev/null && echo resolves
      awk 'BEGIN { print "awk" }'; date +%Z >/dev/null && echo time
      test -d /etc/ssl/certs -o -d /etc/pki && echo certificates
      test -d /var/lib -a -w /var/tmp && echo var`);
    expect(output).toBe('root\nresolves\nawk\ntime\ncertificates\nvar\n');
  });

  test('holds nothing open but its own input and output', async () => {
    const list = (pid: string) =>
      `find /proc/${pid}/fd -mindepth 1 ! -name 0 ! -name 1 ! -name 2 -printf '%f %l\\n'; echo end`;
    expect(await attempt(list('1'))).toBe('end\n');
    await here.run('held', { restartPolicy: 'Never', containers: [shell('sleep 3')] });
    const pod = await here.until('held', ({ status }) => status?.phase === 'Running');
    let text = '';
    const onOutput = (_: string, chunk: Uint8Array) => {
      text += Buffer.from(chunk).toString();
    };
    await here.node.exec(pod, 'main', { command: ['sh', '-c', list('$$')], onOutput });
    expect(text).toBe('end\n');
  });

  test('cannot mount, remount, unmount, make devices or leave its root', async () => {
    const output = await attempt(`
      mount -t tmpfs tmpfs /mnt && echo MOUNTED
      mount -o remount,rw /usr && echo REMOUNTED
      mount -o remount,bind,rw / && echo REMOUNTED
      umount /proc && echo UNMOUNTED
      umount -l /etc && echo UNMOUNTED
      mknod /tmp/disk b 254 0 && echo MKNOD
      chroot /tmp true && echo CHROOT
      nsenter -t 1 -m true && echo NSENTER
      unshare -m true && echo UNSHARED
      grep -E 'NoNewPrivs|CapEff|CapBnd' /proc/self/status`);
    expect(output).not.toMatch(/^[A-Z]{4,}$/m);
    expect(output).toMatch(/NoNewPrivs:\s*1/);
    // No SYS_ADMIN, MKNOD, NET_RAW, SYS_CHROOT, SYS_PTRACE.
    const effective = BigInt(`0x${/CapEff:\s*([0-9a-f]+)/.exec(output)?.[1]}`);
    for (const bit of [21n, 27n, 13n, 18n, 19n]) expect(effective & (1n << bit)).toBe(0n);
  });

  test('gains nothing by a new user namespace', async () => {
    const output = await attempt(`
      unshare -U -r -m sh -c 'mount -o remount,bind,rw /usr && touch /usr/x && echo WROTE; umount -l /var/log && ls /var/log && echo SAW; umount -l /etc/shadow && cat /etc/shadow && echo READ'
      true`);
    expect(output).not.toMatch(/WROTE|SAW|READ|root:/);
    expect(existsSync('/usr/x')).toBe(false);
  });

  test('gets no right by what it sets for its start', async () => {
    const env = [
      { name: 'LD_PRELOAD', value: '/nowhere/evil.so' },
      { name: 'PATH', value: '/nowhere:/usr/bin:/bin' },
      { name: 'IFS', value: 'x' },
      { name: 'ENV', value: '/nowhere' },
      { name: 'strange.name', value: "it's $(id) `id`" },
    ];
    const output = await attempt('', {}, { env, command: ['env'] });
    expect(output).toContain('LD_PRELOAD=/nowhere/evil.so');
    expect(output).toContain("strange.name=it's $(id) `id`");
  });

  test('cannot cover its root, or what the kernel shows, by a volume', async () => {
    for (const mountPath of ['/proc', '/proc/self', '/proc/sys/kernel', '/sys', '/sys/fs', '/']) {
      const name = `cover-${count++}`;
      await here.run(name, {
        restartPolicy: 'Never',
        containers: [shell('true', { volumeMounts: [{ name: 'v', mountPath }] })],
        volumes: [{ name: 'v', emptyDir: {} }],
      });
      const pod = await here.until(
        name,
        ({ status }) => status?.containerStatuses?.[0]?.state?.waiting?.reason === 'CreateContainerError',
      );
      expect(pod.status?.containerStatuses?.[0]?.state?.waiting?.message).toContain('cannot mount at');
    }
  });

  test('may cover the settings of the machine, which do nothing to what starts it', async () => {
    for (const mountPath of ['/etc', '/lib', '/usr/sbin']) {
      const name = `cover-${count++}`;
      const library = { name: 'LD_PRELOAD', value: '/etc/evil.so' };
      await here.run(name, {
        restartPolicy: 'Never',
        initContainers: [
          shell('echo /v/evil.so >/v/ld.so.preload; echo x >/v/evil.so', {
            name: 'prepare',
            volumeMounts: [{ name: 'v', mountPath: '/v' }],
          }),
        ],
        containers: [
          shell('', { command: ['/no/such/program'], env: [library], volumeMounts: [{ name: 'v', mountPath }] }),
        ],
        volumes: [{ name: 'v', emptyDir: {} }],
      });
      const pod = await here.done(name);
      expect(pod.status?.containerStatuses?.[0]?.state?.terminated?.message).toContain(
        'exec: "/no/such/program": stat /no/such/program: no such file or directory',
      );
    }
  });

  test('is started and entered by programs that nothing in its root or volumes can replace', async () => {
    const name = `cover-${count++}`;
    const volumeMounts = [{ name: 'v', mountPath: '/usr/sbin' }];
    const script = 'mkfifo /tmp/p; echo ready >/tmp/ready; mv /lib64 /elsewhere; read x </tmp/p';
    const readinessProbe = { exec: { command: ['/tmp/ready'] }, periodSeconds: 1 };
    await here.run(name, {
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 0,
      containers: [shell(script, { volumeMounts, readinessProbe })],
      volumes: [{ name: 'v', emptyDir: {} }],
    });
    // The probe reaches its program through tools that the container does not control. Earlier probes may have come
    // before the container had written the program, and have separate Events.
    const unhealthy = async () =>
      (await here.events(name)).filter(({ reason }) => reason === 'Unhealthy').map(({ message }) => message);
    const denied = expect.stringContaining('exec: "/tmp/ready": permission denied') as string;
    await expect.poll(unhealthy, { timeout: 10_000 }).toContainEqual(denied);
  });

  test('cannot leave a volume by links or dots in a subPath', async () => {
    const folder = join(here.dataDir, '..', `volume-${count++}-${process.pid}`);
    mkdirSync(folder);
    symlinkSync('/etc', join(folder, 'escape'));
    const volumes = [{ name: 'v', hostPath: { path: folder } }];
    const name = 'subpath-link';
    const volumeMounts = [{ name: 'v', mountPath: '/mnt', subPath: 'escape/ssl' }];
    await here.run(name, { restartPolicy: 'Never', volumes, containers: [shell('ls /mnt', { volumeMounts })] });
    const pod = await here.until(
      name,
      ({ status }) => status?.containerStatuses?.[0]?.state?.waiting?.reason === 'CreateContainerConfigError',
    );
    expect(pod.status?.containerStatuses?.[0]?.state?.waiting?.message).toContain('failed to prepare subPath');
    await here.run('nested-link', {
      restartPolicy: 'Never',
      volumes,
      containers: [
        shell('ls /mnt/escape', {
          volumeMounts: [
            { name: 'v', mountPath: '/mnt' },
            { name: 'v', mountPath: '/mnt/escape/inside' },
          ],
        }),
      ],
    });
    const nested = await here.until(
      'nested-link',
      ({ status }) => status?.containerStatuses?.[0]?.state?.waiting?.reason === 'CreateContainerError',
    );
    expect(nested.status?.containerStatuses?.[0]?.state?.waiting?.message).toContain('leads through a link');
    rmSync(folder, { recursive: true });
  }, 30_000);

  test("cannot mount the node's own folder", async () => {
    await here.run('steal', {
      restartPolicy: 'Never',
      volumes: [{ name: 'v', hostPath: { path: join(here.dataDir, 'pods') } }],
      containers: [shell('ls /mnt', { volumeMounts: [{ name: 'v', mountPath: '/mnt' }] })],
    });
    await expect
      .poll(async () => (await here.events('steal')).map(({ message }) => message).join())
      .toContain('where this node keeps its own data');
  });

  test('cannot read the secrets of another Pod', async () => {
    await here.plane.client.create(kinds.Secret, {
      metadata: { namespace: 'default', name: 'key' },
      stringData: { key: 'sesame' },
    } as never);
    await here.run('owner', {
      restartPolicy: 'Never',
      volumes: [{ name: 'v', secret: { secretName: 'key' } }],
      containers: [shell('cat /mnt/key; sleep 3', { volumeMounts: [{ name: 'v', mountPath: '/mnt' }] })],
    });
    await here.until('owner', ({ status }) => status?.phase === 'Running');
    const output = await attempt(
      `grep -r sesame / --include=key -s -l --exclude-dir=proc --exclude-dir=sys --exclude-dir=usr | head; ls ${here.dataDir}/pods`,
    );
    expect(output).not.toContain('key');
    expect(readFileSync('/proc/mounts', 'utf8')).not.toContain(here.dataDir);
  });

  test('runs as the user it names, who owns nothing else', async () => {
    const output = await attempt(
      'id -u; id -g; id -G; touch /usr/x; cat /etc/hostname; echo out >/dev/stdout; grep CapEff /proc/self/status',
      {
        securityContext: { runAsUser: 1234, runAsGroup: 2345, supplementalGroups: [3456], fsGroup: 4567 },
      },
    );
    const lines = output.split('\n');
    expect(lines.slice(0, 3)).toEqual(['1234', '2345', '2345 3456 4567']);
    expect(output).toContain('out\n');
    expect(output).toMatch(/CapEff:\s*0{16}/);
  });
});
