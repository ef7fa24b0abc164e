import type { RunNode, Span } from './run-node.ts';
import { recordedTimes, type RunTimes } from './timeline.ts';

/** The span of a node; of a matrix, which has none, from the first start to the last end of its runs. */
export function wholeSpan(node: RunNode, times: RunTimes = recordedTimes): Span | undefined {
  const own = times.spanOf(node);
  if (own) return own;
  const spans = node.children.flatMap((child) => wholeSpan(child, times) ?? []);
  if (spans.length === 0) return undefined;
  const began = Math.min(...spans.map((span) => span.began));
  const ends = spans.map((span) => span.ended);
  return ends.includes(undefined) ? { began } : { began, ended: Math.max(...(ends as number[])) };
}
