import type { Fault } from '../faults/fault.ts';
import type { RunOptions } from '../run/run-scenario.ts';
import type { Scenario } from '../run/scenario.ts';
import { tryScenario } from '../run/simulate.ts';
import type { SimulationReport } from '../run/simulation-report.ts';
import { type ShrinkOptions, shrinkFaults } from './shrink-faults.ts';

/** A failure with the few faults that bring it about. */
export interface Explained {
  readonly seed: number;
  readonly faults: readonly Fault[];
  /** How many faults the run had that found it. */
  readonly faultsBefore: number;
  readonly runs: number;
  readonly isMinimal: boolean;
  /** The run with only those faults. */
  readonly report: SimulationReport;
}

/** Shrinks the faults of a failed run and runs it again with those that matter. The same oracle has to find it. */
export async function explainFailure(
  scenario: Scenario,
  failed: SimulationReport,
  options: ShrinkOptions & Pick<RunOptions, 'crash' | 'restMs'> = {},
): Promise<Explained> {
  const { seed, struck, failure } = failed;
  const { maxRuns, onProgress, ...run } = options;
  const again = (faults: readonly Fault[]) => tryScenario(scenario, { ...run, seed, faults });
  const { faults, runs, isMinimal } = await shrinkFaults(
    struck,
    async (candidate) => (await again(candidate)).failure?.oracle === failure?.oracle,
    { ...(maxRuns === undefined ? {} : { maxRuns }), ...(onProgress ? { onProgress } : {}) },
  );
  return { seed, faults, faultsBefore: struck.length, runs, isMinimal, report: await again(faults) };
}
