import { simulate } from '@tektite/simulator';
import { expect, it } from 'vitest';
import { machineScenario } from './simulation.cases.ts';

/** `SEEDS=2000 npx vitest run systems/byoh/src/simulation` for a long night. */
const seeds = Number(process.env['SEEDS'] ?? 30);

it(`every machine has a separate host in the end, whatever faults occur (${seeds} seeds)`, {
  timeout: 600_000,
}, async () => {
  let crashes = 0;
  for (let seed = 1; seed <= seeds; seed++) crashes += (await simulate(machineScenario, { seed })).crashes;
  expect(crashes).toBeGreaterThan(seeds / 5);
});

// docs/simulation-log.md says what was wrong.
it.each([30, 34])('the nodes are those of the machines in the end, where they were not once: seed %i', async (seed) => {
  await simulate(machineScenario, { seed });
});

it('a machine whose claims were lost gives all but one host back (seed 125)', { timeout: 120_000 }, async () => {
  await simulate(machineScenario, { seed: 125 });
});

it('the manager survives a crash before or after each of its writes', { timeout: 600_000 }, async () => {
  for (const when of ['before', 'after'] as const) {
    let crashes = 1;
    // Before the odd ones, after the even ones.
    let write = when === 'before' ? -1 : 0;
    while (crashes > 0) {
      write += 2;
      crashes = (await simulate(machineScenario, { seed: 7, crash: { write, when }, rates: {} })).crashes;
    }
    expect(write).toBeGreaterThan(20);
  }
});
