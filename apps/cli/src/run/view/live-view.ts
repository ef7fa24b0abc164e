import { type Clock, systemClock } from '@tektite/meta';
import pc from 'picocolors';
import type { RunNode, RunTimes } from '@tektite/dashboard/run';
import type { PullProgress } from '@tektite/oci';
import { progressLine } from '../../image/pull-view.ts';
import { LiveArea, type Terminal } from '../../live-area.ts';
import type { RunEnd, RunView, StepPlace } from './run-view.ts';
import { foldTree } from './fold-tree.ts';
import { endLines, prefixOf } from './text-view.ts';
import { treeLines } from '../../tree/tree-lines.ts';

/** For people at a terminal: logs scroll by, and under them stands a tree of what runs, kept fresh. */
export class LiveView implements RunView {
  private readonly clock: Clock;
  private readonly area: LiveArea;
  private trees: readonly RunNode[] = [];
  private times: RunTimes | undefined;
  private readonly completed = new Set<string>();
  /** Images that are not complete yet, by name. */
  private readonly pulls = new Map<string, PullProgress>();

  constructor(terminal: Terminal, clock: Clock = systemClock) {
    this.clock = clock;
    this.area = new LiveArea(terminal, clock, (max) => this.lines(max));
  }

  started(): void {}

  log(place: StepPlace, line: string): void {
    this.area.above([`${prefixOf(place)} ${line}`]);
  }

  stepEnded(): void {}

  changed(trees: readonly RunNode[], times: RunTimes): void {
    this.trees = trees;
    this.times = times;
    this.area.refreshSoon();
  }

  note(text: string): void {
    this.area.above([pc.dim(text)]);
  }

  pulling(progress: PullProgress): void {
    if (progress.layersComplete === progress.layers) this.pulls.delete(progress.name);
    else this.pulls.set(progress.name, progress);
    this.area.refreshSoon();
  }

  ended(end: RunEnd, times: RunTimes): void {
    this.completed.add(end.tree.id);
    this.area.above([...treeLines(end.tree, times, this.clock.now()), ...endLines(end, times)]);
  }

  [Symbol.dispose](): void {
    this.area[Symbol.dispose]();
  }

  private lines(max: number): readonly string[] {
    const { times } = this;
    if (!times) return [];
    const now = this.clock.now();
    const trees = this.trees.filter(({ id }) => !this.completed.has(id));
    const each = Math.max(3, Math.floor((max - this.pulls.size) / Math.max(1, trees.length)));
    const pulls = [...this.pulls.values()].map((progress) => pc.dim(`pulling ${progressLine(progress)}`));
    return [...trees.flatMap((tree) => treeLines(foldTree(tree, each), times, now)), ...pulls];
  }
}
