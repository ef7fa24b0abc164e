/**
 * A tree with fewer lines: completed tasks lose their steps, then siblings that completed or wait become one line, then tasks that
 * run keep the step that runs, then none. As little as possible is folded.
 */
export function foldTree(root: RunNode, max: number): RunNode {
  let tree = root;
  for (const fold of [withoutSteps, joined, withActiveSteps, withoutAnySteps]) {
    if (countLines(tree) <= max) break;
    tree = fold(tree);
  }
  return tree;
}
import type { RunNode } from '@tektite/dashboard/run';

function countLines(node: RunNode): number {
  return node.children.reduce((sum, child) => sum + countLines(child), 1);
}

function isCompleted({ state }: RunNode): boolean {
  return state !== 'waiting' && state !== 'running';
}

/** A part that failed stays: it is what people search for. */
function withoutSteps(node: RunNode): RunNode {
  const children = node.children.map((child) =>
    isCompleted(child) && child.state !== 'failed' ? { ...child, children: [] } : withoutSteps(child),
  );
  return { ...node, children };
}

function joined(node: RunNode): RunNode {
  const kept = node.children.filter(({ state }) => state === 'running' || state === 'failed').map(joined);
  const completed = node.children.filter((child) => isCompleted(child) && child.state !== 'failed');
  const waiting = node.children.filter(({ state }) => state === 'waiting');
  return {
    ...node,
    children: [
      ...summary(node, completed, 'succeeded', 'completed'),
      ...kept,
      ...summary(node, waiting, 'waiting', 'waiting'),
    ],
  };
}

/** The steps of TaskRuns that run, or failed. */
function withActiveSteps(node: RunNode): RunNode {
  const isTask = node.id.startsWith('TaskRun/');
  const children = isTask
    ? node.children.filter(({ state }) => state === 'running' || state === 'failed')
    : node.children;
  return { ...node, children: children.map(withActiveSteps) };
}

function withoutAnySteps(node: RunNode): RunNode {
  return { ...node, children: node.id.startsWith('TaskRun/') ? [] : node.children.map(withoutAnySteps) };
}

function summary(
  parent: RunNode,
  nodes: readonly RunNode[],
  state: RunNode['state'],
  word: string,
): readonly RunNode[] {
  if (nodes.length < 2) return nodes;
  return [{ id: `${parent.id}//${word}`, name: `${nodes.length} ${word}`, state, children: [] }];
}
