import type { RunNode, Span } from './run-node.ts';
import type { RunTimes } from './timeline.ts';

/** A task on the way that decided how long a run took. */
export interface PathStep {
  readonly name: string;
  readonly ms: number;
  /** How long it waited since the one before it ended, or since the run began. */
  readonly waitMs: number;
}

/** The start of a task is observed a little after the end of the one that it waits for. */
const slackMs = 30;

/**
 * The tasks that decided how long a pipeline took: the one that ended last, before it the one that ended last before that
 * began, and so on to the beginning. Making any other task faster would not have helped.
 */
export function criticalPath(pipeline: RunNode, times: RunTimes): readonly PathStep[] {
  const ended = pipeline.children
    .map((node) => ({ node, span: times.spanOf(node) }))
    .filter((each): each is { node: RunNode; span: Required<Span> } => each.span?.ended !== undefined)
    // Statuses have whole seconds: of tasks that ended in the same one, the one that started last was last.
    .sort((a, b) => b.span.ended - a.span.ended || b.span.began - a.span.began);
  const path: { name: string; span: Required<Span> }[] = [];
  let before = Number.POSITIVE_INFINITY;
  for (const { node, span } of ended) {
    if (span.ended > before + slackMs) continue;
    path.unshift({ name: node.name, span });
    before = span.began;
  }
  const start = times.spanOf(pipeline)?.began;
  return path.map(({ name, span }, index) => ({
    name,
    ms: span.ended - span.began,
    waitMs: Math.max(0, span.began - (path[index - 1]?.span.ended ?? start ?? span.began)),
  }));
}
