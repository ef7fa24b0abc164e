import type { RunNode, Span } from './run-node.ts';

/** Whether the parts of a node run one after the other: the steps of a TaskRun do. */
export function isSequence({ id }: Pick<RunNode, 'id'>): boolean {
  return id.startsWith('TaskRun/');
}

/**
 * The spans of the parts of a node, so that no part is longer than the whole: each lies within its parent, and a step does not
 * start before the one in front of it has ended. Needed because statuses have whole seconds, and because the containers of all
 * steps start with the Pod.
 */
export function fitSpans(
  parent: Span | undefined,
  parts: readonly (Span | undefined)[],
  sequence: boolean,
): (Span | undefined)[] {
  let earliest = parent?.began ?? Number.NEGATIVE_INFINITY;
  return parts.map((span) => {
    if (!span) return undefined;
    const fitted = fitSpan(span, earliest, parent?.ended);
    if (sequence && fitted.ended !== undefined) earliest = fitted.ended;
    return fitted;
  });
}

function fitSpan(span: Span, earliest: number, latest: number = Number.POSITIVE_INFINITY): Span {
  const began = Math.min(Math.max(span.began, earliest), latest);
  if (span.ended === undefined) return { began };
  return { began, ended: Math.max(began, Math.min(span.ended, latest)) };
}

/** A tree whose recorded spans fit into each other. */
export function fitTree(node: RunNode): RunNode {
  const spans = fitSpans(
    node.recorded,
    node.children.map(({ recorded }) => recorded),
    isSequence(node),
  );
  const children = node.children.map((child, index) => {
    const recorded = spans[index];
    return fitTree(recorded ? { ...child, recorded } : child);
  });
  return { ...node, children };
}
