import { expect, it } from 'vitest';
import type { RunNode, RunState } from '@tektite/dashboard/run';
import { foldTree } from './fold-tree.ts';

const node = (name: string, state: RunState, children: readonly RunNode[] = []): RunNode => ({
  id: children.length > 0 && name !== 'run' ? `TaskRun/${name}` : name,
  name,
  state,
  children,
});
const task = (name: string, state: RunState) => node(name, state, [node(`${name}-step`, state)]);
const names = ({ name, children }: RunNode): string[] => [name, ...children.flatMap(names)];
const tree = node('run', 'running', [
  task('a', 'succeeded'),
  task('b', 'failed'),
  task('c', 'succeeded'),
  task('d', 'running'),
  node('e', 'waiting'),
  node('f', 'waiting'),
]);

it('shows a tree that fits as it is', () => {
  expect(foldTree(tree, 20)).toBe(tree);
});

it('leaves out the steps of what completed well first', () => {
  expect(names(foldTree(tree, 9))).toEqual(['run', 'a', 'b', 'b-step', 'c', 'd', 'd-step', 'e', 'f']);
});

it('joins what completed and what waits, and keeps what runs and what failed', () => {
  expect(names(foldTree(tree, 7))).toEqual(['run', '2 completed', 'b', 'b-step', 'd', 'd-step', '2 waiting']);
});

it('leaves out steps that do not run, then all of them, when even that is too much', () => {
  const busy = (name: string) => node(name, 'running', [node('done', 'succeeded'), node('active', 'running')]);
  const all = node('run', 'running', [busy('a'), busy('b')]);
  expect(names(foldTree(all, 6))).toEqual(['run', 'a', 'active', 'b', 'active']);
  expect(names(foldTree(all, 4))).toEqual(['run', 'a', 'b']);
});
