import { readFileSync } from 'node:fs';
import { pipelinesSystem } from '@tektite/pipelines';
import {
  addBuiltInControllers,
  baselineOf,
  fileScenario,
  readScenario,
  runScenario,
  type Scenario,
  tryScenario,
} from '@tektite/simulator';
import { startControlPlane, virtualClock } from '@tektite/testkit';
import { printTable } from '../table.ts';

const scenarioFile = new URL('../../../systems/pipelines/simulations/pipeline-run.yaml', import.meta.url);
/** Only named: nothing runs. */
const images = { entrypoint: 'e', nop: 'nop', sidecarLogResults: 'r', workingDirInit: 'w', shell: 'sh' };
const secondsOfDay = 86_400;

/** A cluster in which nothing happens for a day. */
const idle: Scenario = {
  hasServiceAccounts: true,
  restless: ['node-1'],
  prepare: (world) => addBuiltInControllers(world),
  act: ({ sleep }) => sleep(secondsOfDay * 1000),
};

/** Figures of simulations. Seeds are counted by time of the processor, so that a busy machine changes little. */
export async function benchSimulate({ quick }: { readonly quick: boolean }): Promise<void> {
  const { milliseconds, bytes } = await planes(quick ? 20 : 200);
  const still = await cpuSeconds(() => runScenario(idle, { seed: 1, faults: [] }));
  const scenario = fileScenario(readScenario(readFileSync(scenarioFile, 'utf8')), () => [
    pipelinesSystem({ images, release: 'bench' }),
  ]);
  await baselineOf(scenario);
  const seeds = quick ? 10 : 200;
  let virtualMs = 0;
  let failures = 0;
  const loaded = await cpuSeconds(async () => {
    for (let seed = 1; seed <= seeds; seed++) {
      const { history, failure } = await tryScenario(scenario, { seed });
      virtualMs += history.now;
      if (failure) failures++;
    }
  });
  const isGood = printTable('simulations, by time of one core', [
    { what: 'start of a control plane', value: milliseconds, unit: 'ms', target: { value: 5, better: 'less' } },
    { what: 'memory of a control plane', value: bytes / 1e6, unit: 'MB', target: { value: 1, better: 'less' } },
    {
      what: 'idle cluster',
      value: secondsOfDay / still,
      unit: 'virtual s per s',
      target: { value: 1000, better: 'more' },
    },
    {
      what: 'PipelineRun with faults',
      value: virtualMs / 1000 / loaded,
      unit: 'virtual s per s',
      target: { value: 100, better: 'more' },
    },
    {
      what: 'PipelineRun with faults',
      value: (seeds / loaded) * secondsOfDay,
      unit: 'seeds per core-day',
      target: { value: 100_000, better: 'more' },
    },
    { what: 'failed seeds', value: failures, unit: `of ${seeds}`, target: { value: 0, better: 'less' } },
  ]);
  if (!isGood) process.exitCode = 1;
}

async function planes(count: number): Promise<{ readonly milliseconds: number; readonly bytes: number }> {
  const open = async (seed: number) => startControlPlane({ clock: virtualClock(), seed });
  for (let seed = 0; seed < 10; seed++) await (await open(seed)).close();
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  const all: Awaited<ReturnType<typeof open>>[] = [];
  const seconds = await cpuSeconds(async () => {
    for (let seed = 0; seed < count; seed++) all.push(await open(seed));
  });
  const milliseconds = (seconds * 1000) / count;
  globalThis.gc?.();
  const bytes = (process.memoryUsage().heapUsed - before) / count;
  for (const plane of all) await plane.close();
  return { milliseconds, bytes };
}

async function cpuSeconds(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}
