import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build, type Plugin } from 'esbuild';
import type { HuntOrder, HuntResult } from './hunt.ts';
import type { PlantedBug } from './planted-bug.ts';
import { huntingProgram, type ScenarioName } from './scenarios.ts';

const run = promisify(execFile);

export const root = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '');

export interface HuntOptions {
  readonly firstSeed: number;
  readonly seeds: number;
  readonly maxCpuSeconds: number;
}

/** Programs that hunt bugs, bundled from the sources: with a bug planted, or as they ship. Each runs in a process of its own. */
export class HuntingGround {
  private readonly folder: string;
  private readonly clean = new Map<ScenarioName, Promise<string>>();
  private readonly baselines = new Map<ScenarioName, Promise<string>>();

  /** `folder` is inside of the repository, so that native packages are found. */
  constructor(folder: string = join(root, 'bench/dist/planted')) {
    this.folder = folder;
    mkdirSync(folder, { recursive: true });
  }

  /** Hunts a planted bug. What is found is compared with the final state of the sources as they ship. */
  async hunt(bug: PlantedBug, options: HuntOptions): Promise<HuntResult> {
    const baselineFile = await this.baselineOf(bug.scenario);
    const program = join(this.folder, `${slug(bug.title)}.mjs`);
    await bundle(bug.scenario, program, bug);
    return start(program, { task: 'hunt', baselineFile, ...options });
  }

  /** Runs the same without the bug. */
  async huntNothing(scenario: ScenarioName, options: HuntOptions): Promise<HuntResult> {
    const baselineFile = await this.baselineOf(scenario);
    return start(await this.cleanProgram(scenario), { task: 'hunt', baselineFile, ...options });
  }

  private baselineOf(scenario: ScenarioName): Promise<string> {
    const known = this.baselines.get(scenario) ?? this.makeBaseline(scenario);
    this.baselines.set(scenario, known);
    return known;
  }

  private async makeBaseline(scenario: ScenarioName): Promise<string> {
    const baselineFile = join(this.folder, `${scenario}.json`);
    const program = await this.cleanProgram(scenario);
    await run(process.execPath, [program, order({ task: 'baseline', baselineFile, ...noSeeds })]);
    return baselineFile;
  }

  private cleanProgram(scenario: ScenarioName): Promise<string> {
    const program = join(this.folder, `${scenario}.mjs`);
    const known = this.clean.get(scenario) ?? bundle(scenario, program).then(() => program);
    this.clean.set(scenario, known);
    return known;
  }
}

const noSeeds: HuntOptions = { firstSeed: 1, seeds: 0, maxCpuSeconds: 0 };

const order = (given: HuntOrder) => JSON.stringify(given);

async function start(program: string, given: HuntOrder): Promise<HuntResult> {
  const { stdout } = await run(process.execPath, [program, order(given)], { maxBuffer: 64 * 1024 * 1024 });
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '{}') as HuntResult;
}

/** Throws unless the text of the bug is in its file exactly once. */
export function plant({ title, file, find, replace }: PlantedBug): string {
  const parts = readFileSync(join(root, file), 'utf8').split(find);
  if (parts.length !== 2)
    throw new Error(`${title}: its text is ${parts.length - 1} times in ${file}, it has to be there once`);
  return parts.join(replace);
}

async function bundle(scenario: ScenarioName, outfile: string, bug?: PlantedBug): Promise<void> {
  await build({
    stdin: { contents: huntingProgram(scenario, root), resolveDir: join(root, 'bench'), loader: 'ts' },
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    conditions: ['source'],
    external: ['lmdb', 'node-sqlite3-wasm', 'esbuild'],
    plugins: bug ? [planting(bug)] : [],
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
    logLevel: 'error',
  });
}

function planting(bug: PlantedBug): Plugin {
  const contents = plant(bug);
  const path = join(root, bug.file);
  return {
    name: 'planted bug',
    setup(builder) {
      builder.onLoad({ filter: /\.ts$/ }, (given) => (given.path === path ? { contents, loader: 'ts' } : undefined));
    },
  };
}

function slug(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 80);
}
