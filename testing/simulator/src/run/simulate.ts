import { maskOf } from '../oracles/compare-states.ts';
import type { FinalState } from '../oracles/final-state.ts';
import { type Baseline, runScenario, type RunOptions } from './run-scenario.ts';
import type { Scenario } from './scenario.ts';
import { SimulationError } from './simulation-error.ts';
import type { SimulationReport } from './simulation-report.ts';

/** The runs without faults of fixed scenarios. */
const baselines = new WeakMap<Scenario, Promise<Baseline>>();

/** Seeds of the runs without faults: what differs between them depends on chance. */
const baselineSeeds = [1_000_003, 2_000_003];

/**
 * Runs a program through one scenario: an embedded control plane in virtual time, connections with faults, crashes and restarts, all
 * decided by the seed. The same seed repeats the same run, so that a failure can be debugged.
 *
 * Errors: `SimulationError` with the report when the program broke a promise.
 *
 * @example for (let seed = 0; seed < 1000; seed++) await simulate(scenario, { seed });
 */
export async function simulate(scenario: Scenario, options: RunOptions): Promise<SimulationReport> {
  const report = await tryScenario(scenario, options);
  if (report.failure) throw new SimulationError(report);
  return report;
}

/** As `simulate`, but the report has the failure. */
export async function tryScenario(scenario: Scenario, options: RunOptions): Promise<SimulationReport> {
  const baseline = options.baseline ?? (scenario.isFixed ? await baselineOf(scenario) : undefined);
  return runScenario(scenario, { ...options, ...(baseline ? { baseline } : {}) });
}

/** The state that the scenario reaches without faults. Throws when it does not go well even then. */
export function baselineOf(scenario: Scenario): Promise<Baseline> {
  let baseline = baselines.get(scenario);
  if (!baseline) {
    baseline = runBaseline(scenario);
    baselines.set(scenario, baseline);
  }
  return baseline;
}

async function runBaseline(scenario: Scenario): Promise<Baseline> {
  const states: FinalState[] = [];
  for (const seed of baselineSeeds) {
    const report = await runScenario(scenario, { seed, faults: [] });
    if (report.failure || !report.state) throw new SimulationError(report);
    states.push(report.state);
  }
  return { state: states[0] as FinalState, mask: maskOf(states) };
}
