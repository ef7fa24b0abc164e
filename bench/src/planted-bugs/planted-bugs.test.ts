import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { allBugs } from './all-bugs.ts';
import { HuntingGround, plant, root } from './hunting-ground.ts';

// Native packages are found from inside of the repository.
const folder = mkdtempSync(join(root, 'node_modules', '.planted-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('planted bugs', () => {
  it('are at least sixty, of all classes', () => {
    expect(allBugs.length).toBeGreaterThanOrEqual(60);
    expect(new Set(allBugs.map((bug) => bug.class)).size).toBe(8);
    expect(new Set(allBugs.map(({ title }) => title)).size).toBe(allBugs.length);
  });

  it.each(allBugs.map((bug) => [bug.title, bug] as const))('are in the sources: %s', (_, bug) => {
    expect(plant(bug)).toContain(bug.replace);
  });

  // The whole list takes half an hour: npm run bench -- planted-bugs.
  it('are found by a seed that goes well without them', { timeout: 120_000 }, async () => {
    const bug = allBugs.find(({ title }) => title === 'a Job lets its Pods go before it has counted them');
    if (!bug) throw new Error('there is no such bug');
    const ground = new HuntingGround(folder);
    const options = { firstSeed: 1, seeds: 20, maxCpuSeconds: 60 };
    const { seed = 0, oracle } = await ground.hunt(bug, options);
    expect(oracle).toBe('check');
    expect(await ground.huntNothing(bug.scenario, { ...options, firstSeed: seed, seeds: 1 })).not.toHaveProperty(
      'seed',
    );
  });
});
