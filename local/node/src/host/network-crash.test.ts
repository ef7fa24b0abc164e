import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kinds } from '@tektite/client';
import type { Pod } from '@tektite/schema/kubernetes';
import { startControlPlane } from '@tektite/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canHaveNetwork } from '../network/test-support.ts';
import { bundleNodeProgram, killNodeProgram, shell, startNodeProgram } from '../test-support.ts';
import { nameFor } from './memory-folder.ts';

const unprivileged = { uid: 65_534, gid: 65_534 };
const lanes = [['of this user', {}] as const, ['of an ordinary user', unprivileged] as const].slice(
  0,
  process.getuid?.() === 0 ? 2 : 1,
);

let folder: string;
let program: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tektite-network-crash-'));
  chmodSync(folder, 0o755);
  program = await bundleNodeProgram(join(folder, 'node.mjs'));
}, 60_000);
afterAll(() => {
  for (const name of ['root', 'ordinary'])
    rmSync(join('/dev/shm', nameFor(join(folder, name, 'host'))), { recursive: true, force: true });
  rmSync(folder, { recursive: true, force: true });
});

/** Processes whose command line has this text. */
function processesOf(text: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text);
    } catch {
      return false;
    }
  });
}

/** The network namespaces of processes. */
function namespacesOf(processes: readonly string[]): Set<string> {
  const found = processes.flatMap((pid) => {
    try {
      return [readlinkSync(`/proc/${pid}/ns/net`)];
    } catch {
      return [];
    }
  });
  return new Set(found);
}

const devices = () => readFileSync('/proc/net/dev', 'utf8').match(/^ *\S+:/gm);

describe.runIf(await canHaveNetwork())('a network of Pods', () => {
  test.each(lanes)(
    '%s leaves no process, namespace or device behind when the node is killed',
    async (_name, user) => {
      await using plane = await startControlPlane();
      const dataDir = join(folder, 'uid' in user ? 'ordinary' : 'root');
      mkdirSync(dataDir);
      if ('uid' in user) chownSync(dataDir, user.uid, user.gid);
      const before = devices();
      const marker = `2718${process.pid}`;
      const child = await startNodeProgram(plane, program, dataDir, { ...user, hasNetwork: true });
      const count = 8;
      for (let i = 0; i < count; i++) {
        const metadata = { namespace: 'default', name: `pod-${i}` };
        const spec = { nodeName: 'here', securityContext: { runAsUser: i % 2 ? 0 : 4321 } };
        const containers = [shell('', { command: ['sleep', marker] })];
        await plane.client.create(kinds.Pod, { metadata, spec: { ...spec, containers } });
      }
      const list = async () => (await plane.client.list(kinds.Pod, { namespace: 'default' })).items;
      const running = ({ status }: Pod) => status?.phase === 'Running';
      await expect.poll(async () => (await list()).filter(running).length, { timeout: 40_000 }).toBe(count);
      const addresses = (await list()).map(({ status }) => status?.podIP);
      expect(new Set(addresses).size).toBe(count);
      const used = namespacesOf(processesOf(marker));
      used.delete(readlinkSync('/proc/self/ns/net'));
      expect(used.size).toBe(count);
      expect(devices()).toEqual(before);
      // Also of processes that have another name, or none.
      const left = () => [...namespacesOf(readdirSync('/proc'))].filter((each) => used.has(each)).length;

      await plane.client.delete(kinds.Pod, { namespace: 'default', name: 'pod-0' }, { gracePeriodSeconds: 0 });
      await expect.poll(left, { timeout: 10_000 }).toBe(count - 1);
      await killNodeProgram(child);
      await expect.poll(() => [...processesOf(marker), ...processesOf(dataDir)]).toEqual([]);
      await expect.poll(left).toBe(0);
      expect(devices()).toEqual(before);
    },
    60_000,
  );
});
