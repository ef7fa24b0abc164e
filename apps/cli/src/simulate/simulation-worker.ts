import { runCampaign } from '@tektite/simulator';
import { loadScenario, type SimulatedProgram } from './load-scenario.ts';

/** The seeds of one worker: `first`, `first + step`, and so on, `count` of them. */
export interface WorkerOrder extends SimulatedProgram {
  readonly first: number;
  readonly step: number;
  readonly count: number;
}

/** One run, as a worker reports it. */
export type WorkerReport =
  | { readonly type: 'ready' }
  | {
      readonly type: 'run';
      readonly seed: number;
      /** Features that the worker has not reported twice yet. */
      readonly features: readonly string[];
      readonly virtualMs: number;
      readonly failure?: { readonly oracle: string; readonly message: string };
    }
  | { readonly type: 'error'; readonly message: string };

/** How often a feature is reported: enough to know whether more than one run has shown it. */
const maxReports = 2;

/** A process of `tektite simulate`: takes one order over the channel of its parent, and reports each run. */
export async function simulationWorker(): Promise<void> {
  const order = await new Promise<WorkerOrder>((resolve) => void process.once('message', resolve));
  const send = (report: WorkerReport) =>
    new Promise<void>((resolve) => void process.send?.(report, undefined, undefined, () => resolve()));
  const reported = new Map<string, number>();
  try {
    const scenario = await loadScenario(order);
    await send({ type: 'ready' });
    await runCampaign(scenario, {
      seeds: seedsOf(order),
      onRun: async ({ seed, coverage, failure, history }) => {
        const features = [...coverage].filter((feature) => {
          const count = reported.get(feature) ?? 0;
          reported.set(feature, count + 1);
          return count < maxReports;
        });
        const { oracle = '', message = '' } = failure ?? {};
        await send({
          type: 'run',
          seed,
          features,
          virtualMs: history.now,
          ...(failure ? { failure: { oracle, message } } : {}),
        });
      },
    });
  } catch (error) {
    await send({ type: 'error', message: (error as Error).message });
  }
  process.disconnect();
}

function* seedsOf({ first, step, count }: WorkerOrder): Generator<number> {
  for (let index = 0; index < count; index++) yield first + index * step;
}
