import type { RunNode, RunState } from './run-node.ts';
import { wholeSpan } from './whole-span.ts';

/** A row of the timeline: a task, a member of a matrix, or a step. */
export interface WaterfallRow {
  readonly id: string;
  readonly name: string;
  readonly depth: number;
  readonly state: RunState;
  readonly note: string;
  readonly began?: number;
  readonly ended?: number;
  /** How long it waited in front of `began`: a step for its container, a task since those that it comes after have ended. */
  readonly waitMs: number;
  readonly isCritical: boolean;
  /** The task that the row belongs to. */
  readonly task: string;
}

export interface WaterfallRows {
  readonly rows: readonly WaterfallRow[];
  readonly startedAt: number;
  readonly totalMs: number;
}

/** The rows of a run, in the order of the tree, and the span of all of them. */
export function waterfallRows(
  tree: RunNode,
  critical: ReadonlySet<string>,
  now: number,
  parents: ReadonlyMap<string, readonly string[]> = new Map(),
): WaterfallRows {
  const span = wholeSpan(tree);
  const startedAt = span?.began ?? now;
  const rows: WaterfallRow[] = [];
  const ends = new Map(tree.children.map((child) => [child.name, wholeSpan(child)?.ended]));
  /** When a task could have started: when the last of those before it ended. Nothing is known of a run that has no graph. */
  const readyAt = (name: string, began: number) => {
    const own = parents.get(name);
    if (!own) return began;
    const known = own.flatMap((parent) => ends.get(parent) ?? []);
    return known.length > 0 ? Math.max(...known) : startedAt;
  };
  const add = (node: RunNode, depth: number, task: string) => {
    const own = node.state === 'skipped' ? undefined : wholeSpan(node);
    const isTask = node.id.startsWith('TaskRun/');
    const [first] = isTask ? node.children.flatMap((child) => wholeSpan(child) ?? []) : [];
    rows.push({
      id: node.id,
      name: node.name,
      depth,
      state: node.state,
      note: node.note ?? '',
      ...(own ? { began: own.began, ...(own.ended === undefined ? {} : { ended: own.ended }) } : {}),
      waitMs: depth === 0 && own ? Math.max(0, own.began - readyAt(node.name, own.began)) : 0,
      isCritical: depth === 0 && critical.has(node.name),
      task,
    });
    node.children.forEach((child, index) => {
      const before = rows.length;
      add(child, depth + 1, task);
      const row = rows[before];
      // The first step shows how long the Pod took to start.
      if (row && isTask && index === 0 && own && first)
        rows[before] = { ...row, waitMs: Math.max(0, first.began - own.began) };
    });
  };
  if (tree.id.startsWith('TaskRun/')) add(tree, 0, '');
  else for (const child of tree.children) add(child, 0, child.name.replace(/ \(finally\)$/, ''));
  return { rows, startedAt, totalMs: Math.max(1000, (span?.ended ?? now) - startedAt) };
}
