import type { Clock } from '@tektite/meta';
import pc from 'picocolors';
import { cutLine, displayWidth } from './display-width.ts';
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
  private readonly lines: (max: number) => readonly string[];
  /** The widths of the lines that are drawn now. */
  private drawn: readonly number[] = [];
  private timer: Disposable | undefined;

  /** `lines` gives the lines to draw, if it can no more than so many. */
  constructor(terminal: Terminal, clock: Clock, lines: (max: number) => readonly string[]) {
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
      if (this.drawn.length > 0) this.refreshSoon();
    });
  }

  [Symbol.dispose](): void {
    this.timer?.[Symbol.dispose]();
    this.terminal.write(this.erased());
  }

  // A terminal that does not know its size reports 0.
  private get columns(): number {
    return this.terminal.columns || 80;
  }

  private draw(): void {
    const max = Math.max(3, (this.terminal.rows || 24) - 2);
    // A line that is wrapped would be two.
    const shown = fitting(this.lines(max), max).map((line) =>
      cutLine(terminalText(line).replaceAll('\t', ' '), this.columns - 1),
    );
    this.terminal.write(`${this.erased()}${shown.map((line) => `${line}\n`).join('')}`);
    this.drawn = shown.map(displayWidth);
  }

  /**
   * Erases the lines that are drawn, one by one: terminals keep in their history what is erased with a whole screen. A terminal
   * that became narrower has wrapped them, and one that became lower cannot reach the first ones.
   */
  private erased(): string {
    const rows = this.drawn.reduce((sum, width) => sum + Math.max(1, Math.ceil(width / this.columns)), 0);
    this.drawn = [];
    const reachable = Math.min(rows, Math.max(1, (this.terminal.rows || rows + 1) - 1));
    return '\u001b[1A\u001b[2K'.repeat(rows > 0 ? reachable : 0);
  }
}

/** Lines that do not fit are counted in the last one: a terminal cannot erase what has scrolled away. */
function fitting(lines: readonly string[], max: number): readonly string[] {
  if (lines.length <= max) return lines;
  return [...lines.slice(0, max - 1), pc.dim(`… ${lines.length - max + 1} more`)];
}
