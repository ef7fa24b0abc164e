import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const native = fileURLToPath(new URL('../../../../native/entrypoint/', import.meta.url));

/** How the program under test was compiled and is started. */
export interface Lane {
  readonly program: string;
  /** A wrapper program, such as valgrind. */
  readonly wrapper: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface Finished {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  /** With the times of log lines as `{time}`. */
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

export interface TerminationEntry {
  readonly key: string;
  readonly value: string;
  readonly type?: number;
  readonly resourceName?: string;
}

/** A process under test; `finished` settles when it and all that writes to its streams have ended. */
export interface Running {
  readonly process: ChildProcess;
  readonly finished: Promise<Finished>;
}

/** Whether there is a compiler that can make a program with these options. */
export function canCompile(...options: string[]): boolean {
  const args = ['-x', 'c', '-', ...options, '-o', '/dev/null'];
  return spawnSync(process.env.CC || 'cc', args, { input: 'int main(void) { return 0; }' }).status === 0;
}

/** Compiles a variant of the program once; later calls find it unchanged. */
export function compileEntrypoint(name: string, ...options: string[]): string {
  const output = join(native, 'dist', 'test', name);
  const result = spawnSync(
    process.execPath,
    [join(native, 'scripts/build.mjs'), '--output', output, '--define', 'ENTRYPOINT_TEST_ROOT', ...options],
    { encoding: 'utf8' },
  );
  if (result.status !== 0 || !existsSync(output)) throw new Error(`cannot compile: ${result.stdout}${result.stderr}`);
  return output;
}

/** Everything that a step sees of Tekton, below a separate folder. */
export class Place {
  readonly root = mkdtempSync(join(tmpdir(), 'entrypoint-'));
  readonly #lane: Lane;

  constructor(lane: Lane) {
    this.#lane = lane;
    for (const folder of ['run', 'steps', 'results', 'scripts', 'artifacts', 'downward', 'creds'])
      mkdirSync(this.path(`/tekton/${folder}`), { recursive: true });
    mkdirSync(this.path('/home'));
  }

  path(path: string): string {
    return join(this.root, path);
  }

  write(path: string, content: string | Uint8Array = ''): string {
    mkdirSync(dirname(this.path(path)), { recursive: true });
    writeFileSync(this.path(path), content);
    return this.path(path);
  }

  read(path: string): string {
    return readFileSync(this.path(path), 'utf8');
  }

  has(path: string): boolean {
    return existsSync(this.path(path));
  }

  /** The entries of the termination message. */
  message(): TerminationEntry[] {
    return JSON.parse(this.read('/tekton/termination'));
  }

  /** The termination message without what every message has. */
  extras(): TerminationEntry[] {
    return this.message().filter(({ key }) => key !== 'StartedAt');
  }

  start(args: readonly string[], options: RunOptions = {}): Running {
    const [command = '', ...rest] = [...this.#lane.wrapper, this.#lane.program, ...args];
    const child = spawn(command, rest, {
      cwd: options.cwd ?? this.root,
      env: {
        PATH: '/usr/local/bin:/usr/bin:/bin',
        HOME: this.path('/home'),
        TZ: 'UTC',
        ENTRYPOINT_TEST_ROOT: this.root,
        ...this.#lane.env,
        ...options.env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return { process: child, finished: outputOf(child) };
  }

  run(args: readonly string[], options: RunOptions = {}): Promise<Finished> {
    return this.start(args, options).finished;
  }

  /** Runs as step 0 of a Pod: with the flags that every step has, then `flags`, then the command. */
  step(flags: readonly string[], command: readonly string[], options: RunOptions = {}): Promise<Finished> {
    return this.startStep(flags, command, options).finished;
  }

  startStep(flags: readonly string[], command: readonly string[], options: RunOptions = {}): Running {
    const [program = '', ...args] = command;
    const common = [
      '-post_file',
      this.path('/tekton/run/0/out'),
      '-step_metadata_dir',
      this.path('/tekton/run/0/status'),
    ];
    const entrypoint = program === '' ? [] : ['-entrypoint', program];
    return this.start([...common, ...flags, ...entrypoint, '--', ...args], options);
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

async function outputOf(child: ChildProcess): Promise<Finished> {
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve, reject) => {
    child.once('error', reject).once('close', (code, signal) => resolve([code, signal]));
  });
  if (/Sanitizer|runtime error:|==\d+==/.test(stderr)) throw new Error(stderr);
  return { code, signal, stdout, stderr: stderr.replaceAll(/^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d /gm, '{time} ') };
}

/** Waits until something holds, at most five seconds. */
export async function eventually(holds: () => boolean): Promise<void> {
  const { setTimeout: sleep } = await import('node:timers/promises');
  for (let tries = 0; tries < 500; tries++) {
    if (holds()) return;
    await sleep(10);
  }
  throw new Error('it did not happen within five seconds');
}
