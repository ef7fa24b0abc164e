import { type Client, kinds } from '@tektite/client';
import { formatGoDuration, isStatusError } from '@tektite/meta';
import type { Pod, Secret, ServiceAccount } from '@tektite/schema/kubernetes';
import type { TaskRun } from '../../../kinds/task-run.ts';
import type { TaskSpec } from '../../../kinds/task-spec.ts';
import { affinityAssistantAnnotation } from '../../../pod/affinity.ts';
import { buildPod, PodBuildError, type PodCredentials } from '../../../pod/build-pod.ts';
import { CredentialError, podCredentials } from '../../../pod/credentials.ts';
import { applyWorkspaces } from '../../../workspace/apply-workspaces.ts';
import { workspaceVolumes } from '../../../workspace/workspace-volumes.ts';
import { mergedSteps } from '../../../rules/validation/merged-steps.ts';
import type { Rules } from '../../../rules/rules.ts';
import { validateParamUsage } from '../../../rules/validation/validate-params.ts';
import { validateTaskSpec } from '../../../rules/validation/validate-task.ts';
import { RunFailure, RunWaits } from '../../../conditions/run-failure.ts';
import { keyOfPod, limitRanges, type TaskRunLook } from '../task-run-look.ts';

const noCredentials: PodCredentials = { flags: [], volumes: [], mounts: [] };

/** Creates the Pod of a run. One that is there already, from an attempt that died before it could tell, is the run's. */
export async function createPod(taskRun: TaskRun, task: TaskSpec, run: TaskRunLook): Promise<Pod> {
  const { client, signal, event } = run.context;
  validateTask(taskRun, task, run);
  const pod = await build(taskRun, task, run);
  try {
    const created = await client.create(kinds.Pod, pod, { signal });
    run.hasNewPod = true;
    if (taskRun.metadata.annotations?.[affinityAssistantAnnotation] && taskRun.spec.podTemplate?.affinity)
      event({
        type: 'Warning',
        reason: 'PodAffinityOverwrite',
        message: `Pod template affinity is overwritten by affinity assistant for pod "${pod.metadata.name}"`,
      });
    return created;
  } catch (error) {
    if (isStatusError(error, 'AlreadyExists')) return adopt(taskRun, pod, client, signal);
    throw explain(error, taskRun, '');
  }
}

/** With everything replaced, more can be seen to be wrong than when the run was created. */
function validateTask(taskRun: TaskRun, task: TaskSpec, { flags, defaults }: TaskRunLook): void {
  const rules: Rules = { flags, defaults, version: 'v1', isCreate: false };
  const usage = validateParamUsage(task.params ?? [], task.steps ?? [], rules);
  const errors = usage.isEmpty ? validateTaskSpec(task, rules) : usage;
  if (!errors.isEmpty) throw podCreationFailure(taskRun, String(errors));
}

async function build(taskRun: TaskRun, task: TaskSpec, run: TaskRunLook): Promise<Pod> {
  const { flags, defaults, options, context } = run;
  const bindings = taskRun.spec.workspaces ?? [];
  // What the template mounts comes before what a step gets of workspaces.
  const merged = task.stepTemplate ? { ...task, steps: mergedSteps(task, { version: 'v1' }) } : task;
  const whole = applyWorkspaces(merged, bindings, workspaceVolumes(bindings));
  try {
    return buildPod(taskRun, whole, {
      flags,
      images: options.images,
      release: options.release,
      random: context.random,
      managedBy: defaults.managedByLabelValue,
      sidecarLogPollingInterval: formatGoDuration(defaults.sidecarLogPollingInterval),
      forbiddenEnv: defaults.forbiddenEnv,
      containerResources: defaults.containerResources,
      limitRanges: context.cache(limitRanges).list(taskRun.metadata.namespace),
      credentials: flags.disableCredsInit ? noCredentials : await readCredentials(taskRun, run),
      imageCommands: await lookUpImages(whole, taskRun, run),
    });
  } catch (error) {
    throw explain(error, taskRun, 'translating TaskSpec to Pod: ');
  }
}

/** Without the registry of an image there is no Pod: nobody knows what to run. */
async function lookUpImages(task: TaskSpec, taskRun: TaskRun, { context, options }: TaskRunLook) {
  try {
    return await options.imageLookup.lookUp(task, taskRun, context);
  } catch (error) {
    if (context.signal.aborted || isStatusError(error)) throw error;
    throw new PodBuildError((error as Error).message, { cause: error });
  }
}

async function adopt(taskRun: TaskRun, pod: Pod, client: Client, signal: AbortSignal): Promise<Pod> {
  const found = await client.get(kinds.Pod, keyOfPod(pod), { signal });
  if (found.metadata.ownerReferences?.some(({ uid }) => uid === taskRun.metadata.uid)) return found;
  throw new RunWaits('Pending', 'tried to create pod, but it already exists');
}

async function readCredentials(taskRun: TaskRun, { context, flags, reads }: TaskRunLook): Promise<PodCredentials> {
  const { client, signal, event } = context;
  const namespace = taskRun.metadata.namespace ?? '';
  const name = taskRun.spec.serviceAccountName || 'default';
  const account: ServiceAccount = await reads.get(client, kinds.ServiceAccount, { namespace, name });
  signal.throwIfAborted();
  const secrets = new Map<string, Secret>();
  const missing: string[] = [];
  for (const { name: secret = '' } of account.secrets ?? []) {
    try {
      secrets.set(secret, await client.get(kinds.Secret, { namespace, name: secret }, { signal }));
    } catch (error) {
      if (!isStatusError(error, 'NotFound')) throw error;
      missing.push(secret);
    }
  }
  if (missing.length > 0)
    event({
      type: 'Warning',
      reason: 'FailedToRetrieveSecret',
      message: `Unable to retrieve some secrets (${missing.join(', ')}); attempting to use them may not succeed.`,
    });
  return podCredentials(account, secrets, { requireKnownHosts: flags.requireGitSSHSecretKnownHosts });
}

/** Why there is no Pod, as the run's condition says it. What may go by itself is thrown on, and tried again. */
function explain(error: unknown, taskRun: TaskRun, prefix: string): unknown {
  if (error instanceof CredentialError)
    return new RunFailure('TaskRunValidationFailed', prefix + error.message, { cause: error });
  if (error instanceof PodBuildError) return podCreationFailure(taskRun, prefix + error.message, error);
  if (!isStatusError(error)) return error;
  const { message, status } = error;
  if (isStatusError(error, 'Conflict') && status.details?.kind === 'resourcequotas')
    return new RunWaits('Pending', 'tried to create pod, but it failed with ResourceQuotaConflictError', {
      stopsClock: true,
    });
  if (isStatusError(error, 'Forbidden') && message.includes('exceeded quota'))
    return new RunWaits('ExceededResourceQuota', `TaskRun Pod exceeded available resources: ${message}`, {
      retryMs: 60_000,
      stopsClock: true,
    });
  if (isStatusError(error, 'Forbidden') && /violates PodSecurity|security context constraint/.test(message))
    return new RunFailure('PodAdmissionFailed', message, { cause: error });
  if (error.code >= 500 || error.code === 429) return error;
  return podCreationFailure(taskRun, prefix + message, error);
}

function podCreationFailure({ metadata, spec }: TaskRun, what: string, cause?: unknown): RunFailure {
  const { namespace = '', name = '' } = metadata;
  const hint = spec.taskRef ? `missing or invalid Task ${namespace}/${spec.taskRef.name ?? ''}` : 'invalid TaskSpec';
  const message = `failed to create task run pod "${name}": ${what}. Maybe ${hint}`;
  return new RunFailure('PodCreationFailed', message, { cause });
}
