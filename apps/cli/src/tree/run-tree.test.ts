import type { CustomRun, PipelineRun, PipelineTask, TaskRun } from '@tektite/pipelines';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { criticalPath, pipelineRunNode, recordedTimes, type RunNode, taskRunNode } from '@tektite/dashboard/run';
import { treeLines } from './tree-lines.ts';

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString().replace('.000', '');
const condition = (status: string, reason: string, message = '') => ({
  conditions: [{ type: 'Succeeded', status, reason, message }],
});

const lines = (node: RunNode) =>
  treeLines(node, recordedTimes, Date.parse(at(10))).map((line) => stripVTControlCharacters(line));

function taskRun(name: string, status: object): TaskRun {
  return { apiVersion: 'tekton.dev/v1', kind: 'TaskRun', metadata: { name }, spec: {}, status } as unknown as TaskRun;
}

describe('the tree of a TaskRun', () => {
  const taskSpec = { steps: [{ name: 'fetch' }, { name: 'build' }, { name: 'test' }] };

  it('shows only the first step that runs as running: the others wait for it', () => {
    const running = { running: { startedAt: at(4) } };
    const run = taskRun('r', {
      ...condition('Unknown', 'Running'),
      startTime: at(0),
      taskSpec,
      steps: [
        { name: 'fetch', terminated: { exitCode: 0, startedAt: at(1), finishedAt: at(4) } },
        { name: 'build', ...running },
        { name: 'test', ...running },
      ],
    });
    expect(lines(taskRunNode(run))).toEqual(['▶ r 10.0 s', '├─ ✓ fetch 3.0 s', '├─ ▶ build 6.0 s', '└─ · test']);
  });

  it('says with what code a step failed, whether that was ignored, and what never ran', () => {
    const ended = { startedAt: at(1), finishedAt: at(2) };
    const run = taskRun('r', {
      ...condition('False', 'StepFailed', '"step-build" exited with code 3'),
      startTime: at(0),
      completionTime: at(5),
      taskSpec,
      retriesStatus: [{}],
      steps: [
        { name: 'fetch', terminationReason: 'Continued', terminated: { exitCode: 7, ...ended } },
        { name: 'build', terminationReason: 'Error', terminated: { exitCode: 3, startedAt: at(2), finishedAt: at(3) } },
        { name: 'test', terminationReason: 'Skipped', terminated: { exitCode: 1, ...ended } },
      ],
    });
    expect(lines(taskRunNode(run))).toEqual([
      '✗ r 5.0 s',
      '├─ ✗ fetch 1.0 s  exit code 7, ignored',
      '├─ ✗ build 1.0 s  exit code 3',
      '└─ - test',
    ]);
  });

  it('shows the step that a cancellation stopped, and those behind it as never run', () => {
    const killed = { startedAt: at(1), finishedAt: at(3) };
    const run = taskRun('r', {
      ...condition('False', 'TaskRunCancelled', 'TaskRun "r" was cancelled.'),
      startTime: at(0),
      completionTime: at(3),
      taskSpec,
      steps: [
        { name: 'fetch', terminated: { exitCode: 0, startedAt: at(0), finishedAt: at(1) } },
        { name: 'build', terminated: { exitCode: 255, ...killed } },
        { name: 'test', terminated: { exitCode: 2, ...killed } },
      ],
    });
    expect(lines(taskRunNode(run))).toEqual(['■ r 3.0 s', '├─ ✓ fetch 1.0 s', '├─ ■ build 2.0 s', '└─ - test']);
  });

  it('says what it waits for before there is a Pod', () => {
    const run = taskRun(
      'r',
      condition('Unknown', 'Pending', 'pod status "PodReadyToStartContainers":"False"; message: ""'),
    );
    expect(lines(taskRunNode(run))).toEqual(['▶ r  starting']);
    const stuck = taskRun(
      'r',
      condition('Unknown', 'Pending', 'pod status "PodScheduled":"False"; message: "no room"'),
    );
    expect(lines(taskRunNode(stuck))).toEqual(['▶ r  no room']);
  });
});

describe('the tree of a PipelineRun', () => {
  const task = (name: string, more: Partial<PipelineTask> = {}) => ({ name, taskSpec: { steps: [] }, ...more });
  const run = {
    apiVersion: 'tekton.dev/v1',
    kind: 'PipelineRun',
    metadata: { name: 'p' },
    spec: {},
    status: {
      ...condition('Unknown', 'Running'),
      startTime: at(0),
      pipelineSpec: {
        tasks: [
          task('clone'),
          task('lint', { when: [{ input: 'a', operator: 'in', values: ['b'] }] }),
          task('build', { params: [{ name: 'commit', value: '$(tasks.clone.results.commit)' }] }),
          task('deploy', { runAfter: ['build', 'lint'] }),
          task('platforms', { matrix: { params: [{ name: 'os', value: ['a', 'b'] }] } }),
          task('approve', { taskRef: { apiVersion: 'a.test/v1', kind: 'Approval' } }),
        ],
        finally: [task('notify')],
      },
      skippedTasks: [{ name: 'lint', reason: 'When Expressions evaluated to false' }],
      childReferences: [
        { kind: 'TaskRun', name: 'p-clone', pipelineTaskName: 'clone' },
        { kind: 'TaskRun', name: 'p-platforms-0', pipelineTaskName: 'platforms' },
        { kind: 'TaskRun', name: 'p-platforms-1', displayName: 'the other', pipelineTaskName: 'platforms' },
        { kind: 'CustomRun', name: 'p-approve', pipelineTaskName: 'approve' },
      ],
    },
  } as unknown as PipelineRun;
  const custom = { kind: 'CustomRun', status: condition('Unknown', 'Asked', 'asked Alice') } as unknown as CustomRun;
  const parts = new Map<string, TaskRun | CustomRun>([
    ['p-clone', taskRun('p-clone', { ...condition('Unknown', 'Running'), startTime: at(1), steps: [] })],
    ['p-platforms-0', taskRun('p-platforms-0', { ...condition('True', 'Succeeded'), startTime: at(1), steps: [] })],
    ['p-approve', custom],
  ]);

  it('has all tasks in their order, who waits for whom, and why one was skipped', () => {
    expect(lines(pipelineRunNode(run, (_kind, name) => parts.get(name)))).toEqual([
      '▶ p 10.0 s',
      '├─ ▶ clone 9.0 s',
      '├─ - lint  When Expressions evaluated to false',
      '├─ · build  waits for clone',
      '├─ · deploy  waits for build',
      '├─ ▶ platforms',
      '│  ├─ ✓ platforms-0 9.0 s',
      '│  └─ · platforms-1 (the other)',
      '├─ ▶ approve  asked Alice',
      '└─ · notify (finally)  waits for all others',
    ]);
  });

  it('finds the tasks that decided how long it took', () => {
    const node = (name: string, began: number, ended: number): RunNode => ({
      id: name,
      name,
      state: 'succeeded',
      recorded: { began, ended },
      children: [],
    });
    const children = [
      node('clone', 0, 1000),
      node('lint', 1000, 1500),
      node('build', 1010, 4000),
      node('test', 4020, 5000),
    ];
    const pipeline: RunNode = { ...node('p', 0, 5000), children };
    expect(criticalPath(pipeline, recordedTimes)).toEqual([
      { name: 'clone', ms: 1000, waitMs: 0 },
      { name: 'build', ms: 2990, waitMs: 10 },
      { name: 'test', ms: 980, waitMs: 20 },
    ]);
  });
});
