import { expect, it } from 'vitest';
import { runsToDelete } from './tkn.ts';

const now = Date.parse('2026-01-01T01:00:00Z');
const run = (name: string, minutesAgo?: number, pipeline = 'p') => ({
  apiVersion: 'tekton.dev/v1',
  kind: 'PipelineRun',
  metadata: { name, labels: { 'tekton.dev/pipeline': pipeline } },
  ...(minutesAgo === undefined
    ? {}
    : { status: { completionTime: new Date(now - minutesAgo * 60_000).toISOString() } }),
});
const runs = [run('old', 50), run('running'), run('new', 1), run('other', 40, 'q'), run('middle', 20)];

it.each([
  [{ keep: '1' }, ['middle', 'other', 'old']],
  [{ keep: '9' }, []],
  [{ keepSince: '30' }, ['other', 'old']],
  [{ keep: '3', keepSince: '30' }, ['old']],
  [{ keep: '1', pipeline: 'p' }, ['middle', 'old']],
])('with %j these go', (options, names) => {
  expect(runsToDelete(runs, options, now).map(({ metadata }) => metadata.name)).toEqual(names);
});

it('requires an option that says what is kept', () => {
  expect(() => runsToDelete(runs, {}, now)).toThrow('say what is kept');
  expect(() => runsToDelete(runs, { keep: '0' }, now)).toThrow('--keep');
});
