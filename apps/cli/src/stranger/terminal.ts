import { readdirSync, readFileSync } from 'node:fs';

export interface TerminalSize {
  readonly columns?: number;
  readonly rows?: number;
}

type Tmux = (...args: readonly string[]) => string;

const pause = () => new Promise((resolve) => void setTimeout(resolve, 50));

/** The processes of a session, which a shell leads. */
function processesOf(session: number): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        const [state, , , sid] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        return state !== 'Z' && Number(sid) === session;
      } catch {
        return false;
      }
    })
    .map(Number);
}

function signal(pid: number, name: NodeJS.Signals | 0): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended.
  }
}

/** A terminal that a test types into and reads the screen of, through tmux. */
export class Terminal implements AsyncDisposable {
  private readonly tmux: Tmux;

  private constructor(tmux: Tmux) {
    this.tmux = tmux;
  }

  /** Opens a terminal with a shell whose prompt is `$ `. */
  static async open(tmux: Tmux, { columns = 100, rows = 30 }: TerminalSize): Promise<Terminal> {
    const shell = 'env PS1="$ " bash --noprofile --norc';
    tmux('new-session', '-d', '-x', String(columns), '-y', String(rows), shell);
    const terminal = new Terminal(tmux);
    await terminal.shows(/^\$ $/m);
    return terminal;
  }

  /** Types a line, and Enter. */
  type(line: string): void {
    this.tmux('send-keys', '-l', '--', line);
    this.keys('Enter');
  }

  /** Presses keys, by their names in tmux: `C-c`, `Enter`, `Tab`. */
  keys(...names: readonly string[]): void {
    this.tmux('send-keys', ...names);
  }

  resize(columns: number, rows: number): void {
    this.tmux('resize-window', '-x', String(columns), '-y', String(rows));
  }

  /** The lines of the screen as they are now. Colours are in it on request, as escape sequences. */
  screen({ colours = false } = {}): string {
    return this.tmux('capture-pane', '-p', '-N', ...(colours ? ['-e'] : []));
  }

  /** The screen and all that has scrolled out of it. */
  history({ colours = false } = {}): string {
    return this.tmux('capture-pane', '-p', '-N', '-S', '-', ...(colours ? ['-e'] : []));
  }

  /** Resolves with the screen once it shows this. */
  async shows(text: RegExp, timeoutMs = 60_000): Promise<string> {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      const screen = this.screen();
      if (text.test(screen)) return screen;
      if (performance.now() > deadline)
        throw new Error(`the screen did not show ${text} in ${timeoutMs} ms:\n${this.history()}`);
      await pause();
    }
  }

  /** Ends the programs of the terminal, as closing its window does, and waits for that: they may have files to remove. */
  async [Symbol.asyncDispose](): Promise<void> {
    try {
      const shell = Number(this.tmux('display-message', '-p', '#{pane_pid}'));
      for (let tries = 0; ; tries++) {
        const running = processesOf(shell);
        if (running.length === 0) break;
        for (const pid of running) signal(pid, tries === 0 ? 'SIGTERM' : tries < 200 ? 0 : 'SIGKILL');
        // A shell does not end by SIGTERM.
        if (running.every((pid) => pid === shell)) signal(shell, 'SIGKILL');
        await pause();
      }
      this.tmux('kill-server');
    } catch {
      // Its shell has ended, and tmux with it.
    }
  }
}
