import { type RunOptions, runScenario } from '../run/run-scenario.ts';
import type { Scenario } from '../run/scenario.ts';
import { baselineOf } from '../run/simulate.ts';
import type { SimulationReport } from '../run/simulation-report.ts';
import type { CrashPoint } from '../world/component.ts';

export interface CrashExploration {
  readonly seed: number;
  /** The component that is killed. */
  readonly component: string;
  /** Also at every pair of writes. Default: only at every single write. */
  readonly pairs?: boolean;
  /** At most that many runs; default no limit. */
  readonly maxRuns?: number;
  /** Of the pairs, only those with `index % of === part`, so that several processes share them. */
  readonly share?: { readonly part: number; readonly of: number };
  readonly onRun?: (report: SimulationReport, crashes: readonly CrashPoint[]) => void;
}

export interface Explored {
  readonly runs: number;
  /** The writes of the component without any fault. */
  readonly writes: number;
  readonly failed: readonly { readonly crashes: readonly CrashPoint[]; readonly report: SimulationReport }[];
}

const whens = ['before', 'after'] as const;

/**
 * Kills a component at every write of a scenario, before and after it takes effect, and on request at every pair of writes: no chance,
 * and nothing left out. A crash changes the writes that follow, so the second of a pair is counted in the run as it goes.
 */
export async function exploreCrashes(scenario: Scenario, options: CrashExploration): Promise<Explored> {
  const { seed, component, pairs = false, maxRuns = Number.POSITIVE_INFINITY, share = { part: 0, of: 1 } } = options;
  const baseline = scenario.isFixed ? { baseline: await baselineOf(scenario) } : {};
  const run = (given: Pick<RunOptions, 'crash'>) => runScenario(scenario, { seed, faults: [], ...baseline, ...given });
  const plain = await run({ crash: 'never' });
  const writes = plain.history.entries.filter(
    (entry) => entry.type === 'write' && entry.component === component,
  ).length;
  const failed: { crashes: readonly CrashPoint[]; report: SimulationReport }[] = [];
  let runs = 1;
  if (plain.failure) failed.push({ crashes: [], report: plain });
  let index = 0;
  for (const crashes of crashPlans(component, writes, pairs)) {
    if (index++ % share.of !== share.part) continue;
    if (runs >= maxRuns) break;
    runs++;
    const report = await run({ crash: crashes });
    options.onRun?.(report, crashes);
    if (report.failure) failed.push({ crashes, report });
  }
  return { runs, writes, failed };
}

function* crashPlans(component: string, writes: number, pairs: boolean): Generator<readonly CrashPoint[]> {
  for (let write = 1; write <= writes; write++) for (const when of whens) yield [{ component, write, when }];
  if (!pairs) return;
  for (let first = 1; first <= writes; first++)
    for (let second = first + 1; second <= writes + 1; second++)
      for (const when of whens)
        for (const then of whens)
          yield [
            { component, write: first, when },
            { component, write: second, when: then },
          ];
}
