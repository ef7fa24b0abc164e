import { expect, it } from 'vitest';
import { graphMermaid } from './graph-mermaid.ts';
import { graphSvg } from './graph-svg.ts';
import { graphText } from './graph-text.ts';
import { graphsOf } from './task-graph.ts';

const task = (name: string, more: object = {}) => ({ name, taskRef: { name }, ...more });
const pipeline = (tasks: readonly object[], final: readonly object[] = []) => ({
  apiVersion: 'tekton.dev/v1',
  kind: 'Pipeline',
  metadata: { name: 'release' },
  spec: { tasks, finally: final },
});
const release = pipeline(
  [
    task('clone'),
    task('lint', { runAfter: ['clone'] }),
    task('build', { params: [{ name: 'commit', value: '$(tasks.clone.results.commit)' }] }),
    task('deploy', { runAfter: ['lint', 'build'] }),
  ],
  [task('notify')],
);

it('draws a tree in which every task stands once, under what it waits for last', () => {
  expect(graphsOf([release]).map(graphText)).toEqual([
    'release\n' +
      '├─ clone\n' +
      '│  ├─ lint\n' +
      '│  └─ build\n' +
      '│     └─ deploy  (also after lint)\n' +
      '└─ finally: notify\n',
  ]);
});

it('writes a flowchart for Mermaid', () => {
  const [graph] = graphsOf([release]);
  expect(graph && graphMermaid(graph)).toContain('t0["clone"]');
  expect(graph && graphMermaid(graph)).toContain('t0 --> t1\n  t0 --> t2\n  t2 --> t3\n  t1 --> t3\n');
});

it('draws names as texts, whatever they are', () => {
  const [graph] = graphsOf([pipeline([task('<script>"')])]);
  expect(graph && graphSvg(graph)).toContain('&lt;script&gt;&quot;');
  expect(graph && graphSvg(graph)).not.toContain('<script>');
  expect(graph && graphMermaid(graph)).toContain('["<script>#quot;"]');
});

it('draws what a PipelineRun says itself, and nothing that is no pipeline', () => {
  const run = {
    apiVersion: 'tekton.dev/v1',
    kind: 'PipelineRun',
    metadata: { generateName: 'r-' },
    spec: { pipelineSpec: release.spec },
  };
  const other = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } };
  expect(graphsOf([run, other]).map(({ name, tasks }) => [name, tasks.length])).toEqual([['r-', 4]]);
});

it('names the tasks of a circle', () => {
  const circle = pipeline([task('a', { runAfter: ['b'] }), task('b', { runAfter: ['a'] })]);
  expect(() => graphsOf([circle])).toThrow(/release: .*cycle/);
});
