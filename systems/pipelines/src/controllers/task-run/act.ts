import { kinds, mergePatch, ignoreNotFound } from '@tektite/client';
import { equalJson } from '@tektite/meta';
import { TaskRun as TaskRunKind } from '../../kinds/kinds.ts';
import type { TaskRun } from '../../kinds/task-run.ts';
import type { PodChange, TaskRunPlan } from './decide/plan.ts';
import { keyOfPod, type TaskRunServices } from './task-run-options.ts';

/**
 * Performs a plan: the Pod first, then labels and annotations, then the status, as upstream does. A client that waits for a
 * condition and then updates the run meets no later write of this controller.
 */
export async function act(plan: TaskRunPlan, services: TaskRunServices, now: number): Promise<void> {
  const { context, options } = services;
  if (plan.pod) await changePod(plan.pod, plan.taskRun, services);
  if (!plan.isStatusWriteRedundant) {
    const target = await writeMetadata(plan, services);
    if (!equalJson(plan.taskRun.status, plan.status)) await context.writeStatus(target, plan.status);
  }
  for (const event of plan.events) context.event(event);
  if (plan.isStatusWriteRedundant) return;
  const taskRun = { ...plan.taskRun, metadata: { ...plan.taskRun.metadata, ...plan.metadata } };
  if (plan.startedPod) options.metrics?.podStarted(plan.startedPod, taskRun);
  options.metrics?.reconciled(context.key, taskRun, plan.condition);
  if (plan.isCompletion && plan.condition) options.metrics?.completed(taskRun, plan.status, plan.condition, now);
}

const annotate = (annotations: Readonly<Record<string, string>>) => mergePatch({ metadata: { annotations } });

async function changePod(pod: PodChange, { metadata }: TaskRun, { context }: TaskRunServices): Promise<void> {
  const { client, signal } = context;
  if (pod.change === 'ready') {
    await client.patch(kinds.Pod, keyOfPod(pod.pod), annotate({ 'tekton.dev/ready': 'READY' }), { signal });
    return;
  }
  const key = { namespace: metadata.namespace ?? '', name: pod.name };
  const write =
    pod.change === 'cancel'
      ? client.patch(kinds.Pod, key, annotate({ 'tekton.dev/cancel': 'CANCEL' }), { signal })
      : client.delete(kinds.Pod, key, { signal });
  await write.catch(ignoreNotFound);
}

/** A merge patch, so that concurrent writes to other fields are kept. Returns the run with its new resourceVersion. */
async function writeMetadata({ taskRun, metadata }: TaskRunPlan, { context }: TaskRunServices): Promise<TaskRun> {
  if (!metadata) return taskRun;
  const { namespace = '', name = '' } = taskRun.metadata;
  const { metadata: written } = await context.client.patch(TaskRunKind, { namespace, name }, mergePatch({ metadata }), {
    signal: context.signal,
  });
  return { ...taskRun, metadata: { ...taskRun.metadata, resourceVersion: written.resourceVersion ?? '' } };
}
