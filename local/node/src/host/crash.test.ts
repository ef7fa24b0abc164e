import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kinds } from '@tektite/client';
import type { Pod } from '@tektite/schema/kubernetes';
import { startControlPlane } from '@tektite/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canHaveNetwork } from '../network/test-support.ts';
import { nameFor } from './memory-folder.ts';
import { bundleNodeProgram, expectToRun, killNodeProgram, shell, startNodeProgram } from '../test-support.ts';

const can = await canHaveNetwork();
let folder: string;
let program: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tektite-crash-'));
  chmodSync(folder, 0o755);
  program = await bundleNodeProgram(join(folder, 'node.mjs'));
  chmodSync(program, 0o644);
}, 60_000);
afterAll(() => {
  // The next start of a killed node removes its folders in memory; these have none.
  for (const name of ['killed', 'chaos', 'ordinary', 'ordinary-network']) {
    rmSync(join('/dev/shm', nameFor(join(folder, name, 'host'))), { recursive: true, force: true });
  }
  for (const controller of ['memory', 'cpu', '.'])
    for (const name of ['killed', 'chaos']) {
      const cgroup = join('/sys/fs/cgroup', controller, nameFor(join(folder, name, 'host')));
      if (existsSync(cgroup)) rmdirSync(cgroup);
    }
  rmSync(folder, { recursive: true, force: true });
});

/** Processes whose command line has this word. */
function processesWith(word: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(word);
    } catch {
      return false;
    }
  });
}

describe('a node that is killed', () => {
  test('takes its containers with it, and accounts for every Pod when it is back', async () => {
    await using plane = await startControlPlane();
    const dataDir = join(folder, 'killed');
    let child = await startNodeProgram(plane, program, dataDir);
    const pods = 50;
    const marker = '31415926';
    const spec = (restartPolicy: string, uid: number) => ({
      nodeName: 'here',
      restartPolicy,
      securityContext: { runAsUser: uid },
      containers: [shell('', { command: ['sleep', marker] })],
    });
    for (let i = 0; i < pods; i++) {
      const metadata = { namespace: 'default', name: `pod-${i}` };
      await plane.client.create(kinds.Pod, { metadata, spec: spec(i % 2 ? 'Never' : 'Always', i % 3 ? 0 : 4321) });
    }
    const list = async () => (await plane.client.list(kinds.Pod, { namespace: 'default' })).items;
    const all = (condition: (pod: Pod) => boolean) =>
      expect.poll(async () => (await list()).filter(condition).length, { timeout: 40_000, interval: 50 }).toBe(pods);
    await all(({ status }) => status?.phase === 'Running');
    expect(processesWith(marker).length).toBeGreaterThanOrEqual(pods);

    await killNodeProgram(child);
    await expect.poll(() => processesWith(marker)).toEqual([]);
    expect(readFileSync('/proc/mounts', 'utf8')).not.toContain(dataDir);

    child = await startNodeProgram(plane, program, dataDir);
    await all(({ spec: { restartPolicy } = {}, status }) =>
      restartPolicy === 'Never'
        ? status?.phase === 'Failed'
        : status?.phase === 'Running' &&
          status.containerStatuses?.[0]?.restartCount === 1 &&
          status.containerStatuses[0].ready,
    );
    const lost = {
      exitCode: 137,
      reason: 'ContainerStatusUnknown',
      message: 'The container could not be located when the pod was terminated',
    };
    for (const { spec: { restartPolicy } = {}, status } of await list()) {
      const [container] = status?.containerStatuses ?? [];
      const where = restartPolicy === 'Never' ? container?.state : container?.lastState;
      expect(where?.terminated).toMatchObject(lost);
    }
    expect(processesWith(marker).length).toBeGreaterThanOrEqual(pods / 2);

    for (const { metadata } of await list())
      await plane.client.delete(
        kinds.Pod,
        { namespace: 'default', name: metadata.name ?? '' },
        { gracePeriodSeconds: 1 },
      );
    await expect.poll(async () => (await list()).length, { timeout: 15_000 }).toBe(0);
    // A few sets of folders are kept ready.
    await expect.poll(() => readdirSync(join(dataDir, 'host/scratch')).length).toBeLessThanOrEqual(8);
    await expect.poll(() => readdirSync(join(dataDir, 'pods'))).toEqual([]);
    await killNodeProgram(child);
    expect(processesWith(marker)).toEqual([]);
  }, 90_000);
});

describe('a node that is killed again and again, in the middle of its work', () => {
  test('brings every Pod to its end, and leaves no process', async () => {
    await using plane = await startControlPlane();
    const dataDir = join(folder, 'chaos');
    const marker = 'chaos-marker-271828';
    const pods = 30;
    const containers = [shell('', { command: ['sh', '-c', 'sleep 0.3', marker] })];
    let child = await startNodeProgram(plane, program, dataDir);
    for (let i = 0; i < pods; i++) {
      const metadata = { namespace: 'default', name: `pod-${i}` };
      await plane.client.create(kinds.Pod, {
        metadata,
        spec: { nodeName: 'here', restartPolicy: 'OnFailure', containers },
      });
    }
    for (const delay of [60, 250, 130]) {
      await new Promise((resolve) => setTimeout(resolve, delay));
      await killNodeProgram(child);
      await expect.poll(() => processesWith(marker)).toEqual([]);
      child = await startNodeProgram(plane, program, dataDir);
    }
    const phases = async () =>
      (await plane.client.list(kinds.Pod, { namespace: 'default' })).items.map(({ status }) => status?.phase);
    const succeeded = async () => {
      expectToRun(child);
      return (await phases()).filter((phase) => phase === 'Succeeded').length;
    };
    await expect.poll(succeeded, { timeout: 40_000 }).toBe(pods);
    expect(processesWith(marker)).toEqual([]);
    expect(readFileSync('/proc/mounts', 'utf8')).not.toContain(dataDir);
    await killNodeProgram(child);
  }, 90_000);
});

/** The user without rights that every machine has. */
const unprivileged = { uid: 65_534, gid: 65_534 };

describe.skipIf(process.getuid?.() !== 0)('a node of an ordinary user', () => {
  const networks = ["the machine's network", 'a network of Pods'].slice(0, can ? 2 : 1);
  test.each(networks)(
    'runs Pods in user namespaces with %s, or says why it cannot',
    async (network) => {
      const hasNetwork = network === 'a network of Pods';
      await using plane = await startControlPlane();
      const dataDir = join(folder, hasNetwork ? 'ordinary-network' : 'ordinary');
      mkdirSync(dataDir);
      chownSync(dataDir, unprivileged.uid, unprivileged.gid);
      let child: Awaited<ReturnType<typeof startNodeProgram>>;
      try {
        child = await startNodeProgram(plane, program, dataDir, { ...unprivileged, hasNetwork });
      } catch (error) {
        // The kernel of this machine forbids it: then that is what has to be said, with the ways out.
        expect((error as Error).message).toMatch(/USER_NAMESPACES_FORBIDDEN.*Ways out/s);
        return;
      }
      const run = async (name: string, script: string, more: object = {}, spec: object = {}) => {
        const metadata = { namespace: 'default', name };
        const containers = [shell(script, { terminationMessagePolicy: 'FallbackToLogsOnError', ...more })];
        await plane.client.create(kinds.Pod, {
          metadata,
          spec: { nodeName: 'here', restartPolicy: 'Never', containers, ...spec },
        });
        let pod: Pod | undefined;
        await expect
          .poll(
            async () => {
              pod = await plane.client.get(kinds.Pod, metadata);
              return pod.status?.phase;
            },
            { timeout: 10_000 },
          )
          .toMatch(/Succeeded|Failed/);
        return pod?.status?.containerStatuses?.[0]?.state?.terminated;
      };
      const say = (text: string) => `{ ${text}; } >/dev/termination-log 2>&1`;
      expect(
        await run('root', say('id -u; hostname; ls -d /proc/[0-9]* | wc -l; ls /root; touch /usr/x /etc/x')),
      ).toMatchObject({
        exitCode: 1,
        message: expect.stringMatching(
          /^0\nroot\n[1-4]\ntouch: cannot touch '\/usr\/x': .*\ntouch: cannot touch '\/etc\/x'/,
        ),
      });
      expect(
        await run('user', say('id -u; id -g'), {}, { securityContext: { runAsUser: 1234, runAsGroup: 2345 } }),
      ).toMatchObject({
        exitCode: 0,
        message: '1234\n2345\n',
      });
      const volumes = [{ name: 'v', emptyDir: {} }];
      const volumeMounts = [
        { name: 'v', mountPath: '/data' },
        { name: 'v', mountPath: '/etc/there/not', subPath: 'a/b' },
      ];
      expect(
        await run(
          'volume',
          say('echo x >/etc/there/not/file; cat /data/a/b/file; ls /dev/pts | wc -l'),
          { volumeMounts },
          { volumes },
        ),
      ).toMatchObject({
        exitCode: 0,
        message: expect.stringMatching(/^x\n/),
      });
      expect(
        await run(
          'escape',
          say(
            `cat ${dataDir}/logs/*/*/*; ls ${dataDir}; mount -o remount,bind,rw /usr && touch /usr/x && echo WROTE; true`,
          ),
        ),
      ).toMatchObject({
        exitCode: 0,
        message: expect.not.stringMatching(/WROTE|pods/),
      });
      expect(existsSync('/usr/x')).toBe(false);

      // As hardened Pods have it: each alone, and all at once; with another program run in the container by a hook.
      const drop = { drop: ['ALL'] };
      const hardened = {
        runAsUser: 65_532,
        runAsGroup: 65_532,
        runAsNonRoot: true,
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
        capabilities: drop,
        seccompProfile: { type: 'RuntimeDefault' },
      };
      const contexts = {
        dropped: { capabilities: drop },
        'user-dropped': { runAsUser: 65_532, capabilities: drop },
        'group-dropped': { runAsGroup: 2345, capabilities: drop },
        'user-added': { runAsUser: 65_532, capabilities: { ...drop, add: ['NET_BIND_SERVICE'] } },
        'user-without-setfcap': { runAsUser: 1234, runAsGroup: 5, capabilities: { drop: ['SETFCAP'] } },
        hardened,
      };
      const capabilities = "sed -n 's/^CapEff:[^0]*0*/effective /p' /proc/self/status";
      // Whole at once: the container reads it as soon as it is there.
      const write = `{ id -u; ${capabilities}; } >/data/part; mv /data/part /data/hook`;
      const hook = { exec: { command: ['sh', '-c', write] } };
      const until = `until [ -s /data/hook ]; do sleep 0.1; done; ${say(`id -u; ${capabilities}; cat /data/hook`)}`;
      for (const [name, securityContext] of Object.entries(contexts))
        for (const shareProcessNamespace of [false, true]) {
          const uid = 'runAsUser' in securityContext ? securityContext.runAsUser : 0;
          const container = {
            securityContext,
            lifecycle: { postStart: hook },
            volumeMounts: [{ name: 'v', mountPath: '/data' }],
          };
          const pod = { volumes, shareProcessNamespace };
          expect(
            await run(`${name}-${shareProcessNamespace ? 'shared' : 'own'}`, until, container, pod),
            name,
          ).toMatchObject({
            exitCode: 0,
            message: `${uid}\neffective \n${uid}\neffective \n`,
          });
        }
      await killNodeProgram(child);
    },
    60_000,
  );
});
