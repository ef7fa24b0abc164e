import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { shell, startTestNode, type TestNode } from '../test-support.ts';
import { sandboxLanes } from './test-support.ts';

describe.each(sandboxLanes('seccomp-profile'))('system calls of containers, by the program %s', (_, sandbox) => {
  let here: TestNode;
  let count = 0;
  beforeAll(async () => {
    here = await startTestNode({ host: { sandbox } });
    mkdirSync(join(here.dataDir, 'seccomp'));
    const write = (name: string, profile: object) =>
      writeFileSync(join(here.dataDir, 'seccomp', name), JSON.stringify(profile));
    write('no-folders.json', {
      defaultAction: 'SCMP_ACT_ALLOW',
      syscalls: [
        { names: ['mkdir', 'mkdirat'], action: 'SCMP_ACT_ERRNO', errnoRet: 28 },
        {
          names: ['kill'],
          action: 'SCMP_ACT_ERRNO',
          args: [{ index: 1, value: 10, op: 'SCMP_CMP_GE' }],
        },
      ],
    });
    write('broken.json', { defaultAction: 'SCMP_ACT_FLY' });
  });
  afterAll(() => here[Symbol.asyncDispose]());

  async function output(script: string, securityContext: object): Promise<string> {
    const name = `filtered-${count++}`;
    await here.run(name, { restartPolicy: 'Never', containers: [shell(`exec 2>&1; ${script}`, { securityContext })] });
    await here.done(name);
    return here.log(name);
  }

  const mode = "sed -n 's/^Seccomp:[^0-9]*//p' /proc/self/status";
  const add = { capabilities: { add: ['SYS_ADMIN'] } };

  test('are filtered unless the Pod says otherwise', async () => {
    expect(await output(mode, {})).toBe('2\n');
    expect(await output(mode, { seccompProfile: { type: 'RuntimeDefault' } })).toBe('2\n');
    expect(await output(mode, { seccompProfile: { type: 'Unconfined' } })).toBe('0\n');
    expect(await output(mode, { privileged: true })).toBe('0\n');
  });

  test('cannot make namespaces or read keys, unless a capability allows it', async () => {
    const script = 'unshare -U true; unshare -m true && echo mounts';
    expect(await output(script, {})).toBe('unshare: unshare failed: Operation not permitted\n'.repeat(2));
    expect(await output(script, add)).toContain('mounts');
  });

  test('follow a profile of the machine, with its errors and conditions', async () => {
    const seccompProfile = { type: 'Localhost', localhostProfile: 'no-folders.json' };
    const script = 'mkdir /tmp/x; sleep 9 & kill -s USR1 $!; kill -s KILL $! && echo killed';
    const text = await output(script, { seccompProfile });
    expect(text).toContain("mkdir: cannot create directory '/tmp/x': No space left on device");
    expect(text).toMatch(/kill:.*Operation not permitted/);
    expect(text).toContain('killed');
  });

  test.each(['broken.json', 'missing.json', '../host.json', '/etc/passwd'])(
    'that name the profile %s are not run',
    async (localhostProfile) => {
      const name = `filtered-${count++}`;
      const securityContext = { seccompProfile: { type: 'Localhost', localhostProfile } };
      await here
        .run(name, { restartPolicy: 'Never', containers: [shell('true', { securityContext })] })
        .catch(() => undefined);
      if (localhostProfile.includes('/')) return;
      const pod = await here.until(
        name,
        ({ status }) => status?.containerStatuses?.[0]?.state?.waiting?.reason === 'CreateContainerError',
      );
      expect(pod.status?.containerStatuses?.[0]?.state?.waiting?.message).toContain('cannot load seccomp profile');
    },
  );

  test('reach programs in terminals, with what they print and how they end', async () => {
    await here.run('terminal', { restartPolicy: 'Never', containers: [shell('sleep 30')] });
    const pod = await here.until('terminal', ({ status }) => status?.phase === 'Running');
    let text = '';
    const onOutput = (_stream: string, chunk: Uint8Array) => {
      text += Buffer.from(chunk).toString();
    };
    const command = ['sh', '-c', 'tty; head -c 300000 /dev/zero | tr "\\0" x; kill -s TERM $$'];
    expect(await here.node.exec(pod, 'main', { command, tty: true, onOutput })).toEqual({ exitCode: 143 });
    expect(text.length).toBe('/dev/pts/0\r\n'.length + 300_000);
    await here.plane.client.delete(
      (await import('@tektite/client')).kinds.Pod,
      { namespace: 'default', name: 'terminal' },
      { gracePeriodSeconds: 0 },
    );
  });
});
