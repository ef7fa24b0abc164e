import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { freePorts } from '@tektite/testkit';
import { expect, it } from 'vitest';
import { repository, Scratch } from '../test-support.ts';

/** The pages that are followed, with the files and the commands that each has at least. */
const pages = {
  'docs/byoh.md': { files: 3, commands: 25 },
  'docs/chains.md': { files: 1, commands: 9 },
  'docs/connectors.md': { files: 2, commands: 34 },
  'docs/dashboard.md': { files: 1, commands: 11 },
  'docs/debugging.md': { files: 2, commands: 24 },
  'docs/nodes.md': { files: 0, commands: 8 },
  'docs/from-push-to-provenance.md': { files: 3, commands: 28 },
  'docs/results.md': { files: 1, commands: 16 },
  'docs/production.md': { files: 2, commands: 17 },
  'docs/run-pipelines.md': { files: 5, commands: 19 },
  'docs/simulate.md': { files: 3, commands: 11 },
  'docs/tekton-operator.md': { files: 2, commands: 18 },
  'docs/triggers.md': { files: 3, commands: 16 },
  'docs/write-an-operator.md': { files: 8, commands: 20 },
  'examples/memcached-operator/README.md': { files: 1, commands: 8 },
} as const;

/** The reader of a page: an empty home, and the way to run and to own something as that user. */
export interface Reader {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  asUser(argv: readonly string[]): readonly string[];
  own(path: string): void;
}

/** The oldest kubectl that can do what the pages show. */
const oldestKubectl = 31;

function hasKubectl(): boolean {
  const { stdout } = spawnSync('kubectl', ['version', '--client', '-o', 'json'], { encoding: 'utf8' });
  const minor = Number.parseInt(/"minor": "(\d+)/.exec(stdout ?? '')?.[1] ?? '0', 10);
  if (minor >= oldestKubectl) return true;
  console.warn(`pages of the documentation: kubectl 1.${oldestKubectl} or later is not on PATH; they are not followed`);
  return false;
}

/** Declares the test that every file and command of a page works, and prints what the page shows. */
export function itCanBeFollowed(page: keyof typeof pages, reader: () => Reader & AsyncDisposable = newReader): void {
  it.skipIf(!hasKubectl())(`can be followed to its end: ${page}`, { timeout: 240_000 }, async () => {
    await using someone = reader();
    const done = await followPage(page, someone);
    expect(done.files).toBeGreaterThanOrEqual(pages[page].files);
    expect(done.commands).toBeGreaterThanOrEqual(pages[page].commands);
  });
}

/** The user who runs the tests, with a new home. */
function newReader(): Reader & AsyncDisposable {
  const scratch = new Scratch();
  return {
    home: scratch.path,
    env: { PATH: process.env['PATH'], HOME: scratch.path, TEKTITE_OFFLINE: '1' },
    asUser: (argv) => argv,
    own: () => undefined,
    [Symbol.asyncDispose]: async () => scratch[Symbol.dispose](),
  };
}

/** A fenced block of a page: its language, what follows it (the file it is), its text, and the line it begins on. */
interface Block {
  readonly language: string;
  readonly file: string;
  readonly text: string;
  readonly line: number;
}

/** A command of a session and what is printed, where the page shows that. */
interface Step {
  readonly command: string;
  readonly shown: readonly string[];
}

function blocksOf(page: string): readonly Block[] {
  const blocks: Block[] = [];
  const fence = /^```(\w*) ?(.*)\n([\s\S]*?)^```$/gm;
  for (const { index, 1: language = '', 2: file = '', 3: text = '' } of page.matchAll(fence))
    blocks.push({ language, file, text, line: page.slice(0, index).split('\n').length });
  return blocks;
}

function stepsOf(text: string): readonly Step[] {
  const steps: { command: string; shown: string[] }[] = [];
  for (const line of text.replaceAll('\\\n', '').trimEnd().split('\n')) {
    if (line.startsWith('$ ')) steps.push({ command: line.slice(2), shown: [] });
    else steps.at(-1)?.shown.push(line);
  }
  return steps;
}

/** `…` matches anything on its line; alone on a line, any number of lines. */
function patternOf(shown: readonly string[]): RegExp {
  const lines = shown.map((line) =>
    line.trim() === '…'
      ? '(?:.*\\n)*?'
      : `${line
          .trimEnd()
          .split('…')
          .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
          .join('.*')}[ \\t]*\\n`,
  );
  return new RegExp(`^${lines.join('')}$`);
}

/**
 * Follows the instructions of a page, in its order: writes the files that it shows, runs the commands, and compares
 * what they print. A checkout of the repository is in `~/tektite`, as the pages suppose. Throws at the first
 * difference; a block that is neither a file nor a session is one.
 *
 * Returns how many of each there were.
 */
async function followPage(
  path: string,
  reader: Reader,
): Promise<{ readonly files: number; readonly commands: number }> {
  checkOut(reader);
  await using shell = new Shell(reader);
  let files = 0;
  let commands = 0;
  // The port that a page chooses may be taken on this machine.
  const [port] = await freePorts(1);
  const text = readFileSync(join(repository, path), 'utf8').replaceAll('19090', String(port));
  for (const { language, file, text: block, line } of blocksOf(text)) {
    const where = `${path}:${line}`;
    if (language === 'console') {
      for (const step of stepsOf(block)) {
        commands++;
        await shell.follow(step, where);
      }
      continue;
    }
    if (file === '')
      throw new Error(`${where}: a ${language} block that is not run; name its file or make it a session`);
    files++;
    const target = join(await shell.folder(), file);
    const made = mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, block);
    for (const path of [made, target]) if (path) reader.own(path);
  }
  return { files, commands };
}

/** Makes `~/tektite`: the repository, in folders of the reader where tools write. */
function checkOut({ home, own }: Reader): void {
  const copy = (from: string, to: string, except?: string) => {
    mkdirSync(to);
    own(to);
    for (const name of readdirSync(from)) if (name !== except) symlinkSync(join(from, name), join(to, name));
  };
  copy(repository, join(home, 'tektite'), 'node_modules');
  copy(join(repository, 'node_modules'), join(home, 'tektite/node_modules'), '.vite-temp');
}

const tailLines = 60;

/** A shell that a page's commands are typed into. */
class Shell implements AsyncDisposable {
  private readonly child: ChildProcess;
  private readonly home: string;
  private output = '';
  private count = 0;
  private heard: () => void = () => undefined;

  constructor({ home, env, asUser }: Reader) {
    this.home = home;
    const [program = '', ...args] = asUser(['bash', '--noprofile', '--norc']);
    this.child = spawn(program, args, {
      cwd: home,
      env: { ...env, TERM: 'dumb', NO_COLOR: '1' },
      stdio: ['pipe', 'pipe', 'pipe'],
      // A separate process group, so that all of it can be killed.
      detached: true,
    });
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.on('data', (chunk: Buffer) => {
        this.output += chunk.toString();
        this.heard();
      });
    this.child.stdin?.write('exec 2>&1\n');
  }

  async follow({ command, shown }: Step, where: string): Promise<void> {
    const background = command.endsWith(' &');
    const log = join(this.home, `background-${this.count}`);
    const { code, output } = await this.type(background ? `${command.slice(0, -1)} >${log} 2>&1 &` : command);
    const printed = background ? await untilMatches(log, shown) : output;
    if (shown.length === 0 && code === 0) return;
    if (shown.length > 0 && patternOf(shown).test(printed)) return;
    throw new Error(
      `${where}: $ ${command}\nended with ${code} and printed\n${printed}\nthe page shows\n${shown.join('\n')}\n${this.logTails()}`,
    );
  }

  /** The last lines of what runs in the background. */
  private logTails(): string {
    const logs = readdirSync(this.home).filter((name) => name.startsWith('background-'));
    const tail = (name: string) => readFileSync(join(this.home, name), 'utf8').split('\n').slice(-tailLines);
    return logs.flatMap((name) => [`the end of ${name}:`, ...tail(name)]).join('\n');
  }

  async folder(): Promise<string> {
    return (await this.type('pwd')).output.trim();
  }

  private async type(command: string): Promise<{ code: number; output: string }> {
    const mark = `--- end of ${this.count++}:`;
    this.output = '';
    this.child.stdin?.write(`${command}\necho "${mark} $?"\n`);
    for (;;) {
      const [output, rest] = this.output.split(mark);
      const code = /^ (\d+)\n/.exec(rest ?? '')?.[1];
      if (code !== undefined) return { code: Number(code), output: output ?? '' };
      if (this.child.exitCode !== null) throw new Error(`the shell ended: ${this.output}`);
      await new Promise<void>((resolve) => void (this.heard = resolve));
    }
  }

  /** Ends the shell and all that was started in it, also what a command started that has ended itself, and waits for that. */
  async [Symbol.asyncDispose](): Promise<void> {
    const group = -(this.child.pid ?? 0);
    for (let tries = 0; signal(group, tries === 0 ? 'SIGTERM' : 0); tries++) {
      if (tries === 200) signal(group, 'SIGKILL');
      await pause();
    }
  }
}

/** Whether the signal reached a process. */
function signal(group: number, which: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(group, which);
  } catch {
    return false;
  }
}

const pause = () => new Promise((resolve) => void setTimeout(resolve, 50));

async function untilMatches(file: string, shown: readonly string[]): Promise<string> {
  for (let tries = 0; tries < 600; tries++) {
    const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
    if (patternOf(shown).test(text)) return text;
    await pause();
  }
  return readFileSync(file, 'utf8');
}
