import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import {
  Coverage,
  explainFailure,
  type FailureFile,
  failureFile,
  formatFailure,
  formatJunit,
  type JunitCase,
  tryScenario,
} from '@tektite/simulator';
import { loadScenario, type SimulatedProgram } from '../simulate/load-scenario.ts';
import { type RunReport, runWorkers } from '../simulate/run-workers.ts';
import { formatProgress } from '../simulate/simulation-progress.ts';
import { readNumber, UserError } from '../user-error.ts';

export interface SimulateOptions {
  readonly scenario?: string;
  readonly functions?: string;
  readonly seeds: string;
  readonly firstSeed: string;
  readonly jobs: string;
  readonly untilFails?: boolean;
  readonly junit?: string;
  readonly out: string;
}

/** Failures that are shrunk and told; the others are counted. */
const maxExplained = 3;
const progressMs = 1000;
const progressMsWithoutTerminal = 10_000;

/** `tektite simulate`: runs an operator through faults, many times, and explains what it finds. Fails when something was found. */
export async function simulate(operator: string, options: SimulateOptions): Promise<void> {
  const seeds = readNumber('--seeds', options.seeds, 1, 100_000_000);
  const firstSeed = readNumber('--first-seed', options.firstSeed, 0, 999_999_999);
  const jobs = Math.min(seeds, readNumber('--jobs', options.jobs, 1, 64));
  const { scenario, functions } = options;
  if (scenario === undefined) throw new UserError('--scenario must name a file with manifests or steps');
  const program: SimulatedProgram = { operator, scenario, ...(functions === undefined ? {} : { functions }) };
  // Errors of the files are reported before a process is started.
  await loadScenario(program);
  const campaign = new CampaignView(seeds);
  await runWorkers({
    ...program,
    firstSeed,
    seeds,
    jobs,
    onRun: (report) => campaign.add(report) === 'passed' || options.untilFails !== true,
  });
  campaign.end();
  const explained = await explainAll(program, campaign.failed, options.out);
  if (options.junit !== undefined)
    await writeFile(options.junit, formatJunit(operator, junitCases(program, campaign, explained)));
  if (campaign.failures > 0) process.exitCode = 1;
}

/** Counts what workers report, and prints it from time to time. */
class CampaignView {
  readonly coverage = new Coverage();
  /** The first report of each failure. */
  readonly failed: RunReport[] = [];
  failures = 0;
  private runs = 0;
  private virtualMs = 0;
  private printed = 0;
  private readonly seeds: number;
  private readonly start = performance.now();
  private readonly known = new Set<string>();

  constructor(seeds: number) {
    this.seeds = seeds;
  }

  get seconds(): number {
    return (performance.now() - this.start) / 1000;
  }

  add(report: RunReport): 'passed' | 'failed' {
    this.runs++;
    this.virtualMs += report.virtualMs;
    this.coverage.add(report.features);
    const { failure } = report;
    if (failure) {
      this.failures++;
      if (!this.known.has(failure.oracle)) this.failed.push(report);
      this.known.add(failure.oracle);
    }
    const every = process.stderr.isTTY ? progressMs : progressMsWithoutTerminal;
    if (performance.now() - this.start - this.printed > every) {
      this.printed = performance.now() - this.start;
      this.print(process.stderr.isTTY ? '\r' : '', process.stderr.isTTY ? '\u001b[K' : '\n');
    }
    return failure ? 'failed' : 'passed';
  }

  end(): void {
    this.print(process.stderr.isTTY ? '\r' : '', process.stderr.isTTY ? '\u001b[K\n' : '\n');
  }

  private print(before: string, after: string): void {
    const { runs, seeds, failures, seconds, coverage } = this;
    const virtualSeconds = this.virtualMs / 1000;
    process.stderr.write(
      `${before}${formatProgress({ runs, seeds, failures, seconds, virtualSeconds, coverage })}${after}`,
    );
  }
}

async function explainAll(
  program: SimulatedProgram,
  failed: readonly RunReport[],
  folder: string,
): Promise<readonly FailureFile[]> {
  if (failed.length === 0) return [];
  const scenario = await loadScenario(program);
  const files: FailureFile[] = [];
  await mkdir(folder, { recursive: true });
  for (const { seed } of failed.slice(0, maxExplained)) {
    process.stderr.write(`seed ${seed} fails; looking for the faults that matter\n`);
    const report = await tryScenario(scenario, { seed });
    const explained = await explainFailure(scenario, report);
    const file = failureFile(explained, { ...program });
    const path = join(folder, `simulation-${seed}.json`);
    await writeFile(path, `${JSON.stringify(file, undefined, 2)}\n`);
    process.stdout.write(`${formatFailure(file)}\n\n`);
    process.stderr.write(
      `${explained.faultsBefore} faults, of which ${explained.faults.length} matter (${explained.runs} runs). Replay it: tektite simulate replay ${path}\n`,
    );
    files.push(file);
  }
  return files;
}

function junitCases(
  { scenario }: SimulatedProgram,
  { failed, seconds }: CampaignView,
  files: readonly FailureFile[],
): readonly JunitCase[] {
  const name = basename(scenario);
  if (failed.length === 0) return [{ name, seconds }];
  return failed.map(({ seed, failure }) => {
    const file = files.find((each) => each.seed === seed);
    const message = `seed ${seed}: ${failure?.oracle}: ${failure?.message}`;
    return {
      name: `${name} (${failure?.oracle})`,
      seconds,
      failure: { message, text: file ? formatFailure(file) : message },
    };
  });
}
