import pc from 'picocolors';
import type { RunNode, RunState } from './run-node.ts';
import type { RunTimes } from './timeline.ts';

const marks: Readonly<Record<RunState, readonly [mark: string, colour: (text: string) => string]>> = {
  waiting: ['·', pc.dim],
  running: ['▶', pc.yellow],
  succeeded: ['✓', pc.green],
  failed: ['✗', pc.red],
  cancelled: ['■', pc.magenta],
  skipped: ['-', pc.dim],
};

/** The mark of a state, without its colour. */
export function markOf(state: RunState): string {
  return marks[state][0];
}

/** A tree as lines of text: a mark, a name, how long it took, and why. */
export function treeLines(root: RunNode, times: RunTimes, now: number): string[] {
  const lines: string[] = [];
  const add = (node: RunNode, head: string, tail: string) => {
    lines.push(`${head}${lineOf(node, times, now)}`);
    node.children.forEach((child, index) => {
      const last = index === node.children.length - 1;
      add(child, `${tail}${last ? '└─ ' : '├─ '}`, `${tail}${last ? '   ' : '│  '}`);
    });
  };
  // The line of the end has the reason of the whole, once.
  const isEnded = root.state === 'failed' || root.state === 'cancelled';
  add(isEnded ? withoutNote(root) : root, '', '');
  return lines;
}

function withoutNote({ note: _, ...node }: RunNode): RunNode {
  return node;
}

function lineOf(node: RunNode, times: RunTimes, now: number): string {
  const quiet = node.state === 'waiting' || node.state === 'skipped';
  const span = quiet ? undefined : times.spanOf(node);
  const took = span ? pc.dim(` ${durationText((span.ended ?? now) - span.began)}`) : '';
  const note = node.note ? pc.dim(`  ${node.note.split('\n', 1)[0]}`) : '';
  const [mark, colour] = marks[node.state];
  return `${colour(mark)} ${quiet ? pc.dim(node.name) : node.name}${took}${note}`;
}

/** `12 ms`, `3.4 s`, `2m 05s`, `1h 02m`. Statuses know whole seconds only, so that nothing is less than one. */
export function durationText(ms: number): string {
  if (ms === 0) return '<1 s';
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  const pad = (value: number) => String(value).padStart(2, '0');
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m ${pad(seconds % 60)}s`;
  return `${Math.floor(seconds / 3600)}h ${pad(Math.floor(seconds / 60) % 60)}m`;
}
