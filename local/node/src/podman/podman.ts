import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process';
import { inTerminal } from '../runtime/terminal.ts';

export interface PodmanOutput {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The engine's command. Docker's takes the same words, as far as they are used here. */
export class Podman {
  private readonly program: string;

  constructor(program: string) {
    this.program = program;
  }

  /** Starts it with the machine's own variables: containers' are none of its business. */
  start(args: readonly string[], stdio: StdioOptions = ['ignore', 'pipe', 'pipe']): ChildProcess {
    return spawn(this.program, args, { stdio, detached: true });
  }

  /** Starts it in a terminal. */
  startInTerminal(args: readonly string[]): ChildProcess {
    const [program = '', ...words] = inTerminal([this.program, ...args]);
    return spawn(program, words, { stdio: 'pipe', detached: true, env: { ...process.env, SHELL: '/bin/sh' } });
  }

  /** Runs it to its end. Rejects when there is no such program. */
  run(...args: readonly string[]): Promise<PodmanOutput> {
    return new Promise((resolve, reject) => {
      const child = this.start(args);
      let stdout = '';
      let stderr = '';
      child.stdout?.on('data', (chunk: Buffer) => {
        stdout += chunk.toString();
      });
      child.stderr?.on('data', (chunk: Buffer) => {
        stderr += chunk.toString();
      });
      child.once('error', reject);
      child.once('close', (code) => resolve({ code: code ?? 1, stdout, stderr }));
    });
  }
}
