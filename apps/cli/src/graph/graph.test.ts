import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { recordedTimes, type RunNode, type RunState } from '@tektite/dashboard/run';
import { graphMermaid } from './graph-mermaid.ts';
import { graphSvg } from './graph-svg.ts';
import { graphText } from './graph-text.ts';
import { Scratch } from '../test-support.ts';
import { graphsOf, withProgress } from './task-graph.ts';

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

it('draws arrows, a frame for final tasks, and a background', () => {
  const [graph] = graphsOf([release]);
  const svg = graph ? graphSvg(graph) : '';
  expect(svg).toMatch(/<svg [^>]*viewBox="0 0 \d+ \d+"/);
  expect(svg).toMatch(/<rect width="\d+" height="\d+" fill="#ffffff"\/>/);
  expect(svg.match(/marker-end="url\(#arrow\)"/g)).toHaveLength(5);
  expect(svg).toContain('>finally</text>');
});

it('draws the states and times of a run', () => {
  const node = (name: string, state: RunState, began: number, ended: number): RunNode => ({
    id: name,
    name,
    state,
    recorded: { began, ended },
    children: [],
  });
  const tree = {
    ...node('run', 'failed', 0, 9000),
    children: [node('clone', 'succeeded', 0, 2000), node('notify (finally)', 'failed', 8000, 9000)],
  };
  const graphs = graphsOf([release]).map((graph) => withProgress(graph, tree, recordedTimes, 9000));
  expect(graphs.map(graphText).join('')).toMatch(/├─ ✓ clone 2\.0 s\n[^]*└─ finally: ✗ notify 1\.0 s\n/);
  expect(graphs.map(graphSvg).join('')).toContain('>✓ clone 2.0 s</text>');
  expect(graphs.map(graphMermaid).join('')).toContain('["✓ clone 2.0 s"]');
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

it('draws a file that is named as for run, and keeps other names for runs', () => {
  using scratch = new Scratch();
  writeFileSync(join(scratch.path, 'release.yaml'), JSON.stringify(release));
  expect(scratch.tektite(['graph', 'release.yaml'])).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^release\n├─ clone\n/),
  });
  expect(scratch.tektite(['graph', 'nope.yaml'])).toMatchObject({
    code: 2,
    err: 'tektite: nope.yaml: there is no such file or folder\n',
  });
  expect(scratch.tektite(['graph', 'release'])).toMatchObject({ code: 1, err: expect.stringContaining('kubeconfig') });
});
