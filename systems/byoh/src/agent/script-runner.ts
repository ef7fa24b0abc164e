import type { Logger } from '@tektite/controller';
import { renderTemplate } from '../installer/script-template.ts';
import type { Sandbox, ScriptOutcome } from './sandbox/sandbox.ts';
import type { ScriptMetrics } from './script-metrics.ts';

export interface RunnerOptions {
  readonly sandbox: Sandbox;
  readonly downloadPath: string;
  /** How long a script may take. */
  readonly timeoutMs: number;
  readonly metrics: ScriptMetrics;
  readonly log: Logger;
}

const maxLines = 6;

/** Runs scripts in the sandbox of an agent, until the agent stops: then pending runs reject. */
export class ScriptRunner {
  private readonly options: RunnerOptions;
  readonly signal: AbortSignal;

  constructor(options: RunnerOptions, signal: AbortSignal) {
    this.options = options;
    this.signal = signal;
  }

  async run(phase: string, script: string, input?: Uint8Array): Promise<ScriptOutcome> {
    const { sandbox, timeoutMs, metrics, log } = this.options;
    const { signal } = this;
    signal.throwIfAborted();
    log.debug('runs', { phase });
    const end = metrics.begin(phase);
    const outcome = await sandbox.run(script, { name: phase, timeoutMs, signal, ...(input ? { input } : {}) });
    end(outcome.exitCode === 0);
    signal.throwIfAborted();
    return outcome;
  }

  /** Runs a script of the installer, with the variables that agents fill in. Answers what is wrong, or undefined. */
  async runInstaller(phase: 'install' | 'uninstall', script: string): Promise<string | undefined> {
    let rendered: string;
    try {
      rendered = renderTemplate(script, { BundleDownloadPath: this.options.downloadPath });
    } catch (error) {
      return `the ${phase} script cannot be used: ${(error as Error).message}`;
    }
    return failureOf(`the ${phase} script`, await this.run(phase, rendered));
  }
}

/** The failure of a script, with the end of its output; undefined for success. */
export function failureOf(what: string, { exitCode, tail }: ScriptOutcome): string | undefined {
  if (exitCode === 0) return undefined;
  const lines = tail.trim().split('\n').slice(-maxLines);
  return `${what} ended with exit code ${exitCode}: ${lines.join('\n')}`;
}
