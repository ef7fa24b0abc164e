import { kinds } from '@tektite/client';
import type { Pod } from '@tektite/schema/kubernetes';
import { startControlPlane } from '@tektite/testkit';
import { describe, expect, it } from 'vitest';
import type { CustomRun } from '../kinds/custom-run.ts';
import type { PipelineRun } from '../kinds/pipeline-run.ts';
import type { TaskRun } from '../kinds/task-run.ts';
import { plainTransforms, strippingTransforms } from './cache-transforms.ts';
import { readCacheTransforms } from './read-cache-transforms.ts';

const metadata = {
  name: 'a',
  managedFields: [{ manager: 'm' }],
  annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{}', kept: 'yes' },
} as unknown as TaskRun['metadata'];
const slim = { name: 'a', annotations: { kept: 'yes' } };
const succeeded = (status: string) => [{ type: 'Succeeded', status }];

const taskRunStatus = {
  podName: 'p',
  completionTime: 't',
  retriesStatus: [{ podName: 'q' }],
  results: [{ name: 'r', value: 'v' }],
  taskSpec: { steps: [] },
  provenance: {},
  spanContext: {},
  steps: [],
  sidecars: [],
};

function taskRun(status: string): TaskRun {
  const run = { apiVersion: 'tekton.dev/v1', kind: 'TaskRun', metadata, spec: {} };
  return { ...run, status: { ...taskRunStatus, conditions: succeeded(status) } } as TaskRun;
}

describe('what caches keep', () => {
  it('of a TaskRun that goes on is all but bookkeeping', () => {
    const kept = strippingTransforms.taskRun(taskRun('Unknown'));
    expect(kept.metadata).toEqual(slim);
    expect(kept.status).toEqual(taskRun('Unknown').status);
  });

  it.each(['True', 'False'])('of a completed TaskRun (%s) is what retries and results need', (status) => {
    const { taskSpec: _, provenance: __, spanContext: ___, steps: ____, sidecars: _____, ...rest } = taskRunStatus;
    expect(strippingTransforms.taskRun(taskRun(status)).status).toEqual({ ...rest, conditions: succeeded(status) });
  });

  it('of a completed PipelineRun is not what it was made of', () => {
    const status = { conditions: succeeded('True'), pipelineSpec: {}, provenance: {}, spanContext: {}, results: [] };
    const run = { apiVersion: 'v', kind: 'PipelineRun', metadata, spec: {}, status } as unknown as PipelineRun;
    expect(strippingTransforms.pipelineRun(run).status).toEqual({ conditions: succeeded('True'), results: [] });
  });

  it('of a completed CustomRun is not how often it was tried, nor when it ended', () => {
    const status = { conditions: succeeded('True'), retriesStatus: [], completionTime: 't', results: [] };
    const run = { apiVersion: 'v', kind: 'CustomRun', metadata, spec: {}, status } as unknown as CustomRun;
    expect(strippingTransforms.customRun(run).status).toEqual({ conditions: succeeded('True'), results: [] });
  });

  it('of a Pod are its status, its metadata and the names of its containers', () => {
    const initContainers = [{ name: 'sidecar-tekton-log-results', image: 'i', restartPolicy: 'Always' }];
    const spec = { containers: [{ name: 'step-a', image: 'i', env: [] }], initContainers, volumes: [] };
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata, spec, status: { phase: 'Running' } } as unknown as Pod;
    expect(strippingTransforms.pod(pod)).toEqual({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: slim,
      spec: { containers: [{ name: 'step-a' }], initContainers: [{ name: 'sidecar-tekton-log-results' }] },
      status: { phase: 'Running' },
    });
  });

  it.each([
    ['true', strippingTransforms],
    ['false', plainTransforms],
    ['perhaps', strippingTransforms],
  ])('is as the flag says: %s', async (value, transforms) => {
    await using plane = await startControlPlane();
    const data = { 'enable-informer-cache-transforms': value };
    await plane.client.create(kinds.ConfigMap, { metadata: { namespace: 'default', name: 'feature-flags' }, data });
    expect(await readCacheTransforms(plane.client, 'default')).toBe(transforms);
    expect(await readCacheTransforms(plane.client, 'elsewhere')).toBe(strippingTransforms);
  });
});
