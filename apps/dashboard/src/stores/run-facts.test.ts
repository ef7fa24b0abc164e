import { expect, it } from 'vitest';
import { run } from '../test-support.ts';
import { runFacts } from './run-facts.ts';

it('shows params, results and labels as texts in which nothing is hidden', () => {
  const object = run('r', {
    labels: { team: 'web' },
    spec: {
      params: [
        { name: 'list', value: ['a', 'b'] },
        { name: 'evil', value: 'a\u202eb\u001b[31m<b>' },
      ],
    },
    status: { pipelineResults: [{ name: 'commit', value: 'abc' }] },
  });
  const facts = new Map(runFacts(object).map(({ title, rows }) => [title, rows]));
  expect(facts.get('Params')).toEqual([
    ['list', '["a","b"]'],
    ['evil', 'a<202E>b<001B>[31m<b>'],
  ]);
  expect(facts.get('Results')).toEqual([['commit', 'abc']]);
  expect(facts.get('Labels')).toEqual([['team', 'web']]);
});
