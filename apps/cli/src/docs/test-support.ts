import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { repository, Scratch } from '../test-support.ts';

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

/** `…` stands for anything on its line; on a line of its own, for any number of lines. */
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
 * Does what a page tells its reader to do, in the order of the page: writes the files that it shows, types the commands, and
 * compares what they print. A checkout of the repository is in `~/tektite`, as the pages suppose. Throws at the first
 * difference; a block that is neither a file nor a session is one.
 *
 * Answers how many of each there were.
 */
export async function followPage(path: string): Promise<{ readonly files: number; readonly commands: number }> {
  using scratch = new Scratch();
  symlinkSync(repository, join(scratch.path, 'tektite'));
  await using shell = new Shell(scratch.path);
  let files = 0;
  let commands = 0;
  for (const { language, file, text, line } of blocksOf(readFileSync(join(repository, path), 'utf8'))) {
    const where = `${path}:${line}`;
    if (language === 'console') {
      for (const step of stepsOf(text)) {
        commands++;
        await shell.follow(step, where);
      }
      continue;
    }
    if (file === '')
      throw new Error(`${where}: a ${language} block that nobody runs; name its file or make it a session`);
    files++;
    const target = join(await shell.folder(), file);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text);
  }
  return { files, commands };
}

/** A shell that somebody types into. */
class Shell implements AsyncDisposable {
  private readonly child: ChildProcess;
  private readonly home: string;
  private output = '';
  private count = 0;
  private heard: () => void = () => undefined;

  constructor(home: string) {
    this.home = home;
    const env = { PATH: process.env['PATH'], HOME: home, TERM: 'dumb', NO_COLOR: '1' };
    this.child = spawn('bash', ['--noprofile', '--norc'], {
      cwd: home,
      env,
      stdio: ['pipe', 'pipe', 'pipe'],
      // A group of its own, so that all of it can be ended.
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
      `${where}: $ ${command}\nended with ${code} and printed\n${printed}\nthe page shows\n${shown.join('\n')}`,
    );
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

/** Whether there was somebody to hear it. */
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
