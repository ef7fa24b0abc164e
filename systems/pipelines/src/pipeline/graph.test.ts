import { describe, expect, it } from 'vitest';
import type { PipelineTask } from '../kinds/pipeline-spec.ts';
import { buildFinalGraph, buildGraph } from './graph.ts';

const task = (name: string, more: Partial<PipelineTask> = {}): PipelineTask => ({ name, ...more });
const param = (value: string) => ({ params: [{ name: 'p', value }] });

describe('a task waits', () => {
  it.each<[string, Partial<PipelineTask>]>([
    ['for those that it says', { runAfter: ['a'] }],
    ['for a result in a parameter', param('x-$(tasks.a.results.r)')],
    ['for an item of an array', param('$(tasks.a.results.r[0])')],
    ['for a key of an object', param('$(tasks.a.results.r.key)')],
    ['for an array in its matrix', { matrix: { params: [{ name: 'm', value: '$(tasks.a.results.r[*])' }] } }],
    ['for a text in an include', { matrix: { include: [{ params: [{ name: 'm', value: '$(tasks.a.results.r)' }] }] } }],
    ['for the input of a condition', { when: [{ input: '$(tasks.a.results.r)', operator: 'in', values: ['x'] }] }],
    ['for a value of a condition', { when: [{ input: 'x', operator: 'in', values: ['$(tasks.a.results.r)'] }] }],
    ['for CEL', { when: [{ cel: "'$(tasks.a.results.r)' == 'x'" }] }],
    ['for what a script within it uses', { taskSpec: { steps: [{ script: 'echo $(tasks.a.results.r)' }] } }],
    [
      'for the name of a secret within it',
      {
        taskSpec: {
          steps: [{ env: [{ name: 'E', valueFrom: { secretKeyRef: { key: 'k', name: '$(tasks.a.results.r)' } } }] }],
        },
      },
    ],
  ])('%s', (_title, more) => {
    expect(buildGraph([task('b', more), task('a')]).parents.get('b')).toEqual(['a']);
  });

  it.each([
    ['for a name in brackets', '$(tasks.a.results["r"])'],
    ['for too long a name', '$(tasks.a.results.r.key.more)'],
    ['for its status', '$(tasks.a.status)'],
    ['for what only looks like one', '$$(tasks.a.results.r'],
  ])('not %s', (_title, value) => {
    expect(buildGraph([task('b', param(value)), task('a')]).parents.get('b')).toEqual([]);
  });
});

it('the order has parents before children', () => {
  const { order } = buildGraph([
    task('d', { runAfter: ['b', 'c'] }),
    task('b', { runAfter: ['a'] }),
    task('c', { runAfter: ['a'] }),
    task('a'),
  ]);
  expect(order).toEqual(['a', 'b', 'c', 'd']);
});

it.each([
  [
    'two of the same name',
    [task('a'), task('a')],
    "task a is already present in Graph, can't add it again: duplicate pipeline task",
  ],
  [
    'a circle',
    [task('a', { runAfter: ['c', 'x'] }), task('x'), task('b', { runAfter: ['a'] }), task('c', { runAfter: ['b'] })],
    'cycle detected; task "a" depends on "c"',
  ],
  ['one that waits for itself', [task('a', { runAfter: ['a'] })], 'cycle detected; task "a" depends on "a"'],
  [
    'one that waits for nothing there is',
    [task('a', { runAfter: ['b'] })],
    "couldn't add link between a and b: task a depends on b but b wasn't present in Pipeline",
  ],
])('tasks are refused with %s', (_title, tasks, message) => {
  expect(() => buildGraph(tasks)).toThrow(message);
});

it('final tasks have no dependencies, whatever they say', () => {
  expect(buildFinalGraph([task('a', { runAfter: ['b'] })]).parents.get('a')).toEqual([]);
});

it('a hundred thousand tasks in a row are no problem', () => {
  const tasks = Array.from({ length: 100_000 }, (_, i) => task(`t${i}`, i > 0 ? { runAfter: [`t${i - 1}`] } : {}));
  expect(buildGraph(tasks.reverse()).order[99_999]).toBe('t99999');
});
