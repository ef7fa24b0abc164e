import { jsonPatch, kinds } from '@tektite/client';
import { requeueAfter, type Result } from '@tektite/controller';
import { equalJson, isStatusError } from '@tektite/meta';
import type { Pod } from '@tektite/schema/kubernetes';
import { TaskRun as TaskRunKind } from '../kinds/kinds.ts';
import { isSidecarContainer, resultsSidecar, sidecarContainer } from '../pod/container-names.ts';
import type { TaskRunStatus } from '../kinds/task-run-spec.ts';
import { stoppedSidecarStates } from '../status/step-states.ts';
import { succeededCondition, withOutcome } from './life.ts';
import { finish } from './finish.ts';
import { sidecarsToStop } from './task-run-pod.ts';
import { keyOfPod, podOf, type TaskRunLook } from './task-run-look.ts';

/** Their Pods are deleted. */
const endedFromOutside = new Set(['TaskRunCancelled', 'TaskRunTimeout']);

/**
 * After a run is over: sidecars never end by themselves, so their containers get an image whose program ends at once. Then the
 * status tells how they ended.
 */
export async function stopSidecars(run: TaskRunLook): Promise<Result | undefined> {
  const { flags, status } = run;
  if (flags.enableKubernetesSidecar || endedFromOutside.has(succeededCondition(status)?.reason ?? '')) return undefined;
  const pod = podOf(run);
  if (!pod) return undefined;
  try {
    const stopped = await swapImages(run, pod);
    await tellSidecars(run, stopped ?? pod);
  } catch (error) {
    // Who was faster: the node, which is about to tell how they ended, or a user who deleted the Pod.
    if (isStatusError(error, 'NotFound')) return undefined;
    if (isStatusError(error, 'Conflict')) return requeueAfter(1000);
    if (!isStatusError(error) || error.code >= 500) throw error;
    const message = `error stopping sidecars of Pod "${pod.metadata.name}": ${error.message}`;
    run.status = withOutcome(status, { status: 'False', reason: 'TaskRunStopSidecarFailed', message }, run.now);
    await finish(run);
  }
  return undefined;
}

/** The Pod with the new images; undefined when nothing is to be stopped. */
async function swapImages({ context, flags, options }: TaskRunLook, cached: Pod): Promise<Pod | undefined> {
  const { client, signal } = context;
  const { nop } = options.images;
  const except = new Set(flags.resultExtractionMethod === 'sidecar-logs' ? [sidecarContainer(resultsSidecar)] : []);
  if (sidecarsToStop(cached, except, nop).length === 0) return undefined;
  // What the cache says of a Pod may be old, and has no images.
  const pod = await client.get(kinds.Pod, keyOfPod(cached), { signal });
  const patch = sidecarsToStop(pod, except, nop).map((place) => ({
    op: 'replace' as const,
    path: `/spec/containers/${place}/image`,
    value: nop,
  }));
  return patch.length > 0 ? client.patch(kinds.Pod, keyOfPod(pod), jsonPatch(patch), { signal }) : pod;
}

async function tellSidecars(run: TaskRunLook, pod: Pod): Promise<void> {
  const hasSidecars = (pod.status?.containerStatuses ?? []).some(({ name }) => isSidecarContainer(name));
  if (!hasSidecars) return;
  const sidecars = await toldSidecars(run);
  if (!sidecars.some(({ terminated }) => !terminated)) return;
  const next = stoppedSidecarStates(pod);
  if (equalJson(sidecars, next)) return;
  run.status = { ...run.status, sidecars: next };
  await finish(run);
}

/** The cache may not keep what a run that is over says of its sidecars. */
async function toldSidecars({ original, context }: TaskRunLook): Promise<NonNullable<TaskRunStatus['sidecars']>> {
  if (original.status?.sidecars) return original.status.sidecars;
  const { name = '', namespace = '' } = original.metadata;
  const { status } = await context.client.get(TaskRunKind, { namespace, name }, { signal: context.signal });
  return status?.sidecars ?? [];
}
