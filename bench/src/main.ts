import { compareWith, writeFigures } from './figures.ts';

interface Options {
  readonly quick: boolean;
  /** How long suites run that take their time. */
  readonly seconds: number;
  /** Given by `--minutes`, not by default. */
  readonly givenSeconds?: number;
  readonly only?: string;
}

/** Each suite is loaded when it is asked for. */
const suites: Readonly<Record<string, (options: Options) => Promise<void>>> = {
  apiserver: async ({ quick }) => (await import('./apiserver/index.ts')).benchApiServer({ quick }),
  byoh: async ({ quick }) => (await import('./byoh/index.ts')).benchByoh({ quick }),
  chains: async ({ quick }) => (await import('./chains/index.ts')).benchChains({ quick }),
  connectors: async ({ quick }) => (await import('./connectors/index.ts')).benchConnectors({ quick }),
  controller: async ({ quick }) => (await import('./controller/index.ts')).benchController({ quick }),
  crowd: async ({ quick, givenSeconds: seconds }) =>
    (await import('./load/crowd.ts')).benchCrowd({ quick, ...(seconds === undefined ? {} : { seconds }) }),
  dashboard: async ({ quick }) => (await import('./dashboard/index.ts')).benchDashboard({ quick }),
  endurance: async ({ seconds }) => (await import('./load/endurance.ts')).benchEndurance(seconds),
  images: async ({ quick }) => (await import('./images/index.ts')).benchImages({ quick }),
  manifest: async ({ quick }) => (await import('./manifest/index.ts')).benchManifest({ quick }),
  node: async ({ quick }) => (await import('./node/index.ts')).benchNode({ quick }),
  pipelineruns: async ({ quick }) => (await import('./pipelineruns/index.ts')).benchPipelineRuns({ quick }),
  'planted-bugs': async ({ quick, only }) =>
    (await import('./planted-bugs/index.ts')).benchPlantedBugs({ quick, ...(only === undefined ? {} : { only }) }),
  results: async ({ quick }) => (await import('./results/index.ts')).benchResults({ quick }),
  simulate: async ({ quick }) => (await import('./simulate/index.ts')).benchSimulate({ quick }),
  soak: async ({ quick }) => (await import('./soak/index.ts')).benchSoak({ quick }),
  taskruns: async ({ quick }) => (await import('./taskruns/index.ts')).benchTaskRuns({ quick }),
  'tekton-operator': async () => (await import('./tekton-operator/index.ts')).benchTektonOperator(),
  triggers: async ({ quick }) => (await import('./triggers/index.ts')).benchTriggers({ quick }),
};

/**
 * `npm run bench -- SUITE [--quick] [--minutes N] [--only TEXT]`: figures, each beside a reference measured in the same run. `--json FILE`
 * keeps them, `--compare FILE` shows what changed since that run.
 */
const [name = '', ...flags] = process.argv.slice(2);
const valueOf = (flag: string) => (flags.includes(flag) ? flags[flags.indexOf(flag) + 1] : undefined);
const suite = Object.hasOwn(suites, name) ? suites[name] : undefined;

if (suite) {
  const compared = valueOf('--compare');
  const kept = valueOf('--json');
  if (compared) compareWith(compared);
  if (kept) process.once('exit', () => writeFigures(kept));
  const quick = flags.includes('--quick');
  const minutes = valueOf('--minutes');
  const only = valueOf('--only');
  const given = minutes === undefined ? {} : { givenSeconds: Number(minutes) * 60 };
  const seconds = given.givenSeconds ?? (quick ? 20 : 3600);
  await suite({ quick, seconds, ...given, ...(only === undefined ? {} : { only }) });
} else {
  const names = Object.keys(suites).join('|');
  console.error(
    `usage: npm run bench -- ${names} [--quick] [--minutes N] [--only TEXT] [--json FILE] [--compare FILE]`,
  );
  process.exitCode = 2;
}
