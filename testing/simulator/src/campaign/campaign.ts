import type { Scenario } from '../run/scenario.ts';
import { tryScenario } from '../run/simulate.ts';
import type { SimulationReport } from '../run/simulation-report.ts';
import { Coverage } from './coverage.ts';

export interface CampaignOptions {
  /** The seeds to run, in order. */
  readonly seeds: Iterable<number>;
  /** Stop at the first failure. */
  readonly untilFails?: boolean;
  readonly onRun?: (report: SimulationReport, progress: CampaignProgress) => void | Promise<void>;
  readonly signal?: AbortSignal;
}

export interface CampaignProgress {
  readonly runs: number;
  readonly failures: number;
  readonly coverage: Coverage;
}

export interface CampaignResult extends CampaignProgress {
  /** The runs that failed, one for each oracle and message. */
  readonly failed: readonly SimulationReport[];
}

/** Runs a scenario with many seeds. */
export async function runCampaign(scenario: Scenario, options: CampaignOptions): Promise<CampaignResult> {
  const coverage = new Coverage();
  const failed = new Map<string, SimulationReport>();
  let runs = 0;
  let failures = 0;
  for (const seed of options.seeds) {
    if (options.signal?.aborted) break;
    const report = await tryScenario(scenario, { seed });
    runs++;
    coverage.add(report.coverage);
    const { failure } = report;
    if (failure) {
      failures++;
      const key = `${failure.oracle}: ${plain(failure.message)}`;
      if (!failed.has(key)) failed.set(key, report);
    }
    await options.onRun?.(report, { runs, failures, coverage });
    if (failure && options.untilFails) break;
  }
  return { runs, failures, coverage, failed: [...failed.values()] };
}

/** The message without names and numbers, so that one bug is reported once. */
function plain(message: string): string {
  return message.replaceAll(/[a-z0-9]*\d[a-z0-9-]*/g, '#').split('\n')[0] ?? '';
}
