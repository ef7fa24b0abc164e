import { jsonPatch, kinds } from '@tektite/client';
import { type ReconcileContext, requeueAfter, type Result } from '@tektite/controller';
import { equalJson, isStatusError } from '@tektite/meta';
import type { Pod } from '@tektite/schema/kubernetes';
import type { CachedPod, CachedTaskRun } from '../../../cache/cache-transforms.ts';
import { TaskRun as TaskRunKind } from '../../../kinds/kinds.ts';
import { isSidecarContainer, resultsSidecar, sidecarContainer } from '../../../pod/container-names.ts';
import type { TaskRun } from '../../../kinds/task-run.ts';
import { stoppedSidecarStates } from '../../../status/step-states.ts';
import { succeededCondition, withOutcome } from '../decide/life.ts';
import { finish } from './finish.ts';
import { runningSidecars, sidecarsToStop } from '../decide/task-run-pod.ts';
import { keyOfPod, podOf, type TaskRunLook, type TaskRunOptions } from '../task-run-look.ts';

/** Their Pods are deleted. */
const endedFromOutside = new Set(['TaskRunCancelled', 'TaskRunTimeout']);

/**
 * After a run is completed: sidecars never end by themselves, so their containers get an image whose program ends at once. Then
 * the status reports how they ended.
 */
export async function stopSidecars(
  taskRun: CachedTaskRun,
  context: ReconcileContext,
  options: TaskRunOptions,
  begin: (whole: TaskRun) => TaskRunLook,
): Promise<Result | undefined> {
  const { status } = taskRun;
  const flags = options.flags();
  if (flags.enableKubernetesSidecar || endedFromOutside.has(succeededCondition(status)?.reason ?? '')) return undefined;
  const pod = podOf({ taskRun, status: status ?? { podName: '' }, context, options });
  if (!pod) return undefined;
  try {
    const stopped = await swapImages({ context, flags, options }, pod);
    await reportSidecars(taskRun, stopped ?? pod, context, begin);
  } catch (error) {
    // Who was faster: the node, which is about to tell how they ended, or a user who deleted the Pod.
    if (isStatusError(error, 'NotFound')) return undefined;
    if (isStatusError(error, 'Conflict')) return requeueAfter(1000);
    if (!isStatusError(error) || error.code >= 500) throw error;
    const message = `error stopping sidecars of Pod "${pod.metadata.name}": ${error.message}`;
    const run = begin(await readWhole(taskRun, context));
    run.status = withOutcome(run.status, { status: 'False', reason: 'TaskRunStopSidecarFailed', message }, run.now);
    await finish(run);
  }
  return undefined;
}

/** The Pod with the new images; undefined when nothing is to be stopped. */
async function swapImages(
  { context, flags, options }: Pick<TaskRunLook, 'context' | 'flags' | 'options'>,
  cached: CachedPod,
): Promise<Pod | undefined> {
  const { client, signal } = context;
  const { nop } = options.images;
  const except = new Set(flags.resultExtractionMethod === 'sidecar-logs' ? [sidecarContainer(resultsSidecar)] : []);
  if (runningSidecars(cached, except).size === 0) return undefined;
  // The cached Pod may be old, and has no images.
  const pod = await client.get(kinds.Pod, keyOfPod(cached), { signal });
  const patch = sidecarsToStop(pod, except, nop).map((place) => ({
    op: 'replace' as const,
    path: `/spec/containers/${place}/image`,
    value: nop,
  }));
  return patch.length > 0 ? client.patch(kinds.Pod, keyOfPod(pod), jsonPatch(patch), { signal }) : pod;
}

async function reportSidecars(
  taskRun: CachedTaskRun,
  pod: CachedPod,
  context: ReconcileContext,
  begin: (whole: TaskRun) => TaskRunLook,
): Promise<void> {
  const hasSidecars = (pod.status?.containerStatuses ?? []).some(({ name }) => isSidecarContainer(name));
  if (!hasSidecars) return;
  const run = begin(await readWhole(taskRun, context));
  const { sidecars = [] } = run.status;
  if (!sidecars.some(({ terminated }) => !terminated)) return;
  const next = stoppedSidecarStates(pod);
  if (equalJson(sidecars, next)) return;
  run.status = { ...run.status, sidecars: next };
  await finish(run);
}

/** Caches do not keep the states of the sidecars of a completed run. */
function readWhole({ metadata }: CachedTaskRun, { client, signal }: ReconcileContext): Promise<TaskRun> {
  const { name = '', namespace = '' } = metadata;
  return client.get(TaskRunKind, { namespace, name }, { signal });
}
