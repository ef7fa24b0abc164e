import { RunFailure } from '../../conditions/run-failure.ts';
import { defaultTaskRun } from '../../rules/defaults/default-task-run.ts';
import { defaultTaskSpec } from '../../rules/defaults/default-task.ts';
import type { Rules } from '../../rules/rules.ts';
import { ResultTooLarge } from '../../status/results-log.ts';
import { createClaims } from './act/create-claims.ts';
import { createPod } from './act/create-pod.ts';
import { decideStatus, fail, terminate } from './decide.ts';
import { bindWorkspaces } from './decide/bind-workspaces.ts';
import { podFor, validateTask } from './decide/build-pod.ts';
import { fitRun } from './decide/fit-run.ts';
import { type TaskRunDraft, withStatus } from './decide/lifecycle.ts';
import type { Conclusion } from './decide/plan.ts';
import { recordSteps, recordTask, recordVerification } from './decide/record-task.ts';
import { replaceTaskVariables } from './decide/task-variables.ts';
import type { TaskRunObservation } from './decide/observation.ts';
import { observePodInputs } from './observe/pod-inputs.ts';
import { resolveSteps } from './observe/resolve-steps.ts';
import { resolveTask } from './observe/resolve-task.ts';
import { observeResultsLog } from './observe/results-log.ts';
import type { TaskRunServices } from './task-run-options.ts';

/**
 * Advances a run as far as it can go now, in upstream's order:
 *
 * 1. resolve the Task and its StepActions, and record them in the status;
 * 2. validate the run against the Task;
 * 3. create the volume claims and the Pod, unless the attempt has a Pod;
 * 4. derive the status from the Pod.
 *
 * A terminal error in any of them becomes the Succeeded condition. The draft keeps what was recorded before it. Transient errors
 * are thrown.
 */
export async function advance(
  observation: TaskRunObservation,
  started: TaskRunDraft,
  services: TaskRunServices,
): Promise<Conclusion> {
  const { flags, defaults, now } = observation;
  const { context, options } = services;
  const rules: Rules = { flags, defaults, version: 'v1', isCreate: false };
  const remote = { client: context.client, signal: context.signal, random: context.random, settings: options };
  let draft: TaskRunDraft = { ...defaultTaskRun(started, rules), status: started.status };
  let isTaskUnfit = true;
  try {
    const found = await resolveTask(draft, remote);
    const isFirst = !draft.status.taskSpec;
    const spec = defaultTaskSpec(found.spec, rules);
    draft = recordTask(draft, found, spec, flags);
    const steps = await resolveSteps(spec, draft, remote, defaults.stepRefConcurrencyLimit);
    const task = spec.steps ? { ...spec, steps: steps.map(({ step }) => step) } : spec;
    draft = recordSteps(draft, steps, isFirst ? task : undefined);
    draft = recordVerification(draft, found.verification, now);
    if (found.verification?.outcome === 'failed')
      throw new RunFailure('ResourceVerificationFailed', found.verification.message);
    draft = fitRun(draft, task, found.name, { flags, defaults });
    isTaskUnfit = false;

    if (!observation.pod) await createClaims(draft, context);
    const bound = bindWorkspaces(draft, task);
    const replaced = replaceTaskVariables(task, bound, found.name);
    draft = withStatus(draft, { taskSpec: replaced });
    const { pod, isNew } = observation.pod
      ? { pod: observation.pod, isNew: false }
      : await startPod(withStatus(bound, { taskSpec: replaced }), observation, services, rules);
    const log = await observeResultsLog(pod, { ...task, results: replaced.results ?? [] }, flags, context);
    return log instanceof ResultTooLarge
      ? terminateForResults(observation, withStatus(draft, { podName: pod.metadata.name ?? '' }), log)
      : decideStatus(observation, { draft, task, pod, hasNewPod: isNew }, log);
  } catch (error) {
    return { ...fail(draft, error, now), isTaskUnfit };
  }
}

/** Creates the Pod of an attempt. */
async function startPod(
  bound: TaskRunDraft,
  observation: TaskRunObservation,
  services: TaskRunServices,
  rules: Rules,
): ReturnType<typeof createPod> {
  const task = bound.status.taskSpec ?? {};
  validateTask(bound, task, rules);
  const { images, release } = services.options;
  const inputs = await observePodInputs(bound, task, observation, services);
  const pod = podFor(bound, inputs, { ...observation, images, release, random: services.context.random });
  return createPod(bound, pod, services.options, services.context);
}

function terminateForResults(
  observation: TaskRunObservation,
  draft: TaskRunDraft,
  { message }: ResultTooLarge,
): Conclusion {
  const text = `[User error]  TaskRun ""${draft.metadata.name}"" failed: ${message}`;
  return terminate(observation, draft, 'TaskRunResultLargerThanAllowedLimit', text);
}
