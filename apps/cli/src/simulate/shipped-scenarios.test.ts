import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileScenario, readScenario, simulate } from '@tektite/simulator';
import { describe, expect, it } from 'vitest';
import { loadSystems } from '../catalog/load-systems.ts';
import { repository } from '../test-support.ts';

/** `SEEDS=500 npx vitest run apps/cli/src/simulate` for a long night. */
const seeds = Number(process.env['SEEDS'] ?? 1);

/** The rooms whose scenarios are files, and the systems that these run. The built-in controllers run in all of them. */
const rooms = { 'local/workloads': '', 'systems/pipelines': 'pipelines' } as const;

/** Seeds that found a bug: docs/simulation-log.md. */
const regressions: Readonly<Record<string, readonly number[]>> = { 'pipeline-run.yaml': [1053] };

describe.each(Object.entries(rooms))('the scenarios of %s', (room, system) => {
  const folder = join(repository, room, 'simulations');
  const files = readdirSync(folder).filter((file) => file.endsWith('.yaml'));

  it('are some', () => expect(files.length).toBeGreaterThan(2));

  it.each(files)(
    `end as without faults, whatever goes wrong (${seeds} seeds): %s`,
    { timeout: 600_000 },
    async (file) => {
      const systems = await loadSystems(system);
      const scenario = fileScenario(readScenario(readFileSync(join(folder, file), 'utf8')), () => systems);
      for (let seed = 1; seed <= seeds; seed++) await simulate(scenario, { seed });
      for (const seed of regressions[file] ?? []) await simulate(scenario, { seed });
    },
  );
});
