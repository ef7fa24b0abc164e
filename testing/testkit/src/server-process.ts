import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { type Clock, sleep } from '@tektite/meta';

/** A program that serves while a test runs. What it prints goes to a file. Ends with this process at the latest. */
export class ServerProcess {
  private readonly name: string;
  private readonly logFile: string;
  private readonly child: ChildProcess;
  private readonly exited: Promise<void>;
  private failure: string | undefined;
  private stopping = false;
  private readonly killNow = () => void this.child.kill('SIGKILL');

  constructor(program: string, args: readonly string[], options: { readonly name: string; readonly logFile: string }) {
    this.name = options.name;
    this.logFile = options.logFile;
    const log = openSync(this.logFile, 'a');
    this.child = spawn(program, args, { stdio: ['ignore', log, log] });
    closeSync(log);
    this.exited = new Promise((resolve) => {
      this.child.once('error', (error) => {
        this.failure = error.message;
        resolve();
      });
      this.child.once('exit', (code, signal) => {
        this.failure ??= signal ? `it was ended by ${signal}` : `it ended with code ${code}`;
        // A test that fails because its server has exited should say so.
        if (!this.stopping) console.error(`${this.name}: ${this.failure}\n${this.lastWords()}`);
        resolve();
      });
    });
    process.once('exit', this.killNow);
  }

  /** The end of what it printed. */
  logTail(lines: number): string {
    return readFileSync(this.logFile, 'utf8').trimEnd().split('\n').slice(-lines).join('\n');
  }

  /** Go prints why it gives up before it prints the stacks of all goroutines. */
  private lastWords(): string {
    const lines = readFileSync(this.logFile, 'utf8').trimEnd().split('\n');
    const crash = lines.findIndex((line) => /^(?:panic:|fatal error:|runtime: )/.test(line));
    return (crash < 0 ? lines.slice(-40) : lines.slice(crash, crash + 40)).join('\n');
  }

  /** Resolves when `check` does; throws with the end of the log when the program ends before, or it takes too long. */
  async ready(check: () => Promise<unknown>, clock: Clock, timeoutMs: number): Promise<void> {
    const end = clock.monotonic() + timeoutMs;
    let last: unknown;
    while (this.failure === undefined && clock.monotonic() < end) {
      try {
        await check();
        return;
      } catch (error) {
        last = error;
      }
      await sleep(clock, 50);
    }
    const why = this.failure ?? `it was not ready after ${timeoutMs} ms`;
    throw new Error(`${this.name} did not start: ${why}\n${this.logTail(20)}`, { cause: last });
  }

  /** Its data is thrown away, so there is nothing to wait for but its end. */
  async stop(): Promise<void> {
    process.off('exit', this.killNow);
    this.stopping = true;
    if (this.failure === undefined) this.child.kill('SIGKILL');
    await this.exited;
  }
}
