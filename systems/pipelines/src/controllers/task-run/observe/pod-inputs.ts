import { kinds } from '@tektite/client';
import { isStatusError } from '@tektite/meta';
import type { Secret, ServiceAccount } from '@tektite/schema/kubernetes';
import type { TaskRun } from '../../../kinds/task-run.ts';
import type { TaskSpec } from '../../../kinds/task-spec.ts';
import { PodBuildError, type PodCredentials } from '../../../pod/build-pod.ts';
import { podCredentials } from '../../../pod/credentials.ts';
import type { ImageCommands } from '../../../pod/image-commands.ts';
import { mountedTask, type PodInputs } from '../decide/build-pod.ts';
import { podCreationError } from '../decide/pod-creation-failure.ts';
import type { TaskRunObservation } from '../decide/observation.ts';
import { limitRanges, type TaskRunServices } from '../task-run-options.ts';

const noCredentials: PodCredentials = { flags: [], volumes: [], mounts: [] };

/** Reads what the Pod of a run depends on: limit ranges, credentials of the service account, entrypoints of images. */
export async function observePodInputs(
  taskRun: TaskRun,
  spec: TaskSpec,
  observation: TaskRunObservation,
  services: TaskRunServices,
): Promise<PodInputs> {
  const { flags } = observation;
  const { context, nativeSidecars } = services;
  const task = mountedTask(taskRun, spec);
  try {
    return {
      task,
      hasNativeSidecars: await nativeSidecars.areUsed(flags, context.client, context.signal),
      limitRanges: context.cache(limitRanges).list(taskRun.metadata.namespace),
      credentials: flags.disableCredsInit ? noCredentials : await readCredentials(taskRun, observation, services),
      imageCommands: await lookUpImages(task, taskRun, services),
    };
  } catch (error) {
    throw podCreationError(error, taskRun, 'translating TaskSpec to Pod: ');
  }
}

/** A step without a command runs the entrypoint of its image, which only the registry knows. */
async function lookUpImages(
  task: TaskSpec,
  taskRun: TaskRun,
  { context, options }: TaskRunServices,
): Promise<ReadonlyMap<string, ImageCommands>> {
  try {
    return await options.imageLookup.lookUp(task, taskRun, context);
  } catch (error) {
    if (context.signal.aborted || isStatusError(error)) throw error;
    throw new PodBuildError((error as Error).message, { cause: error });
  }
}

async function readCredentials(
  taskRun: TaskRun,
  { flags }: TaskRunObservation,
  { context, reads }: TaskRunServices,
): Promise<PodCredentials> {
  const { client, signal, event } = context;
  const namespace = taskRun.metadata.namespace ?? '';
  const name = taskRun.spec.serviceAccountName || 'default';
  const account: ServiceAccount = await reads.get(client, kinds.ServiceAccount, { namespace, name });
  signal.throwIfAborted();
  const secrets = new Map<string, Secret>();
  const missing: string[] = [];
  for (const { name: secret = '' } of account.secrets ?? []) {
    const found = await client.getOrUndefined(kinds.Secret, { namespace, name: secret }, { signal });
    if (found) secrets.set(secret, found);
    else missing.push(secret);
  }
  if (missing.length > 0)
    event({
      type: 'Warning',
      reason: 'FailedToRetrieveSecret',
      message: `Unable to retrieve some secrets (${missing.join(', ')}); attempting to use them may not succeed.`,
    });
  return podCredentials(account, secrets, { requireKnownHosts: flags.requireGitSSHSecretKnownHosts });
}
