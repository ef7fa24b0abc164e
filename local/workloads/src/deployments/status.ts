import type { Deployment, ReplicaSet } from '@tektite/schema/kubernetes';
import { omitZero } from '../pods/omit-zero.ts';
import { allOf, availableOf, maxUnavailable, type Rollout, sum, timeOf, wantedOf } from './rollout.ts';

export type DeploymentStatus = NonNullable<Deployment['status']>;
export type DeploymentCondition = NonNullable<DeploymentStatus['conditions']>[number];
type ConditionText = Pick<DeploymentCondition, 'status' | 'reason' | 'message'>;

/** No deadline is written as the largest number there is. */
const never = 2 ** 31 - 1;

/** The numbers, and whether enough is available. Conditions about progress are added by {@link withProgress}. */
export function countedStatus(rollout: Rollout, now: string): DeploymentStatus {
  const { deployment, current } = rollout;
  const all = allOf(rollout);
  const available = sum(all, availableOf);
  const enough = available >= wantedOf(deployment) - maxUnavailable(deployment);
  const { collisionCount } = deployment.status ?? {};
  return {
    ...omitZero({
      observedGeneration: deployment.metadata.generation,
      replicas: sum(all, ({ status }) => status?.replicas ?? 0),
      updatedReplicas: current?.status?.replicas ?? 0,
      readyReplicas: sum(all, ({ status }) => status?.readyReplicas ?? 0),
      availableReplicas: available,
      unavailableReplicas: Math.max(0, sum(all, wantedOf) - available),
    }),
    terminatingReplicas: sum(all, ({ status }) => status?.terminatingReplicas ?? 0),
    ...(collisionCount === undefined ? {} : { collisionCount }),
    conditions: putCondition(
      deployment.status?.conditions ?? [],
      'Available',
      enough
        ? { status: 'True', reason: 'MinimumReplicasAvailable', message: 'Deployment has minimum availability.' }
        : {
            status: 'False',
            reason: 'MinimumReplicasUnavailable',
            message: 'Deployment does not have minimum availability.',
          },
      now,
    ),
  };
}

/** The same status and reason say nothing new, even in other words. */
export function putCondition(
  conditions: readonly DeploymentCondition[],
  type: string,
  text: ConditionText,
  now: string,
): readonly DeploymentCondition[] {
  const old = conditions.find((condition) => condition.type === type);
  if (old?.status === text.status && old.reason === text.reason) return conditions;
  return replaceCondition(conditions, type, text, now);
}

function replaceCondition(
  conditions: readonly DeploymentCondition[],
  type: string,
  { status, reason, message }: ConditionText,
  now: string,
): readonly DeploymentCondition[] {
  const old = conditions.find((condition) => condition.type === type);
  const lastTransitionTime = old && old.status === status ? (old.lastTransitionTime ?? now) : now;
  const texts = { ...(reason === undefined ? {} : { reason }), ...(message === undefined ? {} : { message }) };
  const fresh = { type, status, lastUpdateTime: now, lastTransitionTime, ...texts };
  return [...conditions.filter((condition) => condition !== old), fresh];
}

export function deadlineOf({ spec }: Deployment): number | undefined {
  const deadline = spec?.progressDeadlineSeconds;
  return deadline === undefined || deadline === never ? undefined : deadline;
}

export function isComplete(deployment: Deployment, status: DeploymentStatus): boolean {
  const wanted = wantedOf(deployment);
  return (
    (status.updatedReplicas ?? 0) === wanted &&
    (status.replicas ?? 0) === wanted &&
    (status.availableReplicas ?? 0) === wanted &&
    (status.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)
  );
}

function isProgressing({ status: old = {} }: Deployment, status: DeploymentStatus): boolean {
  const oldOnes = (each: DeploymentStatus) => (each.replicas ?? 0) - (each.updatedReplicas ?? 0);
  return (
    (status.updatedReplicas ?? 0) > (old.updatedReplicas ?? 0) ||
    oldOnes(status) < oldOnes(old) ||
    (status.readyReplicas ?? 0) > (old.readyReplicas ?? 0) ||
    (status.availableReplicas ?? 0) > (old.availableReplicas ?? 0)
  );
}

/** When the deadline has passed, in milliseconds; undefined when nothing is waited for. */
export function deadlineAt(deployment: Deployment, conditions: readonly DeploymentCondition[]): number | undefined {
  const seconds = deadlineOf(deployment);
  const progress = conditions.find(({ type }) => type === 'Progressing');
  if (seconds === undefined || !progress || progress.reason === 'NewReplicaSetAvailable') return undefined;
  return timeOf(progress.lastUpdateTime) + seconds * 1000;
}

/** Adds how the rollout is getting on, and what keeps ReplicaSets from making Pods. */
export function withProgress(
  { deployment, current, old }: Rollout,
  status: DeploymentStatus,
  now: { readonly milliseconds: number; readonly text: string },
): DeploymentStatus {
  let conditions = status.conditions ?? [];
  const progress = conditions.find(({ type }) => type === 'Progressing');
  const over =
    (status.replicas ?? 0) === (status.updatedReplicas ?? 0) && progress?.reason === 'NewReplicaSetAvailable';
  const subject = current ? `ReplicaSet "${current.metadata.name}"` : `Deployment "${deployment.metadata.name}"`;
  if (deadlineOf(deployment) === undefined) conditions = conditions.filter(({ type }) => type !== 'Progressing');
  else if (!over) {
    const put = (text: ConditionText, again = false) =>
      (again ? replaceCondition : putCondition)(conditions, 'Progressing', text, now.text);
    if (isComplete(deployment, status))
      conditions = put({
        status: 'True',
        reason: 'NewReplicaSetAvailable',
        message: `${subject} has successfully progressed.`,
      });
    else if (isProgressing(deployment, status))
      conditions = put({ status: 'True', reason: 'ReplicaSetUpdated', message: `${subject} is progressing.` }, true);
    else if (isLate(deployment, conditions, now.milliseconds))
      conditions = put({
        status: 'False',
        reason: 'ProgressDeadlineExceeded',
        message: `${subject} has timed out progressing.`,
      });
  }
  return { ...status, conditions: withFailure(conditions, current ? [current, ...old] : old, now.text) };
}

function isLate(deployment: Deployment, conditions: readonly DeploymentCondition[], now: number): boolean {
  const progress = conditions.find(({ type }) => type === 'Progressing');
  if (progress?.reason === 'ProgressDeadlineExceeded') return true;
  const deadline = deadlineAt(deployment, conditions);
  return deadline !== undefined && deadline < now;
}

function withFailure(
  conditions: readonly DeploymentCondition[],
  replicaSets: readonly ReplicaSet[],
  now: string,
): readonly DeploymentCondition[] {
  for (const { status } of replicaSets) {
    const failure = status?.conditions?.find(({ type }) => type === 'ReplicaFailure');
    if (!failure) continue;
    const { reason, message } = failure;
    const text = { status: failure.status, ...(reason ? { reason } : {}), ...(message ? { message } : {}) };
    return putCondition(conditions, 'ReplicaFailure', text, now);
  }
  return conditions.filter(({ type }) => type !== 'ReplicaFailure');
}

/** A paused Deployment is not late; from when it goes on, it has its whole time again. */
export function withPause(
  deployment: Deployment,
  conditions: readonly DeploymentCondition[],
  now: string,
): readonly DeploymentCondition[] {
  if (deadlineOf(deployment) === undefined) return conditions;
  const progress = conditions.find(({ type }) => type === 'Progressing');
  if (progress?.reason === 'ProgressDeadlineExceeded') return conditions;
  const isPaused = progress?.reason === 'DeploymentPaused';
  if (deployment.spec?.paused && !isPaused)
    return putCondition(
      conditions,
      'Progressing',
      { status: 'Unknown', reason: 'DeploymentPaused', message: 'Deployment is paused' },
      now,
    );
  if (!deployment.spec?.paused && isPaused)
    return putCondition(
      conditions,
      'Progressing',
      { status: 'Unknown', reason: 'DeploymentResumed', message: 'Deployment is resumed' },
      now,
    );
  return conditions;
}
