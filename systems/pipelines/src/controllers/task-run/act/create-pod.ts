import { kinds } from '@tektite/client';
import type { ReconcileContext } from '@tektite/controller';
import { isStatusError } from '@tektite/meta';
import type { Pod } from '@tektite/schema/kubernetes';
import { RunWaits } from '../../../conditions/run-failure.ts';
import type { TaskRun } from '../../../kinds/task-run.ts';
import type { CurrentSettings } from '../../../config/current-settings.ts';
import { createWithBackoff } from '../../../creation/create-with-backoff.ts';
import { affinityAssistantAnnotation } from '../../../pod/affinity.ts';
import { podCreationError } from '../decide/pod-creation-failure.ts';
import { keyOfPod } from '../task-run-options.ts';

/** Creates the Pod of a run. Adopts a Pod of the run that exists: a controller may have died before it recorded the Pod. */
export async function createPod(
  taskRun: TaskRun,
  pod: Pod,
  settings: CurrentSettings,
  context: ReconcileContext,
): Promise<{ readonly pod: Pod; readonly isNew: boolean }> {
  const { client, signal, event } = context;
  try {
    const created = await createWithBackoff(() => client.create(kinds.Pod, pod, { signal }), settings, context);
    if (taskRun.metadata.annotations?.[affinityAssistantAnnotation] && taskRun.spec.podTemplate?.affinity)
      event({
        type: 'Warning',
        reason: 'PodAffinityOverwrite',
        message: `Pod template affinity is overwritten by affinity assistant for pod "${pod.metadata.name}"`,
      });
    return { pod: created, isNew: true };
  } catch (error) {
    if (isStatusError(error, 'AlreadyExists')) return { pod: await adopt(taskRun, pod, context), isNew: false };
    throw podCreationError(error, taskRun);
  }
}

async function adopt(taskRun: TaskRun, pod: Pod, { client, signal }: ReconcileContext): Promise<Pod> {
  const found = await client.get(kinds.Pod, keyOfPod(pod), { signal });
  if (found.metadata.ownerReferences?.some(({ uid }) => uid === taskRun.metadata.uid)) return found;
  throw new RunWaits('Pending', 'tried to create pod, but it already exists');
}
