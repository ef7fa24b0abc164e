import { stripVTControlCharacters } from 'node:util';
import { type Clock, systemClock } from '@tektite/meta';
import pc from 'picocolors';
import type { RunNode } from '../run-tree.ts';
import type { RunTimes } from '../timeline.ts';
import type { RunEnd, RunView, StepPlace } from './run-view.ts';
import { endLines, prefixOf } from './text-view.ts';
import { treeLines } from './tree-lines.ts';

/** The part of a terminal that is needed here. */
export interface Terminal {
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
}

const refreshMs = 100;

/** For people at a terminal: logs scroll by, and under them stands a tree of what runs, kept fresh. */
export class LiveView implements RunView {
  private readonly terminal: Terminal;
  private readonly clock: Clock;
  private trees: readonly RunNode[] = [];
  private times: RunTimes | undefined;
  private readonly over = new Set<string>();
  /** How many lines of the terminal the tree has now. */
  private drawn = 0;
  private timer: Disposable | undefined;

  constructor(terminal: Terminal, clock: Clock = systemClock) {
    this.terminal = terminal;
    this.clock = clock;
  }

  started(): void {}

  log(place: StepPlace, line: string): void {
    this.above([`${prefixOf(place)} ${line}`]);
  }

  stepEnded(): void {}

  changed(trees: readonly RunNode[], times: RunTimes): void {
    this.trees = trees;
    this.times = times;
    this.refreshSoon();
  }

  note(text: string): void {
    this.above([pc.dim(text)]);
  }

  ended(end: RunEnd, times: RunTimes): void {
    this.over.add(end.tree.id);
    this.above([...treeLines(end.tree, times, this.clock.now()), ...endLines(end, times)]);
  }

  [Symbol.dispose](): void {
    this.timer?.[Symbol.dispose]();
    this.terminal.write(this.erased());
  }

  /** Lines that stay, over the tree. */
  private above(lines: readonly string[]): void {
    this.terminal.write(`${this.erased()}${lines.map((line) => `${line}\n`).join('')}`);
    this.refreshSoon();
  }

  private refreshSoon(): void {
    this.timer ??= this.clock.setTimer(refreshMs, () => {
      this.timer = undefined;
      this.draw();
      if (this.drawn > 0) this.refreshSoon();
    });
  }

  private draw(): void {
    const { times } = this;
    if (!times) return;
    // A terminal that does not know its size says that it has none.
    const columns = this.terminal.columns || 80;
    const rows = this.terminal.rows || 24;
    const now = this.clock.now();
    const lines = this.trees.filter(({ id }) => !this.over.has(id)).flatMap((tree) => treeLines(tree, times, now));
    const shown = fitting(lines, Math.max(3, rows - 2)).map((line) => cut(line, columns - 1));
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
