import { simulate } from '@tektite/simulator';
import { describe, expect, it } from 'vitest';
import { pipelineRunScenario } from './simulation.cases.ts';

/** `SEEDS=1000 npx vitest run systems/pipelines/src/controllers/pipeline-run/simulation` for a long night. */
const seeds = Number(process.env['SEEDS'] ?? 25);

describe('PipelineRuns', () => {
  it(`end as they must, whatever goes wrong on the way (${seeds} seeds)`, { timeout: 600_000 }, async () => {
    let crashes = 0;
    for (let seed = 1; seed <= seeds; seed++)
      crashes += (await simulate(pipelineRunScenario(seed, 20), { seed })).crashes;
    expect(crashes).toBeGreaterThan(seeds / 4);
  });

  it('of two hundred tasks do, too', { timeout: 300_000 }, async () => {
    await simulate(pipelineRunScenario(7, 200), { seed: 7 });
  });

  it('survive a crash at every one of the first writes, before and after it', { timeout: 300_000 }, async () => {
    for (let write = 1; write <= 25; write++)
      for (const when of ['before', 'after'] as const)
        await simulate(pipelineRunScenario(3, 8), { seed: 3, rates: {}, crash: { write, when } });
  });
});
