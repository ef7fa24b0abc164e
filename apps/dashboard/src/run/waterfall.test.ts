import { expect, it } from 'vitest';
import type { RunNode, RunState } from './run-node.ts';
import { waterfallRows } from './waterfall.ts';

const node = (
  id: string,
  name: string,
  state: RunState,
  span?: readonly [number, number?],
  children: readonly RunNode[] = [],
): RunNode => ({
  id,
  name,
  state,
  ...(span ? { recorded: { began: span[0], ...(span[1] === undefined ? {} : { ended: span[1] }) } } : {}),
  children,
});

it('gives every task, member and step its place on one axis, and shows where Pods were waited for', () => {
  const tree = node(
    'PipelineRun/r',
    'r',
    'running',
    [1000],
    [
      node('TaskRun/r-a', 'a', 'succeeded', [1000, 5000], [node('TaskRun/r-a/s', 's', 'succeeded', [3000, 5000])]),
      node('PipelineRun/r/m', 'm', 'running', undefined, [node('TaskRun/r-m-0', 'm-0', 'running', [5000])]),
      node('PipelineRun/r/skipped', 'skipped', 'skipped'),
      node('TaskRun/r-f', 'f (finally)', 'waiting'),
    ],
  );
  const { rows, startedAt, totalMs } = waterfallRows(tree, new Set(['a']), 9000);
  expect([startedAt, totalMs]).toEqual([1000, 8000]);
  expect(
    rows.map(({ name, depth, began, waitMs, isCritical, task }) => [name, depth, began, waitMs, isCritical, task]),
  ).toEqual([
    ['a', 0, 1000, 0, true, 'a'],
    ['s', 1, 3000, 2000, false, 'a'],
    ['m', 0, 5000, 0, false, 'm'],
    ['m-0', 1, 5000, 0, false, 'm'],
    ['skipped', 0, undefined, 0, false, 'skipped'],
    ['f (finally)', 0, undefined, 0, false, 'f'],
  ]);
});
