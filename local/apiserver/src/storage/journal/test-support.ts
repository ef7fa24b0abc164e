import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';

/** For tests that need a separate process: one to kill, or one that holds a folder. */

/** A folder that is removed with the test. */
export async function temporaryFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'tektite-test-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/**
 * Makes a program for plain Node out of a few lines that import sources of this folder, so that the child runs what the
 * test was written for and not an older build.
 */
export async function bundleProgram(contents: string, outfile: string): Promise<string> {
  await build({
    stdin: { contents, resolveDir: import.meta.dirname, loader: 'ts' },
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    conditions: ['source'],
    logLevel: 'warning',
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
  });
  return outfile;
}

/** A child that prints lines. */
export class LineProcess {
  readonly lines: string[] = [];
  readonly errors: string[] = [];
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  readonly child: ChildProcess;
  private waiting: (() => void) | undefined;

  constructor(program: string, args: readonly string[], shell?: string) {
    const command = shell === undefined ? process.execPath : '/bin/sh';
    const rest =
      shell === undefined ? [program, ...args] : ['-c', `${shell} exec "$0" "$@"`, process.execPath, program, ...args];
    this.child = spawn(command, rest, { stdio: ['ignore', 'pipe', 'pipe'] });
    let partial = '';
    this.child.stdout?.on('data', (chunk: Buffer) => {
      const parts = (partial + chunk.toString()).split('\n');
      partial = parts.pop() as string;
      this.lines.push(...parts);
      this.waiting?.();
    });
    this.child.stderr?.on('data', (chunk: Buffer) => this.errors.push(chunk.toString()));
    this.ended = new Promise((resolve) => {
      this.child.once('close', (code, signal) => {
        this.waiting?.();
        resolve({ code, signal });
      });
    });
  }

  /** Resolves when it has printed so many lines, or ended. */
  async printed(count: number): Promise<void> {
    while (this.lines.length < count && this.child.exitCode === null && this.child.signalCode === null)
      await new Promise<void>((resolve) => {
        this.waiting = resolve;
      });
  }

  async kill(signal: NodeJS.Signals): Promise<void> {
    this.child.kill(signal);
    await this.ended;
  }
}
