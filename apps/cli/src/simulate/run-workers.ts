import { type ChildProcess, fork } from 'node:child_process';
import type { SimulatedProgram } from './load-scenario.ts';
import type { WorkerOrder, WorkerReport } from './simulation-worker.ts';

export type RunReport = Extract<WorkerReport, { readonly type: 'run' }>;

export interface WorkersOptions extends SimulatedProgram {
  readonly firstSeed: number;
  readonly seeds: number;
  readonly jobs: number;
  /** Returns false to stop all workers. */
  readonly onRun: (report: RunReport) => boolean;
}

/** Runs the seeds in several processes, each with every nth seed. Rejects with the first error that is not a failed run. */
export async function runWorkers(options: WorkersOptions): Promise<void> {
  const { operator, scenario, functions, firstSeed, seeds, jobs, onRun } = options;
  const [, script = ''] = process.argv;
  const workers: ChildProcess[] = [];
  const stopAll = () => {
    for (const worker of workers) if (worker.exitCode === null) worker.kill('SIGKILL');
  };
  const run = (part: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const worker = fork(script, ['simulate', 'worker'], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
      workers.push(worker);
      const order: WorkerOrder = {
        operator,
        scenario,
        ...(functions === undefined ? {} : { functions }),
        first: firstSeed + part,
        step: jobs,
        count: Math.max(0, Math.ceil((seeds - part) / jobs)),
      };
      worker.send(order);
      worker.on('message', (report: WorkerReport) => {
        if (report.type === 'error') reject(new Error(report.message));
        else if (report.type === 'run' && !onRun(report)) stopAll();
      });
      worker.on('error', reject);
      worker.on('exit', (code, signal) => {
        if (code === 0 || signal === 'SIGKILL') resolve();
        else reject(new Error(`a process of the simulation ended with ${signal ?? code}`));
      });
    });
  try {
    await Promise.all(Array.from({ length: jobs }, (_, part) => run(part)));
  } finally {
    stopAll();
  }
}
