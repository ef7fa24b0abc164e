import { kinds, mergePatch } from '@tektite/client';
import { isStatusError } from '@tektite/meta';
import { endedStatus } from '../decide/end.ts';
import type { TaskRunLook } from '../task-run-look.ts';

const keepingReasons = new Set(['TaskRunCancelled', 'TaskRunTimeout']);

/** Ends a run from outside, and its Pod with it: the Pod is deleted, or its steps are told to stop where Pods are kept. */
export async function endRun(run: TaskRunLook, reason: string, message: string): Promise<void> {
  const { context, flags, status, taskRun } = run;
  run.status = endedStatus(taskRun, status, { reason, message }, run.now);
  if (!status.podName) return;
  const { client, signal } = context;
  const key = { namespace: taskRun.metadata.namespace ?? '', name: status.podName };
  try {
    if (flags.enableKeepPodOnCancel && keepingReasons.has(reason)) {
      const patch = mergePatch({ metadata: { annotations: { 'tekton.dev/cancel': 'CANCEL' } } });
      await client.patch(kinds.Pod, key, patch, { signal });
    } else await client.delete(kinds.Pod, key, { signal });
  } catch (error) {
    if (!isStatusError(error, 'NotFound')) throw error;
  }
}
