import type { KubeObject } from '@tektite/meta';
import { describe, expect, it } from 'vitest';
import { pipelineRunNode, recordedTimes } from '@tektite/dashboard/run';
import { githubAnnotations } from './github-annotations.ts';
import { htmlReport } from './html-report.ts';
import { junitReport } from './junit-report.ts';
import { markdownReport } from './markdown-report.ts';
import { type RecordedRun, RecordingView } from './recorded-run.ts';
import { readReports } from './wanted-reports.ts';

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
const done = (status: string, reason: string, began: number, ended: number, message = '') => ({
  conditions: [{ type: 'Succeeded', status, reason, message }],
  startTime: at(began),
  completionTime: at(ended),
});
const step = (name: string, exitCode: number, began: number, ended: number) => ({
  name,
  terminationReason: exitCode === 0 ? 'Completed' : 'Error',
  terminated: { exitCode, startedAt: at(began), finishedAt: at(ended) },
});
const parts: Readonly<Record<string, object>> = {
  'r-build': {
    kind: 'TaskRun',
    metadata: { name: 'r-build' },
    status: { ...done('True', 'Succeeded', 0, 2), steps: [step('make', 0, 0, 2)] },
  },
  'r-test': {
    kind: 'TaskRun',
    metadata: { name: 'r-test' },
    status: {
      ...done('False', 'Failed', 2, 5, '"step-unit" exited with code 3: Error'),
      steps: [step('unit', 3, 2, 5)],
    },
  },
};
const object = {
  apiVersion: 'tekton.dev/v1',
  kind: 'PipelineRun',
  metadata: { name: 'r' },
  status: {
    ...done('False', 'Failed', 0, 5, 'Tasks Completed: 2 (Failed: 1)'),
    pipelineSpec: {
      tasks: [
        { name: 'build', taskSpec: {} },
        { name: 'test', runAfter: ['build'], taskSpec: {} },
        { name: 'ship', runAfter: ['test'], taskSpec: {} },
      ],
    },
    skippedTasks: [{ name: 'ship', reason: 'PipelineRun was stopping' }],
    childReferences: [
      { kind: 'TaskRun', name: 'r-build', pipelineTaskName: 'build' },
      { kind: 'TaskRun', name: 'r-test', pipelineTaskName: 'test' },
    ],
  },
} as unknown as KubeObject;

/** A run of which one task failed, one succeeded and one was skipped, as it was recorded. */
function recorded(): readonly RecordedRun[] {
  const nothing = () => undefined;
  const view = {
    started: nothing,
    log: nothing,
    stepEnded: nothing,
    changed: nothing,
    note: nothing,
    ended: nothing,
    [Symbol.dispose]: nothing,
  };
  const recording = new RecordingView(view);
  recording.log({ run: 'r', tasks: ['build'], step: 'make' }, 'made <it>');
  recording.stepEnded({ run: 'r', tasks: ['build'], step: 'make' }, 0);
  recording.log(
    { run: 'r', tasks: ['test'], step: 'unit' },
    '\u001b[31m1 of 2 failed\u001b[0m: 100% "bad" | worse\u0000',
  );
  recording.stepEnded({ run: 'r', tasks: ['test'], step: 'unit' }, 3);
  const tree = pipelineRunNode(object as never, (_kind, name) => parts[name] as unknown as KubeObject);
  const results = [{ name: 'size', value: '12' }];
  recording.ended(
    {
      kind: 'PipelineRun',
      name: 'r',
      state: 'failed',
      reason: 'Failed',
      message: 'Tasks Completed: 2 (Failed: 1)',
      results: results as never,
      tree,
      object,
    },
    recordedTimes,
  );
  return recording.runs;
}

describe('a report of a run', () => {
  it('as JUnit has a case for each task, with its time, failure and logs', () => {
    const xml = junitReport(recorded());
    expect(xml).toContain(
      '<testsuite name="r" tests="3" failures="1" skipped="1" time="5.000" timestamp="2026-01-01T00:00:00.000Z">',
    );
    expect(xml).toContain('<testcase classname="r" name="test" time="3.000">');
    expect(xml).toContain(
      '<failure message="step unit: exit code 3">1 of 2 failed: 100% &quot;bad&quot; | worse</failure>',
    );
    expect(xml).toContain('<skipped message="PipelineRun was stopping"/>');
    expect(xml).toContain('<system-out>[make] made &lt;it&gt;</system-out>');
  });

  it('as Markdown has a table, and the last lines of what failed', () => {
    const text = markdownReport(recorded());
    expect(text).toContain('## ✗ PipelineRun r\n\n**Failed** in 5.0 s\n\nTasks Completed: 2 (Failed: 1)\n');
    expect(text).toContain(
      '| build | ✓ succeeded | 2.0 s |\n| test | ✗ failed: step unit: exit code 3 | 3.0 s |\n| ship | - skipped: PipelineRun was stopping |  |',
    );
    expect(text).toContain('````text\n1 of 2 failed: 100% "bad" | worse\n````');
    expect(text).toContain('| size | 12 |');
  });

  it('as annotations of GitHub has the place of each task that failed', () => {
    const places = (run: string, task: string) => `${run}, a:b.yaml:${task === 'test' ? 12 : 1}`;
    expect(githubAnnotations(recorded(), places)).toBe(
      '::error file=r%2C a%3Ab.yaml,line=12,title=r%3A test::step unit: exit code 3%0A1 of 2 failed: 100%25 "bad" | worse\n',
    );
  });

  it('as a page has the graph with states, times and logs, and loads nothing', () => {
    const html = htmlReport(recorded());
    expect(html).toContain('>✗ test 3.0 s</text>');
    expect(html).toContain(
      '<td>build</td><td><span class="succeeded">✓ succeeded</span></td><td class="time">2.0 s</td>',
    );
    expect(html).toContain('style="margin-left:40.00%;width:60.00%"');
    expect(html).toContain(
      '<details open><summary>test : unit <span class="failed">✗ exit code 3</span></summary><pre>1 of 2 failed',
    );
    expect(html).toContain('made &lt;it&gt;');
    expect(html).not.toMatch(/<script|src=|href=|@import|url\(h/);
  });
});

describe('the reports that are wanted', () => {
  it('are those of the command line, and those that GitHub Actions takes', () => {
    expect(readReports(['junit=a=b.xml', 'github'], {})).toEqual([
      { kind: 'junit', file: 'a=b.xml' },
      { kind: 'github' },
    ]);
    expect(readReports([], { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: '/s' })).toEqual([
      { kind: 'github' },
      { kind: 'markdown', file: '/s', append: true },
    ]);
  });

  it.each([
    ['junt=a', '--report junt=a: there is no report "junt"; did you mean junit?'],
    ['html', '--report html: it needs a file, as --report html=FILE'],
  ])('are refused if they are none: %s', (word, message) => {
    expect(() => readReports([word], {})).toThrow(message);
  });
});
