import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { parseStat, ProcessTable } from './process-table.ts';

it('reads the parent and the times of a process, whatever its name', () => {
  const times = '7 8 9 10';
  const line = `42 (a) b (c)) S 17 42 42 0 -1 4194304 100 0 0 0 ${times} 20 0 1 0 5 0 0`;
  expect(parseStat(line)).toEqual({ parent: 17, ticks: 34 });
  expect(parseStat('')).toBeUndefined();
});

it('adds up a process and its descendants', async () => {
  const child = spawn('sh', ['-c', 'sleep 100 & echo started; wait'], {
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true,
  });
  try {
    await once(child.stdout, 'data');
    const table = await ProcessTable.read();
    const [tree, all] = [await table.usageOf(child.pid as number), await table.usageOf(process.pid)];
    expect(tree?.memoryBytes).toBeGreaterThan(0);
    expect(all?.memoryBytes).toBeGreaterThan(tree?.memoryBytes ?? 0);
    expect(await table.usageOf(2 ** 30)).toBeUndefined();
  } finally {
    process.kill(-(child.pid as number), 'SIGKILL');
  }
});
