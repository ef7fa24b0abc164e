import { expect, it } from 'vitest';
import { endure } from './endurance.ts';

it('a server under load gives back memory, disk and descriptors, and its watchers miss nothing', {
  timeout: 180_000,
}, async () => {
  const { before, after, writes, failures, missed, gaps, ready } = await endure(10);
  expect(writes).toBeGreaterThan(1000);
  expect({ failures, missed, gaps, notReady: ready.failures }).toEqual({
    failures: 0,
    missed: 0,
    gaps: 0,
    notReady: 0,
  });
  expect(after.descriptors).toBeLessThanOrEqual(before.descriptors + 2);
  expect(after.heapMegabytes).toBeLessThan(before.heapMegabytes * 1.2);
  expect(after.diskMegabytes).toBeLessThan(before.diskMegabytes * 1.2 + 1);
});
