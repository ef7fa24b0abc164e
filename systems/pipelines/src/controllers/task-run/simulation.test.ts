import { simulate } from '@tektite/simulator';
import { describe, it } from 'vitest';
import { taskRunScenario } from './simulation.cases.ts';

/** `SEEDS=1000 npx vitest run systems/pipelines/src/controllers/task-run/simulation` for a long night. */
const seeds = Number(process.env['SEEDS'] ?? 25);

describe('TaskRuns', () => {
  it('end, each attempt with one Pod and its result, whatever fails or interferes', async () => {
    for (let seed = 1; seed <= seeds; seed++) await simulate(taskRunScenario(seed, true), { seed });
  }, 120_000);

  it('survive a crash at every write, before the server has seen it and after', async () => {
    for (let write = 1; write <= 24; write++)
      for (const when of ['before', 'after'] as const)
        await simulate(taskRunScenario(1, false), { seed: 1, rates: {}, crash: { write, when } });
  }, 120_000);
});
