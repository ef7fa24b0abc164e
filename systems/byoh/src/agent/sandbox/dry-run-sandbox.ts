import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { HostFacts, Sandbox, ScriptOptions } from './sandbox.ts';

/** A script that would have been run. */
export interface TracedScript {
  readonly name: string;
  readonly script: string;
  readonly input?: Uint8Array;
}

export interface DryRunOptions {
  readonly facts: HostFacts;
  /** Whether bash is asked to read each script. Default yes; those who simulate many hosts go without. */
  readonly checksSyntax?: boolean;
  /** Called with each script; returns its exit code. Default: 0. */
  readonly onScript?: (script: TracedScript) => number | undefined;
}

/** Nowhere: scripts are read by bash and written down, and all of them end well. */
export function dryRunSandbox({ facts, checksSyntax = true, onScript }: DryRunOptions): Sandbox {
  return {
    mode: 'dry-run',
    facts: () => Promise.resolve(facts),
    async run(script, { name, input }: ScriptOptions) {
      if (checksSyntax) {
        const failure = await syntaxError(script);
        if (failure !== undefined) return { exitCode: 2, tail: failure };
      }
      const exitCode = onScript?.({ name, script, ...(input ? { input } : {}) }) ?? 0;
      return { exitCode, tail: exitCode === 0 ? '' : `${name} would have failed` };
    },
  };
}

/** The syntax error of a script, without running it. */
export async function syntaxError(script: string): Promise<string | undefined> {
  const child = spawn('bash', ['-n'], { stdio: ['pipe', 'ignore', 'pipe'] });
  let text = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  child.stdin.on('error', () => undefined);
  child.stdin.end(script);
  const [code] = (await once(child, 'close')) as [number | null];
  return code === 0 ? undefined : text.trim() || 'bash cannot read it';
}
