import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';

/** The command as users run it, from the bundle; the global setup of the tests keeps it up to date. */
export const repository = new URL('../../..', import.meta.url).pathname;
const bin = join(repository, 'apps/cli/bin/tektite.js');
export const memcached = join(repository, 'examples/memcached-operator');

/** Processes take longer where several run at once. */
export const eventually = <T>(read: () => T) => expect.poll(read, { timeout: 15_000 });

/** A folder that is removed after the test, and a home for commands. */
export class Scratch implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), 'tektite-cli-'));

  /** Writes a file, and returns its path. */
  write(name: string, text: string): string {
    const path = join(this.path, name);
    writeFileSync(path, text);
    return path;
  }

  /** Runs a command to its end. */
  tektite(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...args], {
      encoding: 'utf8',
      timeout: 30_000,
      cwd: this.path,
      env: this.environment(env),
    });
    return { code: status, out: stdout, err: stderr };
  }

  /** Starts a command, and does not wait for anything. */
  spawn(args: readonly string[], env: Readonly<Record<string, string>> = {}): RunningCommand {
    return new RunningCommand(args, this.path, this.environment(env));
  }

  /** Runs a command that goes on, until it says what is waited for. */
  async start(
    args: readonly string[],
    ready: RegExp,
    env: Readonly<Record<string, string>> = {},
  ): Promise<RunningCommand> {
    const running = this.spawn(args, env);
    await running.said(ready);
    return running;
  }

  /** `tektite up` on a free port, with its kubeconfig: only the API, unless there are systems to run in it. */
  async up(...args: readonly string[]): Promise<RunningCommand & { readonly kubeconfig: string }> {
    const data = join(this.path, 'data');
    const alone = args.includes('--systems') ? ['--runtime', 'none'] : ['--api-only'];
    const running = await this.start(['up', '--data-dir', data, '--port', '0', ...alone, ...args], /Ctrl-C/);
    return Object.assign(running, { kubeconfig: join(data, 'kubeconfig') });
  }

  private environment(more: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
    // Tests ask no registries but their own.
    return { PATH: process.env['PATH'], HOME: this.path, TEKTITE_OFFLINE: '1', ...more };
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** A command that runs. Killed, if need be, at the end of the test. */
export class RunningCommand implements AsyncDisposable {
  readonly child: ChildProcess;
  output = '';

  constructor(args: readonly string[], cwd: string, env: NodeJS.ProcessEnv) {
    this.child = spawn(process.execPath, [bin, ...args], { stdio: ['ignore', 'pipe', 'pipe'], cwd, env });
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
  }

  /** Resolves with the match once the output has one. */
  async said(text: RegExp): Promise<RegExpExecArray> {
    const changed = new AbortController();
    try {
      for (;;) {
        const match = text.exec(this.output);
        if (match) return match;
        if (this.child.exitCode !== null) throw new Error(`it ended with ${this.child.exitCode}: ${this.output}`);
        const { signal } = changed;
        const events = [this.child.stdout, this.child.stderr].map((stream) =>
          once(stream as never, 'data', { signal }),
        );
        await Promise.race([...events, once(this.child, 'exit', { signal })]);
      }
    } finally {
      changed.abort();
    }
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<{ code: number | null; milliseconds: number }> {
    const start = performance.now();
    const ended = this.child.exitCode === null && this.child.signalCode === null ? once(this.child, 'exit') : undefined;
    this.child.kill(signal);
    await ended;
    return { code: this.child.exitCode, milliseconds: performance.now() - start };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop('SIGKILL');
  }
}
