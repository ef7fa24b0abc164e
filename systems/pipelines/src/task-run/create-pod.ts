import { type Client, kinds } from '@tektite/client';
import type { ReconcileContext } from '@tektite/controller';
import { isStatusError } from '@tektite/meta';
import type { Pod, Secret, ServiceAccount } from '@tektite/schema/kubernetes';
import type { FeatureFlags } from '../config/feature-flags.ts';
import type { TaskRun } from '../kinds/task-run.ts';
import type { TaskSpec } from '../kinds/task-spec.ts';
import { buildPod, type PodCredentials, type PodOptions } from '../pod/build-pod.ts';
import { CredentialError, podCredentials } from '../pod/credentials.ts';
import { applyWorkspaces } from '../workspace/apply-workspaces.ts';
import { workspaceVolumes } from '../workspace/workspace-volumes.ts';
import { RunFailure, RunWaits } from './run-failure.ts';

const noCredentials: PodCredentials = { flags: [], volumes: [], mounts: [] };

/** Creates the Pod of a run. One that is there already, from an attempt that died before it could tell, is the run's. */
export async function createPod(
  taskRun: TaskRun,
  task: TaskSpec,
  context: ReconcileContext,
  options: Omit<PodOptions, 'credentials' | 'random'>,
): Promise<Pod> {
  const { client, signal, random } = context;
  const bindings = taskRun.spec.workspaces ?? [];
  const whole = applyWorkspaces(task, bindings, workspaceVolumes(bindings));
  let pod: Pod | undefined;
  try {
    const credentials = options.flags.disableCredsInit
      ? noCredentials
      : await readCredentials(taskRun, options.flags, context);
    pod = buildPod(taskRun, whole, { ...options, random, credentials });
    return await client.create(kinds.Pod, pod, { signal });
  } catch (error) {
    if (isStatusError(error, 'AlreadyExists') && pod) return adopt(taskRun, pod, client, signal);
    throw explain(error, taskRun, pod);
  }
}

async function adopt(taskRun: TaskRun, { metadata }: Pod, client: Client, signal: AbortSignal): Promise<Pod> {
  const key = { namespace: metadata.namespace ?? '', name: metadata.name ?? '' };
  const found = await client.get(kinds.Pod, key, { signal });
  if (found.metadata.ownerReferences?.some(({ uid }) => uid === taskRun.metadata.uid)) return found;
  throw new RunWaits('Pending', 'tried to create pod, but it already exists');
}

async function readCredentials(
  taskRun: TaskRun,
  flags: FeatureFlags,
  { client, signal, event }: ReconcileContext,
): Promise<PodCredentials> {
  const namespace = taskRun.metadata.namespace ?? '';
  const name = taskRun.spec.serviceAccountName || 'default';
  const account: ServiceAccount = await client.get(kinds.ServiceAccount, { namespace, name }, { signal });
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
function explain(error: unknown, taskRun: TaskRun, pod: Pod | undefined): unknown {
  if (error instanceof CredentialError)
    return new RunFailure('TaskRunValidationFailed', error.message, { cause: error });
  if (!isStatusError(error)) return error;
  const { message } = error;
  if (isStatusError(error, 'Conflict') && message.includes('resourcequotas'))
    return new RunWaits('Pending', 'tried to create pod, but it failed with ResourceQuotaConflictError');
  if (isStatusError(error, 'Forbidden') && message.includes('exceeded quota'))
    return new RunWaits('ExceededResourceQuota', `TaskRun Pod exceeded available resources: ${message}`, 60_000);
  if (isStatusError(error, 'Forbidden') && /violates PodSecurity|security context constraint/.test(message))
    return new RunFailure('PodAdmissionFailed', message, { cause: error });
  if (error.code >= 500 || error.code === 429) return error;
  const { namespace = '', name = '' } = taskRun.metadata;
  const task = taskRun.spec.taskRef?.name;
  const hint = task ? `Maybe missing or invalid Task ${namespace}/${task}` : 'Maybe invalid TaskSpec';
  // What goes wrong before there is a Pod is told of the run.
  const podName = pod?.metadata.name ?? name;
  const what = pod ? message : `translating TaskSpec to Pod: ${message}`;
  return new RunFailure('PodCreationFailed', `failed to create task run pod "${podName}": ${what}. ${hint}`, {
    cause: error,
  });
}
