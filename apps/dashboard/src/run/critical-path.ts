import type { RunNode, Span } from './run-node.ts';
import type { RunTimes } from './timeline.ts';
import { wholeSpan } from './whole-span.ts';

/** A task on the way that decided how long a run took. */
export interface PathStep {
  readonly name: string;
  readonly ms: number;
  /** How long it waited since the one before it ended, or since the run began. */
  readonly waitMs: number;
}

interface Ended {
  readonly node: RunNode;
  readonly index: number;
  readonly span: Required<Span>;
}

/** The start of a task is observed a little after the end of the one that it waits for. */
const slackMs = 30;

/**
 * The tasks that decided how long a pipeline took: the one that ended last, before it the one that ended last before that
 * began, and so on to the beginning. Making any other task faster would not have helped. With `parents`, only tasks that the next one
 * comes after count.
 */
export function criticalPath(
  pipeline: RunNode,
  times: RunTimes,
  parents?: ReadonlyMap<string, readonly string[]>,
): readonly PathStep[] {
  const ended = pipeline.children
    .map((node, index) => ({ node, index, span: wholeSpan(node, times) }))
    .filter((each): each is Ended => each.span?.ended !== undefined && each.node.state !== 'skipped')
    // Statuses have whole seconds: of tasks that ended in the same one, the one that started last was last, or stands last.
    .sort((a, b) => b.span.ended - a.span.ended || b.span.began - a.span.began || b.index - a.index);
  const path: { name: string; span: Required<Span> }[] = [];
  let before = Number.POSITIVE_INFINITY;
  /** Where it is known what a task comes after, the one before it is one of those. */
  let possible: readonly string[] | undefined;
  for (const { node, span } of ended) {
    if (span.ended > before + slackMs || (possible && !possible.includes(node.name))) continue;
    path.unshift({ name: node.name, span });
    possible = parents && [...ancestors(node.name, parents)];
    before = span.began;
  }
  const start = times.spanOf(pipeline)?.began;
  return path.map(({ name, span }, index) => ({
    name,
    ms: span.ended - span.began,
    waitMs: Math.max(0, span.began - (path[index - 1]?.span.ended ?? start ?? span.began)),
  }));
}

/** All tasks that a task comes after: one that was skipped has no span, and those before it count. */
function ancestors(
  name: string,
  parents: ReadonlyMap<string, readonly string[]>,
  found = new Set<string>(),
): Set<string> {
  for (const parent of parents.get(name) ?? []) {
    if (found.has(parent)) continue;
    found.add(parent);
    ancestors(parent, parents, found);
  }
  return found;
}
