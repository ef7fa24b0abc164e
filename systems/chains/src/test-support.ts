import { type Client, mergePatch } from '@tektite/client';
import type { Kind } from '@tektite/schema';
import { customResourceDefinition } from '@tektite/schema';
import { PipelineRun, TaskRun } from './kinds/runs.ts';

/** For tests: runs that have completed, on a control plane without Tekton Pipelines. */

export const image = { repository: 'shop/web', digest: `sha256:${'a'.repeat(64)}` };
const times = { startTime: '2026-01-02T03:04:05Z', completionTime: '2026-01-02T03:05:05Z' };
const succeeded = [
  { type: 'Succeeded', status: 'True', reason: 'Succeeded', lastTransitionTime: times.completionTime },
];
const stepImage = `registry.test/builder@sha256:${'b'.repeat(64)}`;

export async function installRuns(client: Client): Promise<void> {
  for (const kind of [TaskRun, PipelineRun]) await client.create(customResourceDefinition([kind as Kind]) as never);
}

export const completedTask = {
  ...times,
  conditions: succeeded,
  taskSpec: { steps: [{ name: 'build', script: 'make image' }] },
  steps: [{ name: 'build', imageID: stepImage }],
} as const;

export function imageResults(host: string) {
  return [
    { name: 'IMAGE_URL', type: 'string', value: `${host}/${image.repository}` },
    { name: 'IMAGE_DIGEST', type: 'string', value: image.digest },
  ];
}

export async function createTaskRun(
  client: Client,
  name: string,
  status: object,
  metadata: object = {},
): Promise<TaskRun> {
  const run = await client.create(TaskRun, {
    metadata: { name, namespace: 'default', ...metadata },
    spec: {},
  } as never);
  return await client
    .patchStatus(TaskRun, { name, namespace: 'default' }, mergePatch({ status }))
    .then(() => run as TaskRun);
}

export async function createPipelineRun(client: Client, name: string, children: readonly string[]): Promise<void> {
  await client.create(PipelineRun, { metadata: { name, namespace: 'default' }, spec: {} } as never);
  const status = {
    ...times,
    conditions: succeeded,
    pipelineSpec: { tasks: children.map((child) => ({ name: child })) },
    childReferences: children.map((child) => ({ apiVersion: 'tekton.dev/v1', kind: 'TaskRun', name: child })),
  };
  await client.patchStatus(PipelineRun, { name, namespace: 'default' }, mergePatch({ status }));
}
