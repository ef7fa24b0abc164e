import { printTable } from '../table.ts';
import { allBugs } from './all-bugs.ts';
import { HuntingGround } from './hunting-ground.ts';
import type { HuntResult } from './hunt.ts';
import type { PlantedBug } from './planted-bug.ts';

export interface PlantedBugsOptions {
  readonly quick: boolean;
  /** Only the bugs whose title or scenario has this text. */
  readonly only?: string;
}

/** Longer than any bug has taken. All of them together have to be found within an hour of one core. */
const maxCpuSeconds = 120;
const hour = 3600;
/** Every tenth bug, in a quick round. */
const quickStep = 10;

/**
 * Plants bugs into the controllers that ship, one at a time, and hunts each in a scenario. A find counts when the same seed goes well
 * without the bug. Prints a line for each bug, and a table.
 */
export async function benchPlantedBugs({ quick, only }: PlantedBugsOptions): Promise<void> {
  const ground = new HuntingGround();
  const bugs = allBugs
    .filter(({ title, scenario }) => only === undefined || title.includes(only) || scenario === only)
    .filter((_, index) => !quick || index % quickStep === 0);
  let found = 0;
  let seconds = 0;
  for (const bug of bugs) {
    const result = await ground.hunt(bug, { firstSeed: 0, seeds: 10_000, maxCpuSeconds });
    const isFound = result.seed !== undefined && !(await failsWithout(ground, bug, result));
    if (isFound) found++;
    seconds += result.cpuSeconds;
    console.log(describe(bug, result, isFound));
  }
  const isGood = printTable('planted bugs', [
    { what: 'found', value: found, unit: `of ${bugs.length}`, target: { value: bugs.length, better: 'more' } },
    { what: 'time of one core', value: seconds, unit: 's', target: { value: hour, better: 'less' } },
  ]);
  if (!isGood) process.exitCode = 1;
}

async function failsWithout(ground: HuntingGround, { scenario }: PlantedBug, { seed }: HuntResult): Promise<boolean> {
  const without = await ground.huntNothing(scenario, { firstSeed: seed ?? 0, seeds: 1, maxCpuSeconds });
  return without.seed !== undefined;
}

/** A row of a table in Markdown. */
function describe(bug: PlantedBug, { seed, oracle, cpuSeconds, runs }: HuntResult, isFound: boolean): string {
  const how = isFound
    ? seed === 0
      ? 'without faults'
      : `seed ${seed}`
    : seed === undefined
      ? `not found in ${runs} seeds`
      : `seed ${seed} fails without it`;
  return `| ${bug.title} | ${bug.class} | ${bug.scenario} | ${how} | ${oracle ?? ''} | ${cpuSeconds.toFixed(1)} |`;
}
