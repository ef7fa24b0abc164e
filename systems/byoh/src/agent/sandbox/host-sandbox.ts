import type { Clock } from '@tektite/meta';
import { readFacts } from './read-facts.ts';
import { runProcess } from './run-process.ts';
import type { Sandbox } from './sandbox.ts';

export interface HostSandboxOptions {
  readonly clock: Clock;
  /** Where scripts, logs and the lock are kept. */
  readonly folder: string;
  /** Programs that scripts find before all others. */
  readonly programs: string;
}

/** The host itself: scripts change it. */
export function hostSandbox({ clock, folder, programs }: HostSandboxOptions): Sandbox {
  const place = {
    clock,
    folder,
    environment: { ...process.env, PATH: `${programs}:${process.env['PATH'] ?? ''}` },
    command: (file: string) => ['bash', file] as const,
  };
  return {
    mode: 'host',
    run: (script, options) => runProcess(place, script, options),
    facts: () => readFacts('/'),
  };
}
