import pc from 'picocolors';
import { durationText, type RunNode, type RunState, type RunTimes } from '@tektite/dashboard/run';

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
