import { emptyJob } from '../sandbox/sandbox-job.ts';
import { SandboxProcess } from '../sandbox/sandbox-process.ts';
import type { HostMachine } from './host-machine.ts';

/** The first process of a PID namespace that several containers share. */
export interface ProcessHolder {
  /** As the host counts. */
  readonly pid: number;
  /** Ends it, and with it everything in the namespace. */
  end(): Promise<void>;
}

/** It collects orphans, and nothing else. */
export async function startProcessHolder(
  machine: HostMachine,
  namespace: string,
  folder: string,
): Promise<ProcessHolder> {
  const holder = new SandboxProcess({
    program: machine.sandbox,
    mode: 'hold',
    namespace,
    folder,
    job: emptyJob(),
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  const pid = await holder.started;
  return {
    pid,
    end: async () => {
      holder.signal('SIGKILL');
      await holder.ended;
    },
  };
}
