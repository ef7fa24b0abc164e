import type { KubeObject } from '@tektite/meta';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CustomRun, Pipeline, PipelineRun, Task } from '../../kinds/kinds.ts';
import type { PipelineRunSpec } from '../../kinds/pipeline-run-spec.ts';
import type { PipelineTask } from '../../kinds/pipeline-spec.ts';
import { namespace, PipelineBench, task } from './test-support.ts';

let bench: PipelineBench;

beforeEach(async () => {
  bench = await PipelineBench.start({
    enableAPIFields: 'alpha',
    enableCELInWhenExpression: true,
    enableParamEnum: true,
  });
});

afterEach(() => bench.stop());

/** Resolves when there is a TaskRun of that name. */
async function watchFor({ plane }: PipelineBench, name: string): Promise<void> {
  const kind = { apiVersion: 'tekton.dev/v1', kind: 'TaskRun' };
  for await (const event of await plane.client.watch(kind, { namespace }))
    if ('object' in event && (event.object as KubeObject).metadata.name === name) return;
}

const result = (of: string) => `$(tasks.${of}.results.r)`;
const using = (of: string): Partial<PipelineTask> => ({ params: [{ name: 'p', value: result(of) }] });

describe('a PipelineRun', () => {
  it('runs tasks when their dependencies have completed', async () => {
    await bench.run([task('c', { runAfter: ['a', 'b'] }), task('a'), task('b')]);
    expect(await bench.taskRuns()).toEqual(['pr-a', 'pr-b']);
    expect(await bench.condition()).toBe(
      'Unknown Running: Tasks Completed: 0 (Failed: 0, Cancelled 0), Incomplete: 3, Skipped: 0',
    );
    await bench.end('pr-a', 'ok');
    expect(await bench.taskRuns()).not.toContain('pr-c');
    await bench.end('pr-b', 'ok');
    await bench.end('pr-c', 'ok');
    expect(await bench.condition()).toBe('True Succeeded: Tasks Completed: 3 (Failed: 0, Cancelled 0), Skipped: 0');
    const { childReferences, completionTime } = await bench.status();
    expect(childReferences?.map(({ name, pipelineTaskName }) => `${name} ${pipelineTaskName}`)).toEqual([
      'pr-c c',
      'pr-a a',
      'pr-b b',
    ]);
    expect(completionTime).toBeDefined();
    expect(await bench.events()).toEqual(expect.arrayContaining(['Started ']));
  });

  it('labels its children with where they belong', async () => {
    await bench.run([task('a', { taskSpec: { ...task('a').taskSpec, metadata: { labels: { own: 'yes' } } } })], {
      taskRunSpecs: [{ pipelineTaskName: 'a', serviceAccountName: 'sa', metadata: { labels: { said: 'yes' } } }],
      timeouts: { pipeline: '3h0m0s', tasks: '2h0m0s' },
    });
    const { metadata, spec } = await bench.taskRun('pr-a');
    const { uid } = (await bench.plane.client.get(PipelineRun, { namespace, name: 'pr' })).metadata;
    expect(metadata.labels).toEqual({
      own: 'yes',
      said: 'yes',
      'tekton.dev/memberOf': 'tasks',
      'tekton.dev/pipeline': 'pr',
      'tekton.dev/pipelineRun': 'pr',
      'tekton.dev/pipelineRunUID': uid,
      'tekton.dev/pipelineTask': 'a',
    });
    expect(metadata.ownerReferences).toMatchObject([{ kind: 'PipelineRun', name: 'pr', controller: true }]);
    expect(spec).toMatchObject({ serviceAccountName: 'sa', timeout: '2h0m0s' });
  });

  it('belongs to the trace that its annotation names, and so do its children', async () => {
    const trace = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' };
    const annotations = { 'tekton.dev/pipelinerunSpanContext': JSON.stringify(trace) };
    await bench.create({ pipelineSpec: { tasks: [task('a')] } }, 'pr', annotations);
    expect((await bench.status()).spanContext).toEqual(trace);
    const { metadata } = await bench.taskRun('pr-a');
    expect(JSON.parse(metadata.annotations?.['tekton.dev/taskrunSpanContext'] ?? '')).toEqual(trace);
  });

  it('hands results on', async () => {
    await bench.run([task('a'), task('b', using('a'))], {
      pipelineSpec: { results: [{ name: 'out', value: `${result('a')}!` }] },
    });
    await bench.end('pr-a', 'ok', { r: 'hello' });
    expect((await bench.taskRun('pr-b')).spec.params).toEqual([{ name: 'p', value: 'hello' }]);
    await bench.end('pr-b', 'ok');
    expect((await bench.status()).results).toEqual([{ name: 'out', value: 'hello!' }]);
  });

  it('fails when a result is missing that should be there, and starts nothing more', async () => {
    await bench.run([task('a'), task('b', using('a')), task('c', { runAfter: ['b'] })], {
      pipelineSpec: { finally: [task('f')] },
    });
    await bench.end('pr-a', 'ok');
    expect(await bench.taskRuns()).toEqual(['pr-a', 'pr-f']);
    await bench.end('pr-f', 'ok');
    const why = 'task "a" completed successfully but did not emit the result "r", which is referenced by task "b"';
    expect(await bench.condition()).toBe(
      `False PipelineValidationFailed: Tasks Completed: 2 (Failed: 0, Cancelled 0), Skipped: 1, Failed Validation: 1 (${why})`,
    );
    expect(await bench.events()).toContain(`ResultValidationFailed Task "b" failed result validation: ${why}`);
  });

  it('stops after a failure, and runs the final tasks with the outcome', async () => {
    await bench.run([task('a'), task('b'), task('c', { runAfter: ['b'] })], {
      pipelineSpec: {
        finally: [
          task('f', {
            params: [
              { name: 'a', value: '$(tasks.a.status) $(tasks.a.reason)' },
              { name: 'c', value: '$(tasks.c.status)' },
              { name: 'all', value: '$(tasks.status)' },
            ],
          }),
        ],
      },
    });
    await bench.end('pr-a', 'failed');
    expect(await bench.taskRuns()).toEqual(['pr-a', 'pr-b']);
    await bench.end('pr-b', 'ok');
    expect((await bench.taskRun('pr-f')).spec.params).toEqual([
      { name: 'a', value: 'Failed StepFailed' },
      { name: 'c', value: 'None' },
      { name: 'all', value: 'Failed' },
    ]);
    expect(await bench.condition()).toBe(
      'Unknown Running: Tasks Completed: 2 (Failed: 1, Cancelled 0), Incomplete: 1, Skipped: 1',
    );
    await bench.end('pr-f', 'ok');
    expect(await bench.condition()).toBe('False Failed: Tasks Completed: 3 (Failed: 1, Cancelled 0), Skipped: 1');
    expect((await bench.status()).skippedTasks).toEqual([{ name: 'c', reason: 'PipelineRun was stopping' }]);
  });

  it('says when the final tasks began, also when one of them cannot', async () => {
    const spec = { params: [{ name: 'p', enum: ['x'] }], steps: [{ name: 's', image: 'i', script: 's' }] };
    await bench.plane.client.create(Task, { metadata: { namespace, name: 'choosy' }, spec });
    const final = { name: 'f', taskRef: { name: 'choosy' }, params: [{ name: 'p', value: '$(tasks.status)' }] };
    await bench.run([task('a')], { pipelineSpec: { finally: [final] } });
    await bench.end('pr-a', 'ok');
    expect(await bench.condition()).toContain('False InvalidParamValue');
    expect((await bench.status()).finallyStartTime).toBeDefined();
  });

  it('goes on after a failure that may be', async () => {
    await bench.run([task('a', { onError: 'continue' }), task('b', { runAfter: ['a'] })]);
    expect((await bench.taskRun('pr-a')).metadata.annotations).toEqual({
      'pipeline.tekton.dev/pipeline-task-on-error': 'continue',
    });
    await bench.end('pr-a', 'failed');
    await bench.end('pr-b', 'ok');
    expect(await bench.condition()).toBe(
      'True Succeeded: Tasks Completed: 2 (Failed: 1 (Ignored: 1), Cancelled 0), Skipped: 0',
    );
  });

  it('skips a task whose conditions do not hold, and those that need its results; not those that only wait', async () => {
    const when = [{ input: result('a'), operator: 'in', values: ['yes'] }];
    await bench.run([
      task('a'),
      task('b', { when }),
      task('waits', { runAfter: ['b'] }),
      task('needs', using('b')),
      task('later', { runAfter: ['needs'] }),
    ]);
    await bench.end('pr-a', 'ok', { r: 'no' });
    expect(await bench.taskRuns()).toEqual(['pr-a', 'pr-waits']);
    await bench.end('pr-waits', 'ok');
    expect(await bench.condition()).toBe('True Completed: Tasks Completed: 2 (Failed: 0, Cancelled 0), Skipped: 3');
    expect((await bench.status()).skippedTasks).toEqual([
      {
        name: 'b',
        reason: 'When Expressions evaluated to false',
        whenExpressions: [{ input: 'no', operator: 'in', values: ['yes'] }],
      },
      { name: 'needs', reason: 'Results were missing' },
      { name: 'later', reason: 'Parent Tasks were skipped' },
    ]);
  });

  it('runs a task once for each combination of its matrix, and puts their results together', async () => {
    await bench.run([
      task('m', { matrix: { params: [{ name: 'p', value: ['x', 'y'] }] } }),
      task('all', {
        params: [
          { name: 'list', value: '$(tasks.m.results.r[*])' },
          { name: 'count', value: '$(tasks.m.matrix.r.length)/$(tasks.m.matrix.length)' },
        ],
      }),
    ]);
    expect(await bench.taskRuns()).toEqual(['pr-m-0', 'pr-m-1']);
    expect((await bench.taskRun('pr-m-1')).spec.params).toEqual([{ name: 'p', value: 'y' }]);
    await bench.end('pr-m-1', 'ok', { r: '2' });
    expect(await bench.taskRuns()).not.toContain('pr-all');
    await bench.end('pr-m-0', 'ok', { r: '1' });
    expect((await bench.taskRun('pr-all')).spec.params).toEqual([
      { name: 'list', value: ['1', '2'] },
      { name: 'count', value: '2/2' },
    ]);
  });

  it('knows of a text only the length that comes first, as upstream', async () => {
    const value = '$(context.pipelineRun.name) $(tasks.m.matrix.length) $(tasks.m.matrix.r.length)';
    await bench.run([
      task('m', { matrix: { params: [{ name: 'p', value: ['x', 'y'] }] } }),
      task('all', { runAfter: ['m'], params: [{ name: 'count', value }] }),
    ]);
    for (const name of ['pr-m-0', 'pr-m-1']) await bench.end(name, 'ok', { r: '1' });
    expect((await bench.taskRun('pr-all')).spec.params).toEqual([
      { name: 'count', value: 'pr 2 $(tasks.m.matrix.r.length)' },
    ]);
  });

  it('passes the outcome of tasks to final tasks, but not in a matrix', async () => {
    const status = '$(tasks.a.status)';
    const final = task('f', { matrix: { params: [{ name: 'p', value: [status] }] }, displayName: status });
    await bench.run([task('a')], { pipelineSpec: { finally: [final] } });
    await bench.end('pr-a', 'ok');
    expect((await bench.taskRun('pr-f')).spec.params).toEqual([{ name: 'p', value: status }]);
  });

  it('lets a matrix take its values from a result', async () => {
    await bench.run([
      task('a', { taskSpec: { ...task('a').taskSpec, results: [{ name: 'r', type: 'array' }] } }),
      task('m', { matrix: { params: [{ name: 'p', value: '$(tasks.a.results.r[*])' }] } }),
    ]);
    await bench.end('pr-a', 'ok', { r: ['1', '2', '3'] });
    expect(await bench.taskRuns()).toEqual(['pr-a', 'pr-m-0', 'pr-m-1', 'pr-m-2']);
  });

  it('keeps to the Pipeline that it began with', async () => {
    const { client } = bench.plane;
    const pipeline = {
      metadata: { namespace, name: 'p', labels: { of: 'pipeline' } },
      spec: { tasks: [task('a'), task('b', { runAfter: ['a'] })] },
    };
    const created = await client.create(Pipeline, pipeline);
    await bench.create({ pipelineRef: { name: 'p' } });
    await client.update(Pipeline, { ...created, spec: { tasks: [task('other')] } });
    await bench.end('pr-a', 'ok');
    expect(await bench.taskRuns()).toEqual(['pr-a', 'pr-b']);
    const { metadata } = await client.get(PipelineRun, { namespace, name: 'pr' });
    expect(metadata.labels).toEqual({ of: 'pipeline', 'tekton.dev/pipeline': 'p' });
  });

  it('recreates a deleted TaskRun', async () => {
    await bench.run([task('a')]);
    const { metadata } = await bench.taskRun('pr-a');
    await bench.plane.client.delete({ apiVersion: 'tekton.dev/v1', kind: 'TaskRun' }, { namespace, name: 'pr-a' });
    await bench.clock.advance(1000);
    expect((await bench.taskRun('pr-a')).metadata.uid).not.toBe(metadata.uid);
  });

  it('does not adopt a TaskRun of the same name, and waits until it is deleted', async () => {
    const { client } = bench.plane;
    const kind = { apiVersion: 'tekton.dev/v1', kind: 'TaskRun' };
    await client.create(kind as never, { ...kind, metadata: { namespace, name: 'pr-a' }, spec: {} } as never);
    await bench.run([task('a')]);
    expect((await bench.status()).childReferences).toBeUndefined();
    await client.delete(kind, { namespace, name: 'pr-a' });
    await bench.clock.advance(60_000);
    expect((await bench.status()).childReferences).toMatchObject([{ name: 'pr-a' }]);
  });
});

describe('the time', () => {
  it('of a run ends it and what runs', async () => {
    await bench.run([task('a'), task('b', { runAfter: ['a'] })], { timeouts: { pipeline: '1m0s' } });
    await bench.clock.advance(61_000);
    expect(await bench.condition()).toBe('False PipelineRunTimeout: PipelineRun "pr" failed to finish within "1m0s"');
    expect((await bench.taskRun('pr-a')).spec).toMatchObject({
      status: 'TaskRunCancelled',
      statusMessage: 'TaskRun cancelled as the PipelineRun it belongs to has timed out.',
    });
  });

  it('of the tasks leaves some for the final tasks', async () => {
    await bench.run([task('a'), task('b', { runAfter: ['a'] })], {
      timeouts: { pipeline: '2m0s', tasks: '1m0s' },
      pipelineSpec: { finally: [task('f')] },
    });
    await bench.clock.advance(61_000);
    expect((await bench.taskRun('pr-a')).spec.status).toBe('TaskRunCancelled');
    await bench.end('pr-a', 'failed');
    expect(await bench.condition()).toMatch(/^Unknown PipelineRunTimeoutRunningFinally: /);
    await bench.end('pr-f', 'ok');
    expect(await bench.condition()).toBe(
      'False PipelineRunTimeout: PipelineRun "pr" failed due to tasks failed to finish within "1m0s"',
    );
  });

  it('of the final tasks ends those', async () => {
    await bench.run([task('a')], {
      timeouts: { pipeline: '2m0s', finally: '1m0s' },
      pipelineSpec: { finally: [task('f')] },
    });
    await bench.end('pr-a', 'ok');
    await bench.clock.advance(61_000);
    expect((await bench.taskRun('pr-f')).spec.status).toBe('TaskRunCancelled');
  });
});

describe('a user', () => {
  it('can have a run wait', async () => {
    await bench.run([task('a')], { status: 'PipelineRunPending' });
    expect(await bench.condition()).toBe('Unknown PipelineRunPending: PipelineRun "pr" is pending');
    expect((await bench.status()).startTime).toBeUndefined();
    await bench.ask('');
    expect(await bench.taskRuns()).toEqual(['pr-a']);
  });

  it('can cancel it at once', async () => {
    await bench.run([task('a'), task('b')], { pipelineSpec: { finally: [task('f')] } });
    await bench.end('pr-b', 'ok');
    await bench.ask('Cancelled');
    expect(await bench.condition()).toBe('False Cancelled: PipelineRun "pr" was cancelled');
    expect((await bench.taskRun('pr-a')).spec).toMatchObject({
      status: 'TaskRunCancelled',
      statusMessage: 'TaskRun cancelled as the PipelineRun it belongs to has been cancelled.',
    });
    expect((await bench.taskRun('pr-b')).spec.status).toBeUndefined();
    expect(await bench.taskRuns()).toEqual(['pr-a', 'pr-b']);
  });

  it('can cancel it while it begins, and it still says what it began', async () => {
    const cancelled = watchFor(bench, 'pr-a').then(() => bench.ask('Cancelled'));
    await bench.run([task('a')]);
    await cancelled;
    expect(await bench.condition()).toBe('False Cancelled: PipelineRun "pr" was cancelled');
    expect(await bench.status()).toMatchObject({ childReferences: [{ name: 'pr-a' }], pipelineSpec: {} });
  });

  it.each([
    ['CancelledRunFinally', 'CancelledRunningFinally', 'PipelineRun was gracefully cancelled', 'failed'],
    ['StoppedRunFinally', 'StoppedRunningFinally', 'PipelineRun was gracefully stopped', 'ok'],
  ] as const)('can have it end with the final tasks: %s', async (status, running, skip, how) => {
    await bench.run([task('a'), task('b', { runAfter: ['a'] })], { pipelineSpec: { finally: [task('f')] } });
    await bench.ask(status);
    expect(await bench.condition()).toContain(`Unknown ${running}`);
    expect((await bench.status()).skippedTasks).toEqual([{ name: 'b', reason: skip }]);
    await bench.end('pr-a', how);
    await bench.end('pr-f', 'ok');
    expect(await bench.condition()).toMatch(/^False Cancelled: /);
  });
});

describe('other runs', () => {
  it('of custom tasks are created, cancelled, and their results used', async () => {
    const custom = { taskRef: { apiVersion: 'example.dev/v1', kind: 'Wait', name: 'w' }, retries: 2, timeout: '1m0s' };
    await bench.run([
      { name: 'c', ...custom, params: [{ name: 'p', value: 'x' }] },
      task('a', { params: [{ name: 'list', value: '$(tasks.c.results.out[*])' }] }),
      { name: 'later', taskSpec: { apiVersion: 'example.dev/v1', kind: 'Wait', spec: { for: '1s' } }, runAfter: ['a'] },
    ]);
    const { spec } = await bench.plane.client.get(CustomRun, { namespace, name: 'pr-c' });
    expect(spec).toEqual({
      customRef: custom.taskRef,
      params: [{ name: 'p', value: 'x' }],
      retries: 2,
      timeout: '1m0s',
    });
    const ended = {
      conditions: [{ type: 'Succeeded', status: 'True' }],
      results: [{ name: 'out', value: '["1","2"]' }],
    };
    await bench.endCustom('pr-c', ended);
    expect((await bench.taskRun('pr-a')).spec.params).toEqual([{ name: 'list', value: ['1', '2'] }]);
    await bench.end('pr-a', 'ok');
    const later = await bench.plane.client.get(CustomRun, { namespace, name: 'pr-later' });
    expect(later.spec.customSpec).toEqual({
      apiVersion: 'example.dev/v1',
      kind: 'Wait',
      metadata: {},
      spec: { for: '1s' },
    });
    await bench.ask('Cancelled');
    const cancelled = await bench.plane.client.get(CustomRun, { namespace, name: 'pr-later' });
    expect(cancelled.spec.status).toBe('RunCancelled');
  });

  it('of Pipelines within Pipelines are PipelineRuns', async () => {
    await bench.run([
      { name: 'child', pipelineSpec: { tasks: [task('inner')] } },
      task('after', { runAfter: ['child'] }),
    ]);
    expect(await bench.taskRuns()).toEqual(['pr-child-inner']);
    await bench.end('pr-child-inner', 'ok');
    expect(await bench.taskRuns()).toContain('pr-after');
    await bench.end('pr-after', 'ok');
    expect(await bench.condition()).toMatch(/^True Succeeded/);
    expect((await bench.status()).childReferences).toContainEqual(
      expect.objectContaining({ kind: 'PipelineRun', name: 'pr-child', pipelineTaskName: 'child' }),
    );
  });

  it('of a Pipeline within itself are refused', async () => {
    const spec = { tasks: [{ name: 'again', pipelineRef: { name: 'p' } }] };
    await bench.plane.client.create(Pipeline, { metadata: { namespace, name: 'p' }, spec });
    await bench.create({ pipelineRef: { name: 'p' } });
    expect(await bench.condition()).toBe(
      'False CreateRunFailed: detected cycle in pipeline-in-pipeline: pipeline "p" is already running in ancestor chain []',
    );
  });

  it('that belong to another controller are left alone', async () => {
    await bench.run([task('a')], { managedBy: 'somebody.else/runs' });
    expect(await bench.taskRuns()).toEqual([]);
    expect(await bench.status()).toEqual({});
  });
});

describe('a run fails, and says why, for', () => {
  const oneTask = { tasks: [task('a')] };
  it.each<[string, PipelineRunSpec, string]>([
    [
      'a Pipeline that is not there',
      { pipelineRef: { name: 'none' } },
      'CouldntGetPipeline: Error retrieving pipeline for pipelinerun default/pr: error when getting Pipeline for PipelineRun pr: tekton client cannot get pipeline none from local cluster: pipelines.tekton.dev "none" not found',
    ],
    [
      'a Task that is not there',
      { pipelineSpec: { tasks: [{ name: 'a', taskRef: { name: 'none' } }] } },
      'CouldntGetTask: Pipeline default/pr can\'t be Run; it contains Tasks that don\'t exist: Couldn\'t retrieve Task "none": tasks.tekton.dev "none" not found',
    ],
    [
      'a circle',
      { pipelineSpec: { tasks: [task('a', { runAfter: ['a'] })] } },
      'PipelineInvalidGraph: [User error] PipelineRun default/pr\'s Pipeline DAG is invalid: cycle detected; task "a" depends on "a"',
    ],
    [
      'two final tasks of the same name',
      { pipelineSpec: { ...oneTask, finally: [task('f'), task('f')] } },
      "PipelineInvalidGraph: [User error] PipelineRun default/pr's Pipeline DAG is invalid for finally clause: task f is already present in Graph, can't add it again: duplicate pipeline task",
    ],
    [
      'a parameter that is missing',
      { pipelineSpec: { ...oneTask, params: [{ name: 'p' }, { name: 'q' }] } },
      'ParameterMissing: [User error] PipelineRun default/pr is missing some parameters required by Pipeline default/pr: pipelineRun missing parameters: [p q]',
    ],
    [
      'a parameter of another type',
      { params: [{ name: 'p', value: 'x' }], pipelineSpec: { ...oneTask, params: [{ name: 'p', type: 'array' }] } },
      "ParameterTypeMismatch: [User error] PipelineRun default/pr parameters have mismatching types with Pipeline default/pr's parameters: parameters have inconsistent types : [p]",
    ],
    [
      'an index that is not there',
      {
        params: [{ name: 'p', value: ['x'] }],
        pipelineSpec: {
          tasks: [task('a', { params: [{ name: 'q', value: '$(params.p[3])' }] })],
          params: [{ name: 'p', type: 'array' }],
        },
      },
      "ParamArrayIndexingInvalid: [User error] PipelineRun default/pr failed validation: failed to validate Pipeline default/pr's parameter which has an invalid index while referring to an array: non-existent param references:[$(params.p[3])]",
    ],
    [
      'a workspace that is not bound',
      { pipelineSpec: { ...oneTask, workspaces: [{ name: 'w' }] } },
      'InvalidWorkspaceBindings: [User error] PipelineRun default/pr doesn\'t bind Pipeline default/pr\'s Workspaces correctly: pipeline requires workspace with name "w" be provided by pipelinerun',
    ],
    [
      'a task that it speaks of and that is not there',
      { pipelineSpec: oneTask, taskRunSpecs: [{ pipelineTaskName: 'z' }] },
      'InvalidTaskRunSpecs: [User error] PipelineRun default/pr doesn\'t define taskRunSpecs correctly: pipelineRun\'s taskrunSpecs defined wrong taskName: "z", does not exist in Pipeline',
    ],
    [
      'a parameter that a Task lacks',
      { pipelineSpec: { tasks: [task('a', { taskSpec: { ...task('a').taskSpec, params: [{ name: 'p' }] } })] } },
      'PipelineValidationFailed: [User error] Validation failed for pipelinerun pr with error invalid input params for task : missing values for these params which have no default values: [p]',
    ],
    [
      'a result that no task produces',
      {
        pipelineSpec: { tasks: [task('a'), task('b', { params: [{ name: 'p', value: '$(tasks.a.results.none)' }] })] },
      },
      'InvalidTaskResultReference: invalid result reference in pipeline task "b": "none" is not a named result returned by pipeline task "a"',
    ],
    [
      'a result of the Pipeline that no task produces',
      { pipelineSpec: { ...oneTask, results: [{ name: 'out', value: '$(tasks.a.results.none)' }] } },
      'InvalidPipelineResultReference: Failed to resolve pipeline result reference for "pr" with error invalid pipeline result "out": "none" is not a named result returned by pipeline task "a"',
    ],
    [
      'a workspace that a task cannot do without',
      { pipelineSpec: { tasks: [task('a', { workspaces: [{ name: 'x', workspace: 'w' }] })] } },
      'CreateRunFailed: expected workspace "w" to be provided by pipelinerun for pipeline task "a"',
    ],
    [
      'a matrix of texts',
      { pipelineSpec: { tasks: [task('a', { matrix: { params: [{ name: 'p', value: 'x' }] } })] } },
      'InvalidMatrixParameterTypes: [User error] Failed to validate matrix "parameters of type array only are allowed, but param \\"p\\" has type \\"string\\" in pipelineTask \\"a\\"" with error %!v(MISSING)',
    ],
    [
      'CEL that is no condition',
      { pipelineSpec: { tasks: [task('a', { when: [{ cel: "'a'" }] })] } },
      "CELEvaluationFailed: [User error] Error evaluating CEL pr: The CEL expression 'a' is not evaluated to a boolean",
    ],
  ])('%s', async (_title, spec, message) => {
    await bench.create(spec);
    expect(await bench.condition()).toBe(`False ${message}`);
    expect(await bench.taskRuns()).toEqual([]);
  });
});

it('many tasks may use the same Task', async () => {
  await bench.plane.client.create(Task, {
    metadata: { namespace, name: 't' },
    spec: { steps: [{ name: 's', image: 'i' }] },
  });
  await bench.run(Array.from({ length: 20 }, (_, i) => ({ name: `n${i}`, taskRef: { name: 't' } })));
  expect((await bench.taskRuns()).length).toBe(20);
  expect((await bench.taskRun('pr-n7')).spec.taskRef).toEqual({ name: 't' });
});
