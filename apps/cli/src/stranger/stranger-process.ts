import type { ChildProcessWithoutNullStreams } from 'node:child_process';

/** A running program of a stranger, with what it has printed. */
export class StrangerProcess implements AsyncDisposable {
  readonly name: string;
  readonly child: ChildProcessWithoutNullStreams;
  out = '';
  err = '';
  private failure: Error | undefined;
  private readonly closed: Promise<void>;
  private changed: () => void = () => undefined;

  constructor(name: string, child: ChildProcessWithoutNullStreams) {
    this.name = name;
    this.child = child;
    child.stdout.setEncoding('utf8').on('data', (text: string) => this.heard('out', text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => this.heard('err', text));
    // A program that has ended reads no input; that is its right.
    child.stdin.on('error', () => undefined);
    this.closed = new Promise<void>((resolve) => {
      child.on('error', (error) => {
        this.failure = error;
        resolve();
      });
      child.on('close', () => resolve());
    }).then(() => this.changed());
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** Both streams. */
  get output(): string {
    return this.out + this.err;
  }

  /** Gives it input, and ends that. */
  write(text: string): void {
    this.child.stdin.end(text);
  }

  /** Resolves with the match once the output has one. */
  async said(text: RegExp, timeoutMs = 60_000): Promise<RegExpExecArray> {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      const match = text.exec(this.output);
      if (match) return match;
      if (this.hasEnded()) throw new Error(`${this.name} ended with ${this.child.exitCode}:\n${this.output}`);
      const rest = deadline - performance.now();
      if (rest <= 0) throw new Error(`${this.name} did not print ${text} in ${timeoutMs} ms:\n${this.output}`);
      await this.change(rest);
    }
  }

  /** Resolves with the exit code; `null` after a signal. Kills it and throws when it does not end in time. */
  async ended(timeoutMs = 60_000): Promise<number | null> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<true>((resolve) => void (timer = setTimeout(() => resolve(true), timeoutMs)));
    const isLate = (await Promise.race([this.closed, late])) === true;
    clearTimeout(timer);
    if (this.failure) throw this.failure;
    if (!isLate) return this.child.exitCode;
    await this[Symbol.asyncDispose]();
    throw new Error(`${this.name} did not end in ${timeoutMs} ms:\n${this.output}`);
  }

  /** Sends a signal to the program alone. */
  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      if (this.pid > 0) process.kill(-this.pid, 'SIGKILL');
    } catch {
      // The whole group has ended.
    }
    await this.closed;
  }

  private heard(stream: 'out' | 'err', text: string): void {
    this[stream] += text;
    this.changed();
  }

  private hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null || this.failure !== undefined;
  }

  private async change(timeoutMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.changed = resolve;
      timer = setTimeout(resolve, timeoutMs);
    });
    clearTimeout(timer);
    this.changed = () => undefined;
  }
}
