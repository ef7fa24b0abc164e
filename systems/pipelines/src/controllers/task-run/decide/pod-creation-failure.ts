import { isStatusError, isTransient } from '@tektite/meta';
import { RunFailure, RunWaits } from '../../../conditions/run-failure.ts';
import { CreationTimeout } from '../../../creation/create-with-backoff.ts';
import type { TaskRun } from '../../../kinds/task-run.ts';
import { PodBuildError } from '../../../pod/build-pod.ts';
import { CredentialError } from '../../../pod/credentials.ts';

/** The error of building or creating a Pod as the run's condition reports it. Transient errors are returned as they are. */
export function podCreationError(error: unknown, taskRun: TaskRun, prefix = ''): unknown {
  if (error instanceof CredentialError)
    return new RunFailure('TaskRunValidationFailed', prefix + error.message, { cause: error });
  if (error instanceof PodBuildError || error instanceof CreationTimeout)
    return podCreationFailure(taskRun, prefix + error.message, error);
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
  if (isTransient(error)) return error;
  return podCreationFailure(taskRun, prefix + message, error);
}

export function podCreationFailure({ metadata, spec }: TaskRun, message: string, cause?: unknown): RunFailure {
  const { namespace = '', name = '' } = metadata;
  const hint = spec.taskRef ? `missing or invalid Task ${namespace}/${spec.taskRef.name ?? ''}` : 'invalid TaskSpec';
  return new RunFailure('PodCreationFailed', `failed to create task run pod "${name}": ${message}. Maybe ${hint}`, {
    cause,
  });
}
