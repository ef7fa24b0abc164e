import type { KubeObject } from '@tektite/meta';
import { describe, expect, it } from 'vitest';
import { standardDefaults } from '../../config/config-defaults.ts';
import { defaultFeatureFlags } from '../../config/feature-flags.ts';
import { pipelinesConversion } from './pipelines-conversion.ts';

const webhook = pipelinesConversion({ flags: () => defaultFeatureFlags, defaults: () => standardDefaults });

async function convert(object: object, version: string): Promise<KubeObject & Record<string, unknown>> {
  const { convertedObjects, result } = await webhook.convert({
    uid: '1',
    objects: [object as KubeObject],
    desiredAPIVersion: `tekton.dev/${version}`,
  });
  if (result.status !== 'Success') throw new Error(result.message);
  return convertedObjects[0] as KubeObject & Record<string, unknown>;
}

const oldTask = {
  apiVersion: 'tekton.dev/v1beta1',
  kind: 'Task',
  metadata: { name: 't', annotations: { mine: 'x' } },
  spec: {
    resources: { inputs: [{ name: 'source', type: 'git' }] },
    stepTemplate: { name: 'old', resources: { limits: { cpu: '1' } } },
    steps: [
      { name: 'a', image: 'i', resources: { requests: { cpu: '1' } }, tty: true },
      { name: 'b', image: 'i', resources: {} },
    ],
    sidecars: [{ name: 's', image: 'i', resources: {} }],
    params: [{ name: 'p', type: 'string' }],
  },
};

describe('a Task of v1beta1', () => {
  it('has its resources under their new name in v1, and removed fields in annotations', async () => {
    const task = await convert(oldTask, 'v1');
    expect(task).toMatchObject({
      apiVersion: 'tekton.dev/v1',
      spec: {
        stepTemplate: { computeResources: { limits: { cpu: '1' } } },
        steps: [
          { name: 'a', computeResources: { requests: { cpu: '1' } } },
          { name: 'b', computeResources: {} },
        ],
        sidecars: [{ name: 's', computeResources: {} }],
      },
    });
    expect(Object.keys(task.metadata.annotations ?? {})).toEqual([
      'mine',
      'tekton.dev/v1beta1Resources',
      'tekton.dev/v1beta1.task-deprecations',
    ]);
    expect(task.spec).not.toHaveProperty('resources');
    expect(task.metadata.annotations?.['tekton.dev/v1beta1Resources']).toBe(
      '{"inputs":[{"name":"source","type":"git"}]}',
    );
  });

  it('comes back as it was', async () => {
    expect(await convert(await convert(oldTask, 'v1'), 'v1beta1')).toEqual(oldTask);
  });

  it('does not come back when steps were added in between', async () => {
    const task = (await convert(oldTask, 'v1')) as { spec?: { steps: object[] } };
    const longer = { ...task, spec: { ...task.spec, steps: [...(task.spec?.steps ?? []), { name: 'c', image: 'i' }] } };
    await expect(convert(longer, 'v1beta1')).rejects.toThrow(
      'conversion failed to version v1beta1 for type [kind=Task group=tekton.dev version=v1] -  length of deserialized steps mismatch the length of target steps',
    );
  });
});

const oldRun = {
  apiVersion: 'tekton.dev/v1beta1',
  kind: 'TaskRun',
  metadata: { name: 'r', labels: { 'app.kubernetes.io/managed-by': 'me' } },
  spec: {
    serviceAccountName: 'default',
    taskRef: { name: 't', kind: 'Task' },
    timeout: '1h0m0s',
    stepOverrides: [{ name: 'a', resources: { limits: { cpu: '1' } } }],
  },
  status: {
    podName: 'p',
    taskResults: [{ name: 'out', type: 'string', value: 'v' }],
    cloudEvents: [{ target: 'http://sink', status: { message: '', retryCount: 0 } }],
    steps: [
      {
        name: 'a',
        terminated: {
          exitCode: 1,
          reason: 'Error',
          startedAt: '2026-01-01T00:00:00Z',
          finishedAt: '2026-01-01T00:00:01Z',
        },
      },
    ],
  },
};

describe('a TaskRun of v1beta1', () => {
  it('has its overrides and results under their new names in v1', async () => {
    const run = await convert(oldRun, 'v1');
    expect(run).toMatchObject({
      spec: { stepSpecs: [{ name: 'a', computeResources: { limits: { cpu: '1' } } }] },
      status: {
        results: [{ name: 'out', type: 'string', value: 'v' }],
        steps: [{ name: 'a', terminationReason: 'Error' }],
      },
    });
    expect(run.status).not.toHaveProperty('cloudEvents');
  });

  it('comes back as it was', async () => {
    expect(await convert(await convert(oldRun, 'v1'), 'v1beta1')).toEqual(oldRun);
  });

  it('loses who manages it', async () => {
    const run = await convert({ ...oldRun, spec: { ...oldRun.spec, managedBy: 'me' } }, 'v1');
    expect(run.spec).not.toHaveProperty('managedBy');
  });

  it('has a status even if it had none', async () => {
    const { status: _, ...run } = oldRun;
    expect(await convert({ ...run, apiVersion: 'tekton.dev/v1' }, 'v1beta1')).toMatchObject({
      status: { podName: '' },
    });
  });
});

it('a StepAction is the same in both versions', async () => {
  const action = {
    apiVersion: 'tekton.dev/v1alpha1',
    kind: 'StepAction',
    metadata: { name: 's' },
    spec: { image: 'i', args: ['a'], params: [{ name: 'p', type: 'string' }] },
  };
  expect(await convert(action, 'v1beta1')).toEqual({ ...action, apiVersion: 'tekton.dev/v1beta1' });
});

describe('a Pipeline of v1beta1', () => {
  const steps = [{ name: 's', image: 'i', resources: { limits: { cpu: '1' } }, tty: true }];
  const pipeline = {
    apiVersion: 'tekton.dev/v1beta1',
    kind: 'Pipeline',
    metadata: { name: 'p' },
    spec: {
      resources: [{ name: 'source', type: 'git' }],
      tasks: [
        { name: 'a', taskRef: { name: 't', kind: 'Task' } },
        { name: 'b', taskSpec: { metadata: {}, spec: null, steps } },
      ],
      params: [{ name: 'p', type: 'string' }],
    },
  };

  it('has its steps in their new form in v1, and comes back as it was', async () => {
    const converted = await convert(pipeline, 'v1');
    expect(converted).toMatchObject({
      spec: { tasks: [{ name: 'a' }, { taskSpec: { steps: [{ computeResources: { limits: { cpu: '1' } } }] } }] },
    });
    expect(Object.keys(converted.metadata.annotations ?? {})).toEqual([
      'tekton.dev/v1beta1Resources',
      'tekton.dev/v1beta1.task-deprecations',
    ]);
    expect(await convert(converted, 'v1beta1')).toEqual(pipeline);
  });
});

describe('a PipelineRun of v1beta1', () => {
  const run = {
    apiVersion: 'tekton.dev/v1beta1',
    kind: 'PipelineRun',
    metadata: { name: 'r' },
    spec: {
      pipelineRef: { name: 'p' },
      serviceAccountName: 'sa',
      timeout: '10m0s',
      podTemplate: { nodeSelector: { a: 'b' } },
      taskRunSpecs: [
        {
          pipelineTaskName: 'a',
          taskServiceAccountName: 'other',
          stepOverrides: [{ name: 's', resources: { limits: { cpu: '1' } } }],
          metadata: { labels: { a: 'b' } },
        },
      ],
    },
    status: { pipelineResults: [{ name: 'out', value: 'v' }] },
  };

  it('has everything in its new place in v1', async () => {
    expect(await convert(run, 'v1')).toMatchObject({
      spec: {
        timeouts: { pipeline: '10m0s' },
        taskRunTemplate: { serviceAccountName: 'sa', podTemplate: { nodeSelector: { a: 'b' } } },
        taskRunSpecs: [
          { serviceAccountName: 'other', stepSpecs: [{ name: 's', computeResources: { limits: { cpu: '1' } } }] },
        ],
      },
      status: { results: [{ name: 'out', value: 'v' }] },
    });
  });

  it('comes back with its limit in the new place, and labels where annotations belong: upstream does so', async () => {
    const { timeout, ...spec } = run.spec;
    const [taskRunSpec] = spec.taskRunSpecs;
    expect(await convert(await convert(run, 'v1'), 'v1beta1')).toEqual({
      ...run,
      spec: {
        ...spec,
        timeouts: { pipeline: timeout },
        taskRunSpecs: [{ ...taskRunSpec, metadata: { labels: { a: 'b' }, annotations: { a: 'b' } } }],
      },
    });
  });
});

describe('a ResolutionRequest of v1alpha1', () => {
  const request = (version: string, spec: object, status: object) => ({
    apiVersion: `resolution.tekton.dev/${version}`,
    kind: 'ResolutionRequest',
    metadata: { name: 'r', labels: { 'resolution.tekton.dev/type': 'git' } },
    spec,
    status,
  });
  const convertRequest = async (object: object, version: string) => {
    const desiredAPIVersion = `resolution.tekton.dev/${version}`;
    const { convertedObjects, result } = await webhook.convert({
      uid: '1',
      objects: [object as KubeObject],
      desiredAPIVersion,
    });
    if (result.status !== 'Success') throw new Error(result.message);
    return convertedObjects[0];
  };
  const refSource = { uri: 'u', digest: { sha1: '1' } };

  it('has its parameters as a list in v1beta1, and back', async () => {
    const old = request('v1alpha1', { params: { b: '2', a: '1' } }, { data: 'eA==', refSource });
    const params = [
      { name: 'a', value: '1' },
      { name: 'b', value: '2' },
    ];
    const converted = await convertRequest(old, 'v1beta1');
    expect(converted).toEqual(request('v1beta1', { params }, { data: 'eA==', source: null, refSource }));
    expect(await convertRequest(converted as object, 'v1alpha1')).toEqual(old);
  });

  it('cannot have parameters that are lists', async () => {
    const params = [
      { name: 'a', value: ['1'] },
      { name: 'b', value: '2' },
    ];
    const wanted = convertRequest(request('v1beta1', { params }, { data: '' }), 'v1alpha1');
    await expect(wanted).rejects.toThrow('cannot convert v1beta1 to v1alpha, non-string type parameter(s) found: a');
  });
});

describe('annotations of a v1 object that were written by hand', () => {
  const annotated = (kind: string, value: string) => ({
    apiVersion: 'tekton.dev/v1',
    kind,
    metadata: { name: 'x', annotations: { 'tekton.dev/v1beta1Resources': value } },
    spec: {},
  });

  it.each<[string, string, string]>([
    ['Pipeline', '{}', 'object into Go value of type []v1beta1.PipelineDeclaredResource'],
    ['PipelineRun', '"x"', 'string into Go value of type []v1beta1.PipelineResourceBinding'],
    ['Task', '[]', 'array into Go value of type v1beta1.TaskResources'],
    ['TaskRun', '5', 'number into Go value of type v1beta1.TaskRunResources'],
  ])('must hold what the %s of v1beta1 has', async (kind, value, reason) => {
    await expect(convert(annotated(kind, value), 'v1beta1')).rejects.toThrow(
      `error deserializing key tekton.dev/v1beta1Resources from metadata: json: cannot unmarshal ${reason}`,
    );
  });
});

it('a probe in a template alone is lost', async () => {
  const spec = { stepTemplate: { livenessProbe: {} }, steps: [{ name: 'a', image: 'i', resources: {} }] };
  const { metadata } = await convert({ ...oldTask, metadata: { name: 't' }, spec }, 'v1');
  expect(metadata.annotations).toBeUndefined();
});

it('a template without steps is kept without steps', async () => {
  const tasks = [{ name: 'a', taskSpec: { stepTemplate: { name: 'old' } } }];
  const pipeline = { apiVersion: 'tekton.dev/v1beta1', kind: 'Pipeline', metadata: { name: 'p' }, spec: { tasks } };
  const { metadata } = await convert(pipeline, 'v1');
  expect(metadata.annotations).toEqual({
    'tekton.dev/v1beta1.task-deprecations': '{"a":{"deprecatedStepTemplate":{"name":"old","resources":{}}}}',
  });
});
