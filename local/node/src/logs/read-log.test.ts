import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { virtualClock } from '@tektite/testkit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ContainerLog } from './container-log.ts';
import { readLog, type ReadLogOptions } from './read-log.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'log-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const clock = virtualClock(Date.parse('2026-01-01T00:00:00Z'));
const path = () => join(folder, '0.log');
async function text(options: ReadLogOptions = {}, live?: ContainerLog): Promise<string> {
  let all = '';
  for await (const chunk of readLog(path(), live, options, clock)) all += chunk.toString();
  return all;
}

describe('a log', () => {
  test('gives back what was printed, both streams in their order', async () => {
    const log = new ContainerLog(path(), clock);
    log.write('stdout', Buffer.from('one\ntw'));
    log.write('stderr', Buffer.from('error\n'));
    log.write('stdout', Buffer.from('o\nthree'));
    await log.close();
    expect(await text()).toBe('one\nerror\ntwo\nthree');
    expect(await text({ tailLines: 1 })).toBe('three');
    expect(await text({ tailLines: 2 })).toBe('two\nthree');
    expect(await text({ tailLines: 0 })).toBe('');
    expect(await text({ limitBytes: 5 })).toBe('one\ne');
  });

  test('has no more last lines than were asked for, whatever is printed meanwhile', async () => {
    const log = new ContainerLog(path(), clock);
    log.write('stdout', Buffer.from('one\ntwo\n'));
    await expect.poll(() => text()).toBe('one\ntwo\n');
    const lines = readLog(path(), log, { tailLines: 1 }, clock);
    expect(String((await lines.next()).value)).toBe('two\n');
    log.write('stdout', Buffer.from('three\n'));
    await expect.poll(() => text()).toBe('one\ntwo\nthree\n');
    expect(await lines.next()).toEqual({ done: true, value: undefined });
    await log.close();
  });

  test('knows when each line was printed', async () => {
    const log = new ContainerLog(path(), clock);
    log.write('stdout', Buffer.from('early\n'));
    await clock.advance(60_000);
    log.write('stdout', Buffer.from('late\n'));
    await log.close();
    expect(await text({ sinceSeconds: 30 })).toBe('late\n');
    expect(await text({ sinceTime: new Date(clock.now() - 30_000).toISOString() })).toBe('late\n');
    expect(await text({ timestamps: true, tailLines: 1 })).toBe(
      `${new Date(clock.now()).toISOString().slice(0, -1)}000000Z late\n`,
    );
  });

  test('keeps lines of any length whole', async () => {
    const log = new ContainerLog(path(), clock);
    const long = 'x'.repeat(100_000);
    for (let i = 0; i < long.length; i += 1000) log.write('stdout', Buffer.from(long.slice(i, i + 1000)));
    log.write('stdout', Buffer.from('\nend\n'));
    await log.close();
    expect(await text()).toBe(`${long}\nend\n`);
    expect((await text({ timestamps: true })).match(/Z /g)).toHaveLength(2);
  });

  test('is followed until it is closed, over the change of files', async () => {
    const log = new ContainerLog(path(), clock, { maxBytes: 500, maxFiles: 3 });
    log.write('stdout', Buffer.from('first\n'));
    const followed = text({ follow: true }, log);
    const lines = ['first'];
    for (let i = 0; i < 60; i++) {
      lines.push(`line ${i}`);
      log.write('stdout', Buffer.from(`line ${i}\n`));
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    await log.close();
    expect((await followed).trim().split('\n')).toEqual(lines);
    expect(log.rotations).toBeGreaterThan(2);
    expect(readdirSync(folder).length).toBeLessThanOrEqual(3);
    // Rotated files are read too, as far as they are kept.
    const kept = (await text()).trim().split('\n');
    expect(kept.at(-1)).toBe('line 59');
    expect(kept.length).toBeGreaterThan(8);
    expect(await text({ tailLines: 12 })).toBe(`${lines.slice(-12).join('\n')}\n`);
  });

  test('is empty when nothing was printed', async () => {
    expect(await text()).toBe('');
    const log = new ContainerLog(path(), clock);
    await log.close();
    expect(await text({ follow: true }, log)).toBe('');
  });
});
