import { kinds, mergePatch } from '@tektite/client';
import { isStatusError } from '@tektite/meta';

import type { CachedPod } from '../../cache/cache-transforms.ts';
import type { TaskRun } from '../../kinds/task-run.ts';
import { resultsSidecar, sidecarContainer } from '../../pod/container-names.ts';
import { needsResultsSidecar } from '../../pod/sidecar-containers.ts';
import { exceedsNodeResources } from '../../status/pod-outcome.ts';
import { readResultsLog, ResultTooLarge } from '../../status/results-log.ts';
import type { TerminationEntry } from '../../status/termination-message.ts';
import { checkResults } from '../../status/validate-results.ts';
import { paramReplacements } from '../../substitution/param-replacements.ts';
import { claimsOf, withClaims } from '../../workspace/claim-templates.ts';
import { replaceInBindings } from '../../workspace/replace-in-bindings.ts';
import { createPod } from './act/create-pod.ts';
import { endRun } from './act/end-run.ts';
import { succeededCondition } from './decide/life.ts';
import type { PreparedTask } from './prepare.ts';
import { RunFailure, userError } from '../../conditions/run-failure.ts';
import { statusFromPod } from './decide/status-from-pod.ts';
import { areSidecarsReady } from './decide/task-run-pod.ts';
import { keyOfPod, podOf, type TaskRunLook } from './task-run-look.ts';
import { replaceTaskVariables } from './decide/task-variables.ts';

/** Finds or makes the Pod of a run, has its first step begin when all is ready, and tells how it stands. */
export async function reconcilePod(run: TaskRunLook, { spec, name }: PreparedTask): Promise<void> {
  const found = podOf(run);
  if (!found) await createClaims(run);
  const taskRun = { ...boundRun(run.taskRun, spec), status: run.status };
  const task = replaceTaskVariables(spec, taskRun, name);
  run.status = { ...run.status, taskSpec: task };
  const pod = found ?? (await createPod({ ...taskRun, status: run.status }, task, run));
  if (exceedsNodeResources(pod))
    run.context.event({
      type: 'Warning',
      reason: 'ExceededNodeResources',
      message: `Insufficient resources to schedule pod "${pod.metadata.name}"`,
    });
  await tellReady(run, pod);
  await tellStatus(run, pod, spec);
}

/** The run with claims in the place of their templates, and parameters replaced in what it binds. */
function boundRun(taskRun: TaskRun, { params: specs = [] }: PreparedTask['spec']): TaskRun {
  const { workspaces, params = [] } = taskRun.spec;
  if (!workspaces) return taskRun;
  const replacements = paramReplacements(specs, params, 'task');
  const bound = replaceInBindings(withClaims(workspaces, taskRun), replacements);
  return { ...taskRun, spec: { ...taskRun.spec, workspaces: bound } };
}

async function createClaims({ taskRun, context }: TaskRunLook): Promise<void> {
  const { client, signal } = context;
  for (const claim of claimsOf(taskRun.spec.workspaces ?? [], taskRun)) {
    try {
      await client.create(kinds.PersistentVolumeClaim, claim, { signal });
    } catch (error) {
      if (isStatusError(error, 'AlreadyExists')) continue;
      if (!isStatusError(error) || error.code >= 500) throw error;
      const { name = '', namespace = '' } = taskRun.metadata;
      const why = `PVC creation error for ${claim.metadata.name}: ${error.message}`;
      const message = `failed to create PVC for TaskRun ${namespace}/${name} workspaces correctly: ${why}`;
      throw new RunFailure('CouldntCreateWorkspacePVC', message, { cause: error });
    }
  }
}

/** The first step waits for this word. */
async function tellReady({ context }: TaskRunLook, pod: CachedPod): Promise<void> {
  if (pod.metadata.annotations?.['tekton.dev/ready'] === 'READY' || !areSidecarsReady(pod)) return;
  const patch = mergePatch({ metadata: { annotations: { 'tekton.dev/ready': 'READY' } } });
  await context.client.patch(kinds.Pod, keyOfPod(pod), patch, { signal: context.signal });
}

async function tellStatus(run: TaskRunLook, pod: CachedPod, task: PreparedTask['spec']): Promise<void> {
  const { flags, now, taskRun } = run;
  const ignoresFailure = taskRun.metadata.annotations?.['pipeline.tekton.dev/pipeline-task-on-error'] === 'continue';
  let log: readonly TerminationEntry[] = [];
  try {
    log = await resultsLog(run, pod, task);
  } catch (error) {
    if (!(error instanceof ResultTooLarge)) throw error;
    run.status = { ...run.status, podName: pod.metadata.name ?? '' };
    const message = `[User error]  TaskRun ""${taskRun.metadata.name}"" failed: ${error.message}`;
    return endRun(run, 'TaskRunResultLargerThanAllowedLimit', message);
  }
  const wasRunning = succeededCondition(run.original.status)?.reason === 'Running';
  run.status = statusFromPod(run.status, { pod, flags, task, log, ignoresFailure, now });
  if (pod.status?.phase === 'Running' && !wasRunning) run.options.metrics?.podStarted(pod, taskRun);
  const declared = [...(taskRun.spec.taskSpec?.results ?? []), ...(task.results ?? [])];
  const { results, mistake } = checkResults(run.status.results ?? [], declared);
  if (mistake === undefined) return;
  const { results: _, ...rest } = run.status;
  run.status = { ...rest, ...(results.length > 0 ? { results } : {}) };
  throw userError('TaskRunValidationFailed', mistake);
}

/** What the results sidecar has printed, where there is one. */
async function resultsLog(
  { flags, status, context }: TaskRunLook,
  pod: CachedPod,
  task: PreparedTask['spec'],
): Promise<readonly TerminationEntry[]> {
  if (!needsResultsSidecar({ ...task, results: status.taskSpec?.results ?? [] }, flags)) return [];
  if ((pod.status?.phase ?? 'Pending') === 'Pending') return [];
  const container = sidecarContainer(resultsSidecar);
  // The Pod may be older than the setting.
  const { containers, initContainers } = pod.spec ?? {};
  if (![...(containers ?? []), ...(initContainers ?? [])].some(({ name }) => name === container)) return [];
  const { client, signal } = context;
  const log = await client.log(keyOfPod(pod), { container, signal });
  return readResultsLog(log, flags.maxResultSize);
}
