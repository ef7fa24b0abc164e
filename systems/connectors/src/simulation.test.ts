import { simulate } from '@tektite/simulator';
import { describe, expect, it } from 'vitest';
import { connectorScenario, courses } from './simulation.cases.ts';

/** `SEEDS=500 npx vitest run systems/connectors` for a long night. */
const seeds = Number(process.env['SEEDS'] ?? 2);

describe('the operator comes to the same end', () => {
  it.each(courses)(`whatever goes wrong on the way (${seeds} seeds): %s`, { timeout: 600_000 }, async (course) => {
    for (let seed = 1; seed <= seeds; seed++) await simulate(connectorScenario(course), { seed });
  });

  it.each(courses)('when it dies at any of its writes: %s', { timeout: 600_000 }, async (course) => {
    for (const when of ['before', 'after'] as const) {
      let crashes = 1;
      let write = 0;
      while (crashes > 0) {
        write++;
        crashes = (await simulate(connectorScenario(course), { seed: 7, crash: { write, when }, rates: {} })).crashes;
      }
      expect(write).toBeGreaterThan(5);
    }
  });
});
