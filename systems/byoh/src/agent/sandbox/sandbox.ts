import type { HostInfo, HostNetwork } from '../../kinds/byo-host.ts';

/** The input and limits of a script. */
export interface ScriptOptions {
  /** For its log: `install`, `runcmd-3`. */
  readonly name: string;
  /** Besides what the agent itself was started with. */
  readonly env?: Readonly<Record<string, string>>;
  /** Standard input. */
  readonly input?: Uint8Array;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

export interface ScriptOutcome {
  readonly exitCode: number;
  /** The end of what it printed. */
  readonly tail: string;
}

/** The facts of a host. */
export interface HostFacts {
  readonly info: HostInfo;
  readonly network: readonly HostNetwork[];
  /** The interface of the default route; some machines have none. */
  readonly defaultInterface?: string;
}

/**
 * Where an agent does its work: the host itself, a copy of it that can be thrown away, or nowhere. All that an agent changes
 * goes through scripts that are run here.
 */
export interface Sandbox {
  readonly mode: 'host' | 'overlay' | 'dry-run';
  /** Runs a bash script to its end. One at a time, also when another agent was killed and its script still runs. */
  run(script: string, options: ScriptOptions): Promise<ScriptOutcome>;
  facts(): Promise<HostFacts>;
}
