import type { KubeObject } from '@tektite/meta';
import { describe, expect, it } from 'vitest';
import { admit, type Settings } from './test-support.ts';

const alpha: Settings = { 'feature-flags': { 'enable-api-fields': 'alpha' } };

function object(kind: string, spec: object, version = 'v1'): KubeObject {
  return { apiVersion: `tekton.dev/${version}`, kind, metadata: { name: 'x' }, spec } as unknown as KubeObject;
}

/** The error, without its prefix. */
async function denial(input: KubeObject, settings: Settings = {}, old?: KubeObject): Promise<string | undefined> {
  const answer = await admit(input, settings, old);
  return answer.denial?.replace(/^.*?validation failed: /s, '');
}

const a = { name: 'a', taskRef: { name: 't' } };
const withParams = (...params: object[]) => ({ tasks: [{ ...a, params }] });

describe('a Pipeline', () => {
  it('gets kinds for Tasks and types for parameters', async () => {
    const spec = {
      params: [{ name: 'p' }, { name: 'l', default: ['x'] }],
      tasks: [a, { name: 'b', taskSpec: { params: [{ name: 'q' }], steps: [{ image: 'i' }] } }],
      finally: [{ name: 'f', taskRef: { resolver: 'git' } }],
    };
    const { object: stored } = await admit(object('Pipeline', spec));
    expect(stored).toMatchObject({
      spec: {
        params: [{ type: 'string' }, { type: 'array' }],
        tasks: [{ taskRef: { name: 't', kind: 'Task' } }, { taskSpec: { params: [{ type: 'string' }] } }],
        finally: [{ taskRef: { resolver: 'git' } }],
      },
    });
  });

  it.each<[string, object, string]>([
    [
      'nothing',
      {},
      'expected at least one, got none: spec.description, spec.params, spec.resources, spec.tasks, spec.workspaces',
    ],
    [
      'a task without a Task',
      { tasks: [{ name: 'a' }] },
      'expected exactly one, got neither: spec.tasks[0].taskRef, spec.tasks[0].taskSpec',
    ],
    [
      'two tasks of one name',
      { tasks: [a, a] },
      "expected exactly one, got both: spec.tasks[1].name\ninvalid value: task a is already present in Graph, can't add it again: duplicate pipeline task: spec.tasks",
    ],
    [
      'a circle',
      {
        tasks: [
          { ...a, runAfter: ['b'] },
          { ...a, name: 'b', params: [{ name: 'p', value: '$(tasks.a.results.r)' }] },
        ],
      },
      'invalid value: cycle detected; task "a" depends on "b": spec.tasks',
    ],
    [
      'a task with an unknown dependency',
      { tasks: [{ ...a, runAfter: ['none'] }] },
      "invalid value: couldn't add link between a and none: task a depends on none but none wasn't present in Pipeline: spec.tasks",
    ],
    [
      'a parameter that is not declared',
      withParams({ name: 'p', value: '$(params.x)' }),
      'non-existent variable in "$(params.x)": spec.tasks[0].params[p]',
    ],
    [
      'a parameter twice',
      withParams({ name: 'p', value: '1' }, { name: 'p', value: '2' }),
      'parameter names must be unique, the parameter "p" is also defined at: spec.tasks[0].params[1].name',
    ],
    [
      'a variable of a shell',
      withParams({ name: 'p', value: '$(HOME)' }),
      'invalid value: invalid variable reference "$(HOME)", must start with a valid prefix: params, tasks, finally, context, workspaces, or results; if you meant a shell variable, use ${VAR} instead: spec.tasks[0].params[p].value',
    ],
    [
      'an array inside of a text',
      { params: [{ name: 'l', type: 'array' }], ...withParams({ name: 'p', value: 'a $(params.l[*])' }) },
      'variable type invalid in "a $(params.l[*])": spec.tasks[0].params[p]',
    ],
    [
      'the end of another task',
      withParams({ name: 'p', value: '$(tasks.b.status)' }),
      'invalid value: pipeline tasks can not refer to execution status of any other pipeline task or aggregate status of tasks: spec.tasks[0].params[p].value',
    ],
    [
      'the end of a task that is not there, in a final task',
      { tasks: [a], finally: [{ ...a, name: 'f', params: [{ name: 'p', value: '$(tasks.b.status)' }] }] },
      'invalid value: pipeline task b is not defined in the pipeline: spec.finally[0].params[p].value',
    ],
    [
      'a workspace that is not declared',
      { tasks: [{ ...a, workspaces: [{ name: 'w' }] }] },
      'invalid value: pipeline task "a" expects workspace with name "w" but none exists in pipeline spec: spec.tasks[0].workspaces[0]',
    ],
    [
      'a final task that waits',
      { tasks: [a], finally: [{ ...a, name: 'f', runAfter: ['a'] }] },
      'invalid value: no runAfter allowed under spec.finally, final task f has runAfter specified: spec.finally[0]',
    ],
    [
      'only final tasks',
      { finally: [a] },
      'invalid value: spec.tasks is empty but spec.finally has 1 tasks: spec.finally',
    ],
    [
      'a result that is none',
      { tasks: [a], results: [{ name: 'r', value: 'x' }] },
      'invalid value: expected pipeline results to be task result expressions but an invalid expressions was found: spec.results[0].value\ninvalid value: expected pipeline results to be task result expressions but no expressions were found: spec.results[0].value\ninvalid value: referencing a nonexistent task: spec.results[0].value',
    ],
    [
      'too large a matrix',
      { tasks: [{ ...a, matrix: { params: [{ name: 'm', value: Array.from({ length: 257 }, String) }] } }] },
      'expected 0 <= 257 <= 256: spec.tasks[0].matrix',
    ],
    [
      'one of the results of a matrix',
      {
        tasks: [
          { ...a, matrix: { params: [{ name: 'm', value: ['1'] }] } },
          { ...a, name: 'b', params: [{ name: 'p', value: '$(tasks.a.results.r)' }] },
        ],
      },
      'A matrixed pipelineTask can only be consumed in aggregate using [*] notation, but is currently set to tasks.a.results.r: ',
    ],
    [
      'a custom task without a version',
      { tasks: [{ name: 'a', taskRef: { kind: 'Wait', name: 'w' } }] },
      'invalid value: custom task ref must specify apiVersion: spec.tasks[0].taskRef.apiVersion',
    ],
    [
      'a Pipeline within, which is not ready yet',
      { tasks: [{ name: 'a', pipelineRef: { name: 'p' } }] },
      'pipelineRef requires "enable-api-fields" feature gate to be "alpha" but it is "beta": ',
    ],
    [
      'onError and retries',
      { tasks: [{ ...a, onError: 'continue', retries: 1 }] },
      'PipelineTask OnError cannot be set to "continue" when Retries is greater than 0: ',
    ],
  ])('with %s is refused', async (_title, spec, message) => {
    expect(await denial(object('Pipeline', spec))).toBe(message);
  });

  it('takes any onError that begins like a parameter', async () => {
    expect(await denial(object('Pipeline', { tasks: [{ ...a, onError: "$(params['p']) x" }] }))).toBeUndefined();
  });

  it('validates the variables in templates of steps, too', async () => {
    const taskSpec = { steps: [{ image: 'i' }], stepTemplate: { env: [{ name: 'E', value: '$(params.ghost)' }] } };
    const spec = { tasks: [{ name: 'a', taskSpec }] };
    expect(await denial(object('Pipeline', spec))).toBe(
      'non-existent variable in "$(params.ghost)": spec.tasks[0].steps[0].env[E]',
    );
    expect(await denial(object('PipelineRun', { pipelineSpec: spec }))).toBe(
      'non-existent variable in "$(params.ghost)": spec.steps[0].env[E]',
    );
  });

  it('waits for the tasks whose results are in templates of steps', async () => {
    const taskSpec = { steps: [{ image: 'i' }], stepTemplate: { args: ['$(tasks.a.results.r)'] } };
    expect(await denial(object('Pipeline', { tasks: [{ name: 'a', taskSpec }] }))).toBe(
      'invalid value: cycle detected; task "a" depends on "a": spec.tasks',
    );
  });

  it('has no results of a Pipeline within, in either version', async () => {
    const consumer = { ...a, name: 'b', params: [{ name: 'p', value: '$(tasks.a.results.r)' }] };
    const spec = { tasks: [{ name: 'a', pipelineRef: { name: 'p' } }, consumer] };
    for (const version of ['v1', 'v1beta1'])
      expect(await denial(object('Pipeline', spec, version), alpha)).toBe(
        'invalid value: result reference to pipelineTask "a" is not supported: referenced task uses pipelineRef or pipelineSpec and result propagation from child Pipelines is not yet implemented: spec.tasks[1]',
      );
  });

  it('of v1beta1 does not validate such results in the steps of a Task', async () => {
    const taskSpec = { steps: [{ image: 'i', args: ['$(tasks.a.results.r)'] }] };
    const spec = {
      tasks: [
        { name: 'a', pipelineRef: { name: 'p' } },
        { name: 'b', taskSpec },
      ],
    };
    expect(await denial(object('Pipeline', spec), alpha)).toMatch(
      /^invalid value: result reference to pipelineTask "a"/,
    );
    expect(await denial(object('Pipeline', spec, 'v1beta1'), alpha)).toBeUndefined();
  });

  it('of v1beta1 has no combinations of a matrix whose values are yet to come', async () => {
    const matrix = { params: [{ name: 'm', value: '$(params.l[*])' }] };
    const spec = { params: [{ name: 'l', type: 'array' }], tasks: [{ ...a, matrix }] };
    const none = { 'config-defaults': { 'default-max-matrix-combinations-count': '0' } };
    expect(await denial(object('Pipeline', spec), none)).toBe('expected 0 <= 1 <= 0: spec.tasks[0].matrix');
    expect(await denial(object('Pipeline', spec, 'v1beta1'), none)).toBeUndefined();
  });

  it('with a Pipeline within is validated inside, too', async () => {
    const spec = { tasks: [{ name: 'a', pipelineSpec: { tasks: [{ name: 'b' }] } }] };
    expect(await denial(object('Pipeline', spec), alpha)).toBe(
      'expected exactly one, got neither: spec.tasks[0].pipelineSpec.tasks[0].pipelineRef, spec.tasks[0].pipelineSpec.tasks[0].pipelineSpec, spec.tasks[0].pipelineSpec.tasks[0].taskRef, spec.tasks[0].pipelineSpec.tasks[0].taskSpec',
    );
  });
});

describe('a PipelineRun', () => {
  it('of a group of runs begins as one that waits, and is let go on by an update', async () => {
    const annotations = { 'tektite.dev/concurrency-group': 'deploy' };
    const run = object('PipelineRun', { pipelineRef: { name: 'p' } });
    const grouped = { ...run, metadata: { ...run.metadata, annotations } };
    const { object: stored } = await admit(grouped);
    expect(stored).toMatchObject({ spec: { status: 'PipelineRunPending' } });
    expect((await admit(run)).object).not.toHaveProperty('spec.status');
    const started = { ...stored, spec: { ...(stored as unknown as { spec: object }).spec, status: '' } } as KubeObject;
    expect((await admit(started, {}, stored)).object).not.toMatchObject({ spec: { status: 'PipelineRunPending' } });
  });

  const pipelineRef = { name: 'p' };

  it('gets a time limit and a service account, in either version', async () => {
    expect((await admit(object('PipelineRun', { pipelineRef }))).object).toMatchObject({
      spec: { timeouts: { pipeline: '1h0m0s' }, taskRunTemplate: { serviceAccountName: 'default' } },
    });
    expect((await admit(object('PipelineRun', { pipelineRef }, 'v1beta1'))).object).toMatchObject({
      spec: { timeouts: { pipeline: '1h0m0s' }, serviceAccountName: 'default' },
    });
  });

  it.each<[string, object, string]>([
    ['nothing', {}, 'expected exactly one, got neither: spec.pipelineRef, spec.pipelineSpec'],
    [
      'an unknown status',
      { pipelineRef, status: 'x' },
      'invalid value: x should be Cancelled, CancelledRunFinally, StoppedRunFinally or PipelineRunPending: spec.status',
    ],
    [
      'tasks that take longer than the run',
      { pipelineRef, timeouts: { pipeline: '1h', tasks: '2h' } },
      'invalid value: 2h0m0s should be <= pipeline duration: spec.timeouts.tasks',
    ],
    [
      'parts that take longer than the run',
      { pipelineRef, timeouts: { pipeline: '1h', tasks: '40m', finally: '30m' } },
      'invalid value: 40m0s + 30m0s should be <= pipeline duration: spec.timeouts.finally, spec.timeouts.tasks',
    ],
    [
      'final tasks that take for ever',
      { pipelineRef, timeouts: { pipeline: '1h', finally: '0' } },
      'invalid value: 0s (no timeout) should be <= pipeline duration: spec.timeouts.finally',
    ],
    [
      'one task that takes longer than all',
      { pipelineRef, timeouts: { tasks: '10m' }, taskRunSpecs: [{ pipelineTaskName: 'a', timeout: '20m' }] },
      'invalid value: 20m0s should be <= pipeline tasks duration 10m0s: spec.taskRunSpecs[0].timeout',
    ],
    [
      'results as parameters',
      { pipelineRef, params: [{ name: 'p', value: '$(tasks.a.results.r)' }] },
      'invalid value: cannot use result expressions in [tasks.a.results.r] as PipelineRun parameter values: spec.params[p].value',
    ],
    [
      'a workspace twice',
      {
        pipelineRef,
        workspaces: [
          { name: 'w', emptyDir: {} },
          { name: 'w', emptyDir: {} },
        ],
      },
      'workspace "w" provided by pipelinerun more than once, at index 0 and 1: spec.workspaces[1].name',
    ],
    [
      'a missing parameter, in a step',
      { pipelineSpec: { tasks: [{ name: 'a', taskSpec: { steps: [{ image: 'i', script: '$(params.x)' }] } }] } },
      'non-existent variable in "$(params.x)": spec.steps[0].script',
    ],
  ])('with %s is refused', async (_title, spec, message) => {
    expect(await denial(object('PipelineRun', spec))).toBe(message);
  });

  it('of v1beta1 reports a negative timeout for each task that has one', async () => {
    const spec = {
      pipelineRef,
      timeouts: { pipeline: '-1m' },
      taskRunSpecs: [{ pipelineTaskName: 'a', timeout: '1h' }],
    };
    expect(await denial(object('PipelineRun', spec, 'v1beta1'))).toBe(
      'invalid value: -1m0s should be >= 0: spec.taskRunSpecs[0].timeout, spec.timeouts.pipeline',
    );
  });

  it('may have parts that take longer together than can be said', async () => {
    const timeouts = { pipeline: '2562047h', tasks: '2562047h', finally: '2562047h' };
    expect(await denial(object('PipelineRun', { pipelineRef, timeouts }))).toBeUndefined();
  });

  it('of v1beta1 may have a task without a name that wants a workspace, and is refused for the name', async () => {
    const spec = { pipelineSpec: { tasks: [{ taskRef: { name: 't' }, workspaces: [{ name: 'w' }] }] } };
    expect(await denial(object('PipelineRun', spec, 'v1beta1'))).toMatch(
      /^invalid value "": spec\.pipelineSpec\.tasks\[0\]\.name/,
    );
  });

  it('gives its parameters to what is inside of it', async () => {
    const steps = [{ image: 'i', script: '$(params.x)' }];
    const spec = { params: [{ name: 'x', value: '1' }], pipelineSpec: { tasks: [{ name: 'a', taskSpec: { steps } }] } };
    expect(await denial(object('PipelineRun', spec))).toBeUndefined();
  });

  it('can be stopped, but not changed', async () => {
    const { object: old } = await admit(object('PipelineRun', { pipelineRef }));
    const changed = (spec: object) => ({ ...old, spec: { ...(old as { spec?: object }).spec, ...spec } }) as KubeObject;
    expect(await denial(changed({ status: 'Cancelled' }), {}, old)).toBeUndefined();
    expect(await denial(changed({ params: [{ name: 'p', value: 'v' }] }), {}, old)).toBe(
      'invalid value: Once the PipelineRun has started, only status updates are allowed: spec',
    );
    const done = { ...old, status: { conditions: [{ type: 'Succeeded', status: 'True' }] } } as unknown as KubeObject;
    expect(await denial(changed({ status: 'Cancelled' }), {}, done)).toBe(
      'invalid value: Once the PipelineRun is complete, no updates are allowed: spec',
    );
  });
});

describe('a CustomRun', () => {
  it.each<[string, object, string]>([
    ['neither a reference nor a spec', {}, 'expected exactly one, got neither: spec.customRef, spec.customSpec'],
    ['a reference without a kind', { customRef: { apiVersion: 'x/v1' } }, 'missing field(s): spec.customRef.kind'],
    [
      'a spec without a version',
      { customSpec: { kind: 'K', spec: {} } },
      'missing field(s): spec.customSpec.apiVersion',
    ],
    [
      'a parameter twice',
      {
        customRef: { apiVersion: 'x/v1', kind: 'K' },
        params: [
          { name: 'p', value: '' },
          { name: 'P', value: '' },
        ],
      },
      'expected exactly one, got both: spec.params[P].name',
    ],
  ])('with %s is refused', async (_title, spec, message) => {
    expect(await denial(object('CustomRun', spec, 'v1beta1'))).toBe(message);
  });

  it('with nothing at all is refused for that', async () => {
    const settings = { 'config-defaults': { 'default-service-account': '' } };
    expect(await denial(object('CustomRun', {}, 'v1beta1'), settings)).toBe('missing field(s): spec');
  });
});

describe('a VerificationPolicy', () => {
  const authorities = [{ name: 'a', key: { data: 'pem' } }];
  const resources = [{ pattern: 'https://.*' }];

  it.each<[string, object, string]>([
    ['nothing', { resources: [], authorities: [] }, 'missing field(s): authorities, resources'],
    [
      'a key from two places',
      { resources, authorities: [{ name: 'a', key: { data: 'x', kms: 'y' } }] },
      'expected exactly one, got both: key[0].data, key[0].kms, key[0].secretref',
    ],
    [
      'an unknown hash',
      { resources, authorities: [{ name: 'a', key: { data: 'x', hashAlgorithm: 'md5' } }] },
      'invalid value: md5: key[0].HashAlgorithm',
    ],
    [
      'an unknown mode',
      { resources, authorities, mode: 'x' },
      'invalid value: available values are: enforce, warn, but got: x: mode',
    ],
    [
      'no regular expression',
      { resources: [{ pattern: '(' }], authorities },
      'invalid value: (: ResourcePattern\nresourcePattern cannot be compiled by regex: error parsing regexp: missing closing ): `(`',
    ],
  ])('with %s is refused', async (_title, spec, message) => {
    expect(await denial(object('VerificationPolicy', spec, 'v1alpha1'))).toBe(message);
  });
});

it('a ResolutionRequest needs a resolver', async () => {
  const request = { ...object('ResolutionRequest', {}), apiVersion: 'resolution.tekton.dev/v1beta1' };
  expect(await denial(request)).toBe('missing field(s): meta.labels.resolution.tekton.dev/type');
});
