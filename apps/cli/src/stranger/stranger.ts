import { spawn, spawnSync } from 'node:child_process';
import { chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { repository } from '../test-support.ts';
import { StrangerProcess } from './stranger-process.ts';
import { Terminal, type TerminalSize } from './terminal.ts';

/** `root`; `ordinary`, a user with subordinate ids; `plain`, a user without. */
export type UserName = 'root' | 'ordinary' | 'plain';

interface User {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/** The users that this machine offers. `scripts/stranger/with-strangers.mjs` created them. */
const users = JSON.parse(process.env['TEKTITE_STRANGERS'] ?? '{}') as Partial<Record<UserName, User>>;
if (Object.keys(users).length === 0)
  throw new Error('there are no users to be: run this with `npm run test:stranger -- FILE`');

/** Those of the wanted users that this machine offers: all where the tests run as root. */
export function usersHere(...wanted: readonly UserName[]): readonly UserName[] {
  const all: readonly UserName[] = wanted.length > 0 ? wanted : ['root', 'ordinary', 'plain'];
  return all.filter((name) => name in users);
}

export interface StrangerOptions {
  readonly user: UserName;
  /** Added to an environment that has only what a login gives. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface CommandOptions {
  readonly input?: string;
  /** Default: the home. */
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
}

/** How a command ended. `out` and `err` are complete. */
export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
  readonly milliseconds: number;
}

/**
 * A user who has just cloned and built the repository: a new home, an empty folder for temporary files, `tektite` on the PATH.
 * At the end of the test all processes and files of it are removed.
 */
export function stranger(options: StrangerOptions): Stranger {
  return new Stranger(options);
}

export class Stranger implements AsyncDisposable {
  readonly home: string;
  /** $TMPDIR. Empty once all commands have ended. */
  readonly temporary: string;
  private readonly base = mkdtempSync(join(tmpdir(), 'stranger-'));
  private readonly user: User;
  readonly env: Readonly<Record<string, string>>;
  private readonly children: AsyncDisposable[] = [];

  constructor({ user, env = {} }: StrangerOptions) {
    const found = users[user];
    if (!found) throw new Error(`this machine has no user that is ${user}`);
    this.user = found;
    this.home = join(this.base, 'home');
    this.temporary = join(this.base, 'tmp');
    const bin = join(this.base, 'bin');
    for (const folder of [this.base, this.home, this.temporary, bin]) {
      mkdirSync(folder, { recursive: true });
      this.own(folder);
    }
    symlinkSync(join(repository, 'apps/cli/bin/tektite.js'), join(bin, 'tektite'));
    const places = (process.env['PATH'] ?? '').split(':').filter((folder) => !folder.includes('node_modules'));
    this.env = {
      PATH: [bin, dirname(process.execPath), ...places].join(':'),
      HOME: this.home,
      USER: found.name,
      LOGNAME: found.name,
      SHELL: '/bin/bash',
      LANG: 'C.UTF-8',
      TMPDIR: this.temporary,
      TEKTITE_OFFLINE: '1',
      ...env,
    };
  }

  /** Runs a program to its end. One that does not end in time is killed, and that is an error. */
  async run(argv: readonly string[], { input, timeoutMs = 60_000, ...options }: CommandOptions = {}): Promise<Ended> {
    const start = performance.now();
    await using child = this.spawn(argv, options);
    child.write(input ?? '');
    const code = await child.ended(timeoutMs);
    return { code, out: child.out, err: child.err, milliseconds: performance.now() - start };
  }

  /** Runs the command under test to its end. */
  tektite(...args: readonly string[]): Promise<Ended> {
    return this.run(['tektite', ...args]);
  }

  /** Runs a line of shell to its end. */
  sh(line: string, options?: CommandOptions): Promise<Ended> {
    return this.run(['bash', '-c', line], options);
  }

  /** Starts a program. It leads a process group, which ends with the test. */
  spawn(argv: readonly string[], { cwd = this.home, env = {} }: Omit<CommandOptions, 'input'> = {}): StrangerProcess {
    const [program = '', ...args] = this.asUser(argv);
    const child = new StrangerProcess(
      argv.join(' '),
      spawn(program, args, { cwd, env: { ...this.env, ...env }, stdio: 'pipe', detached: true }),
    );
    this.children.push(child);
    return child;
  }

  /** Opens a terminal with a shell in it. */
  async terminal(size: TerminalSize = {}): Promise<Terminal> {
    const tmux = (...args: readonly string[]) => {
      const [program = '', ...words] = this.asUser(['tmux', '-S', join(this.base, 'tmux'), '-f', '/dev/null', ...args]);
      const { status, stdout, stderr } = spawnSync(program, words, {
        cwd: this.home,
        env: this.env,
        encoding: 'utf8',
      });
      if (status !== 0) throw new Error(`tmux ${args[0]}: ${stderr}`);
      return stdout;
    };
    const terminal = await Terminal.open(tmux, size);
    this.children.push(terminal);
    return terminal;
  }

  /** Writes a file of the user, relative to the home. */
  write(file: string, text: string): string {
    const path = join(this.home, file);
    const made = mkdirSync(dirname(path), { recursive: true });
    if (made) this.own(made);
    this.own(dirname(path));
    writeFileSync(path, text);
    this.own(path);
    return path;
  }

  /** Names of the files that ended commands have left in the folder for temporary files. */
  left(): readonly string[] {
    return readdirSync(this.temporary);
  }

  /** Makes the user the owner of a file. */
  readonly own = (path: string): void => chownSync(path, this.user.uid, this.user.gid);

  /** The command line that runs a program as the user, with the groups of a login. */
  readonly asUser = (argv: readonly string[]): readonly string[] => {
    const { uid, gid } = this.user;
    if (uid === process.getuid?.()) return argv;
    return ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--init-groups', '--inh-caps=-all', ...argv];
  };

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.children.toReversed()) await child[Symbol.asyncDispose]();
    rmSync(this.base, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}
