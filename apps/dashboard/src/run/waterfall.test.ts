import { expect, it } from 'vitest';
import { criticalPath } from './critical-path.ts';
import type { RunNode, RunState } from './run-node.ts';
import { recordedTimes } from './timeline.ts';
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

it('shows how long tasks waited since those before them had ended', () => {
  const tree = node(
    'PipelineRun/r',
    'r',
    'succeeded',
    [0, 20_000],
    [
      node('TaskRun/a', 'a', 'succeeded', [1000, 5000]),
      node('TaskRun/b', 'b', 'succeeded', [1000, 7000]),
      node('TaskRun/c', 'c', 'succeeded', [10_000, 12_000]),
      node('TaskRun/f', 'f (finally)', 'succeeded', [15_000, 20_000]),
    ],
  );
  const parents = new Map([
    ['a', []],
    ['b', []],
    ['c', ['a', 'b']],
    ['f (finally)', ['a', 'b', 'c']],
  ]);
  const waits = waterfallRows(tree, new Set(), 0, parents).rows.map(({ name, waitMs }) => `${name} ${waitMs}`);
  expect(waits).toEqual(['a 1000', 'b 1000', 'c 3000', 'f (finally) 3000']);
  expect(criticalPath(tree, recordedTimes)).toEqual([
    { name: 'b', ms: 6000, waitMs: 1000 },
    { name: 'c', ms: 2000, waitMs: 3000 },
    { name: 'f (finally)', ms: 5000, waitMs: 3000 },
  ]);
});

it('follows the graph where all ended in the same second', () => {
  const tasks = ['clone', 'lint', 'test', 'check', 'notify (finally)'];
  const tree = node(
    'PipelineRun/r',
    'r',
    'succeeded',
    [0, 0],
    tasks.map((name) => node(`TaskRun/${name}`, name, 'succeeded', [0, 0])),
  );
  const parents = new Map([
    ['lint', ['clone']],
    ['test', ['clone']],
    ['check', ['lint', 'test']],
    ['notify (finally)', tasks.slice(0, -1)],
  ]);
  const path = criticalPath(tree, recordedTimes, parents).map(({ name }) => name);
  expect(path).toEqual(['clone', 'test', 'check', 'notify (finally)']);
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
