import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { kinds } from '@tektite/client';
import { describe, expect, test } from 'vitest';
import { canHaveNetwork } from '../network/test-support.ts';
import { shell, startTestNode } from '../test-support.ts';
import { memoryFolder } from './memory-folder.ts';

/** TEKTITE_STARTS=1000 starts and stops that many. */
const starts = Number(process.env['TEKTITE_STARTS'] ?? 60);
const atOnce = 20;
const networks = (await canHaveNetwork()) ? [false, true] : [false];

/** The processes below this one, without those that the compiler of tests has. */
function descendants(): readonly string[] {
  const parents = new Map<number, number>();
  for (const id of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const stat = read(`/proc/${id}/stat`);
    parents.set(Number(id), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
  }
  const isBelow = (id: number): boolean => {
    const parent = parents.get(id) ?? 0;
    return parent === process.pid || (parent > 1 && isBelow(parent));
  };
  const names = [...parents.keys()].filter(isBelow).map((id) => read(`/proc/${id}/comm`).trim());
  return names.filter((name) => /^(?:sandbox|network|layers|sh|sleep|true)$/.test(name));
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** Open files that belong to containers: pipes that were made for them, and their folders. */
function openFiles(folder: string): readonly string[] {
  const links = readdirSync('/proc/self/fd').flatMap((name) => {
    try {
      return [readlinkSync(`/proc/self/fd/${name}`)];
    } catch {
      return [];
    }
  });
  return links.filter((link) => link.startsWith(folder));
}

describe.each(networks)('Pods that were started and stopped, with a network: %s', (hasNetwork) => {
  test('leave no process, mount, file or folder', { timeout: 300_000 }, async () => {
    const mounts = read('/proc/self/mountinfo');
    const before = descendants();
    const here = await startTestNode({ hasNetwork });
    const { client } = here.plane;
    const memory = memoryFolder(join(here.dataDir, 'host'));
    try {
      for (let from = 0; from < starts; from += atOnce) {
        const names = Array.from({ length: Math.min(atOnce, starts - from) }, (_, index) => `pod-${from + index}`);
        // Half of them end, half of them are stopped.
        await Promise.all(
          names.map(async (name, index) => {
            const script = index % 2 === 0 ? 'true' : 'trap "exit 0" TERM; sleep 1000 & wait';
            const restarts = { restartPolicy: 'Never' as const, terminationGracePeriodSeconds: 1 };
            await here.run(name, { ...restarts, containers: [shell(script)] });
            await here.until(name, ({ status }) => status?.phase !== 'Pending', 60_000);
            await client.delete(kinds.Pod, { namespace: 'default', name });
          }),
        );
      }
      const left = async () => (await client.list(kinds.Pod, { namespace: 'default' })).items.length;
      await expect.poll(left, { timeout: 60_000 }).toBe(0);
      const folders = () =>
        ['containers', 'sandboxes']
          .flatMap((name) => readdirSync(join(memory, name)))
          .concat(readdirSync(join(here.dataDir, 'pods')));
      await expect.poll(folders, { timeout: 60_000 }).toEqual([]);
      await expect.poll(() => openFiles(join(here.dataDir, 'pods')), { timeout: 15_000 }).toEqual([]);
    } finally {
      await here[Symbol.asyncDispose]();
    }
    await expect.poll(descendants, { timeout: 15_000 }).toEqual(before);
    expect(read('/proc/self/mountinfo')).toBe(mounts);
    expect([existsSync(memory), existsSync(here.dataDir)]).toEqual([false, false]);
  });
});
