import { readFileSync, writeFileSync } from 'node:fs';
import { type Baseline, baselineOf, runScenario, type Scenario } from '@tektite/simulator';

/** An order of the parent, as JSON in the first argument. */
export interface HuntOrder {
  /** The final state without faults and without the bug: written by `baseline`, read by `hunt`. Absent: there is none. */
  readonly baselineFile: string;
  readonly task: 'baseline' | 'hunt';
  readonly firstSeed: number;
  readonly seeds: number;
  readonly maxCpuSeconds: number;
}

export interface HuntResult {
  /** Absent: no run failed. 0 is the run without faults. */
  readonly seed?: number;
  readonly oracle?: string;
  readonly message?: string;
  readonly runs: number;
  readonly cpuSeconds: number;
}

/** The main function of a bundled program: runs the seeds of a scenario until one fails, and prints the result. */
export async function hunt(scenarioOf: (seed: number) => Scenario): Promise<void> {
  const order = JSON.parse(process.argv[2] ?? '{}') as HuntOrder;
  const { task, baselineFile, firstSeed, seeds, maxCpuSeconds } = order;
  if (task === 'baseline') {
    const scenario = scenarioOf(firstSeed);
    writeFileSync(baselineFile, formatBaseline(scenario.isFixed ? await baselineOf(scenario) : undefined));
    return;
  }
  const given = parseBaseline(readFileSync(baselineFile, 'utf8'));
  const baseline = given ? { baseline: given } : {};
  let result: HuntResult = { runs: 0, cpuSeconds: 0 };
  for (let seed = firstSeed; seed < firstSeed + seeds && result.cpuSeconds < maxCpuSeconds; seed++) {
    const faults = seed === 0 ? { faults: [] } : {};
    const { failure } = await runScenario(scenarioOf(seed), { seed, ...faults, ...baseline });
    const { user, system } = process.cpuUsage();
    result = { runs: result.runs + 1, cpuSeconds: (user + system) / 1e6 };
    if (!failure) continue;
    result = { ...result, seed, oracle: failure.oracle, message: failure.message };
    break;
  }
  console.log(JSON.stringify(result));
  process.exit(0);
}

function formatBaseline(baseline: Baseline | undefined): string {
  return JSON.stringify(baseline ? { state: [...baseline.state], mask: [...baseline.mask] } : null);
}

function parseBaseline(text: string): Baseline | undefined {
  const read = JSON.parse(text) as { state: [string, readonly unknown[]][]; mask: string[] } | null;
  return read ? { state: new Map(read.state), mask: new Set(read.mask) } : undefined;
}
