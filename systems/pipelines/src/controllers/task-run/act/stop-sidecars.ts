import { jsonPatch, kinds } from '@tektite/client';
import { requeueAfter, type Result } from '@tektite/controller';
import { isStatusError, isTransient } from '@tektite/meta';
import type { Pod } from '@tektite/schema/kubernetes';
import type { CachedPod, CachedTaskRun } from '../../../cache/cache-transforms.ts';
import { succeededCondition, withOutcome } from '../../../conditions/succeeded-condition.ts';
import type { FeatureFlags } from '../../../config/feature-flags.ts';
import { TaskRun as TaskRunKind } from '../../../kinds/kinds.ts';
import type { TaskRun } from '../../../kinds/task-run.ts';
import type { TaskRunStatus } from '../../../kinds/task-run-spec.ts';
import { isSidecarContainer, resultsSidecar, sidecarContainer } from '../../../pod/container-names.ts';
import { act } from '../act.ts';
import { conclude } from '../decide/plan.ts';
import { reportedSidecars } from '../decide/reported-sidecars.ts';
import { runningSidecars, sidecarsToStop } from '../decide/task-run-pod.ts';
import { observe, observePod } from '../observe.ts';
import { keyOfPod, type TaskRunServices } from '../task-run-options.ts';

/** Runs that end so have their Pods deleted, sidecars included. */
const terminatingReasons = new Set(['TaskRunCancelled', 'TaskRunTimeout']);

/**
 * Stops the sidecars of a completed run. Sidecars run until they are stopped, so the controller replaces their images by one
 * whose program exits at once. Then the status reports how they ended.
 */
export async function stopSidecars(taskRun: CachedTaskRun, services: TaskRunServices): Promise<Result | undefined> {
  const flags = services.options.flags();
  const { reason = '' } = succeededCondition(taskRun.status) ?? {};
  if (terminatingReasons.has(reason)) return undefined;
  const { context, nativeSidecars } = services;
  if (await nativeSidecars.areUsed(flags, context.client, context.signal)) return undefined;
  const pod = observePod(taskRun, services);
  if (!pod) return undefined;
  try {
    const stopped = await replaceImages(pod, flags, services);
    await reportSidecars(taskRun, stopped ?? pod, services);
  } catch (error) {
    // A deleted Pod has no sidecars left; a conflict means that the node has just updated the Pod.
    if (isStatusError(error, 'NotFound')) return undefined;
    if (isStatusError(error, 'Conflict')) return requeueAfter(1000);
    if (!isStatusError(error) || isTransient(error)) throw error;
    const message = `error stopping sidecars of Pod "${pod.metadata.name}": ${error.message}`;
    const whole = await readWhole(taskRun, services);
    const outcome = { status: 'False', reason: 'TaskRunStopSidecarFailed', message } as const;
    await write(whole, withOutcome(statusOf(whole), outcome, services.context.clock.now()), services);
  }
  return undefined;
}

/** Returns the Pod with the new images; undefined when no sidecar runs. */
async function replaceImages(
  cached: CachedPod,
  flags: FeatureFlags,
  { context, options }: TaskRunServices,
): Promise<Pod | undefined> {
  const { client, signal } = context;
  const { nop } = options.images;
  const except = new Set(flags.resultExtractionMethod === 'sidecar-logs' ? [sidecarContainer(resultsSidecar)] : []);
  if (runningSidecars(cached, except).size === 0) return undefined;
  // The cached Pod may be stale, and it has no images.
  const pod = await client.get(kinds.Pod, keyOfPod(cached), { signal });
  const patch = sidecarsToStop(pod, except, nop).map((place) => ({
    op: 'replace' as const,
    path: `/spec/containers/${place}/image`,
    value: nop,
  }));
  return patch.length > 0 ? client.patch(kinds.Pod, keyOfPod(pod), jsonPatch(patch), { signal }) : pod;
}

async function reportSidecars(taskRun: CachedTaskRun, pod: CachedPod, services: TaskRunServices): Promise<void> {
  if (!hasSidecarStatuses(pod)) return;
  const whole = await readWhole(taskRun, services);
  const sidecars = reportedSidecars(statusOf(whole), pod);
  if (sidecars) await write(whole, { ...statusOf(whole), sidecars }, services);
}

const hasSidecarStatuses = ({ status }: CachedPod) =>
  (status?.containerStatuses ?? []).some(({ name }) => isSidecarContainer(name));

const statusOf = ({ status }: TaskRun): TaskRunStatus => status ?? { podName: '' };

/** Caches drop the sidecar states of completed runs, so the run is read from the API. */
function readWhole({ metadata }: CachedTaskRun, { context }: TaskRunServices): Promise<TaskRun> {
  const { name = '', namespace = '' } = metadata;
  return context.client.get(TaskRunKind, { namespace, name }, { signal: context.signal });
}

async function write(taskRun: TaskRun, status: TaskRunStatus, services: TaskRunServices): Promise<void> {
  const observation = observe(taskRun, services);
  await act(conclude(observation, { draft: { ...taskRun, status } }), services, observation.now);
}
