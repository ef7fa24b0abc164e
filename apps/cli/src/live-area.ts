import { stripVTControlCharacters } from 'node:util';
import type { Clock } from '@tektite/meta';
import pc from 'picocolors';
import { terminalText } from './terminal-text.ts';

/** The part of a terminal that is needed here. */
export interface Terminal {
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
}

const refreshMs = 100;

/** The last lines of a terminal, kept fresh, while lines that stay scroll by above them. */
export class LiveArea implements Disposable {
  private readonly terminal: Terminal;
  private readonly clock: Clock;
  private readonly lines: () => readonly string[];
  /** How many lines of the terminal it has now. */
  private drawn = 0;
  private timer: Disposable | undefined;

  constructor(terminal: Terminal, clock: Clock, lines: () => readonly string[]) {
    this.terminal = terminal;
    this.clock = clock;
    this.lines = lines;
  }

  /** Lines that stay. */
  above(lines: readonly string[]): void {
    this.terminal.write(`${this.erased()}${lines.map((line) => `${terminalText(line)}\n`).join('')}`);
    this.refreshSoon();
  }

  refreshSoon(): void {
    this.timer ??= this.clock.setTimer(refreshMs, () => {
      this.timer = undefined;
      this.draw();
      if (this.drawn > 0) this.refreshSoon();
    });
  }

  [Symbol.dispose](): void {
    this.timer?.[Symbol.dispose]();
    this.terminal.write(this.erased());
  }

  private draw(): void {
    // A terminal that does not know its size says that it has none.
    const columns = this.terminal.columns || 80;
    const rows = this.terminal.rows || 24;
    const shown = fitting(this.lines(), Math.max(3, rows - 2)).map((line) => cut(terminalText(line), columns - 1));
    this.terminal.write(`${this.erased()}${shown.map((line) => `${line}\n`).join('')}`);
    this.drawn = shown.length;
  }

  private erased(): string {
    const { drawn } = this;
    this.drawn = 0;
    return drawn > 0 ? `\u001b[${drawn}A\u001b[0J` : '';
  }
}

/** What does not fit is told in a line: a terminal cannot erase what has scrolled away. */
function fitting(lines: readonly string[], most: number): readonly string[] {
  if (lines.length <= most) return lines;
  return [...lines.slice(0, most - 1), pc.dim(`… ${lines.length - most + 1} more`)];
}

/** A line that is wrapped would be two. Colours go when it has to be cut. */
function cut(line: string, width: number): string {
  const plain = stripVTControlCharacters(line);
  return plain.length <= width ? line : `${plain.slice(0, width - 1)}…`;
}
