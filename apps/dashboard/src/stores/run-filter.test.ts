import { expect, it } from 'vitest';
import { run } from '../test-support.ts';
import { parseRunFilter, runFilterTerms } from './run-filter.ts';
import { runSummary } from './run-summary.ts';

const now = Date.parse('2026-01-01T02:00:00Z');
const summary = runSummary(
  run('build-x7k2p', {
    labels: { team: 'web', 'app.kubernetes.io/name': 'shop' },
    spec: { pipelineRef: { name: 'Release' } },
    status: { conditions: [{ type: 'Succeeded', status: 'False', reason: 'PipelineRunTimeout' }] },
  }),
);

it.each([
  '',
  'BUILD',
  'release',
  'pipeline:rel',
  'team=web',
  'team!=ops',
  'label:team',
  'app.kubernetes.io/name=shop',
  'since:3h',
  'reason:timeout',
  'status:failed',
  'ns:def build team=web',
])('shows the run for %s', (text) => expect(parseRunFilter(text)(summary, now)).toBe(true));

it.each([
  'deploy',
  'pipeline:build',
  'team=ops',
  'team!=web',
  'label:none',
  'since:1h',
  'status:succeeded',
  'build ops',
])('hides the run for %s', (text) => expect(parseRunFilter(text)(summary, now)).toBe(false));

it('gives an archive the words and the labels with one value', () => {
  expect(runFilterTerms('Web team=api team!=x since:2h label:y app=')).toEqual({
    words: ['web'],
    labelSelector: 'team=api,app=',
  });
  expect(runFilterTerms('')).toEqual({ words: [] });
});
