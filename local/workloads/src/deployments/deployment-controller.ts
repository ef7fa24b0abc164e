import { type Client, kinds, mergePatch, ignoreNotFound } from '@tektite/client';
import {
  type ControllerDefinition,
  defineController,
  done,
  mapped,
  type Result,
  requeueAfter,
} from '@tektite/controller';
import { controllerOf, formatTime, isStatusError, labelSelectorOf } from '@tektite/meta';
import type { Deployment, ReplicaSet } from '@tektite/schema/kubernetes';
import type { RecordEvent } from '../component-events.ts';
import { claim, sortClaims } from '../pods/claim.ts';
import { isCurrent } from '../pods/is-current.ts';
import { claimable, controllerKeys, orphanIndex } from '../pods/orphan-index.ts';
import { nextStep, outdated, type Step } from './decide.ts';
import { newReplicaSet } from './new-replica-set.ts';
import { currentAnnotations, revisionAnnotation, revisionOf, sizeAnnotations } from './revision.ts';
import { type Rollout, rolloutOf, wantedOf } from './rollout.ts';
import {
  countedStatus,
  deadlineAt,
  type DeploymentStatus,
  isComplete,
  putCondition,
  withPause,
  withProgress,
} from './status.ts';
import { equalTemplates } from './template-hash.ts';

/** Rolls Deployments out: one ReplicaSet for each template, the current one up, the old ones down. */
export function deploymentController(record: RecordEvent): ControllerDefinition {
  const replicaSets = mapped(kinds.ReplicaSet, controllerKeys, { indexes: orphanIndex });
  // Only `Recreate` waits for Pods, by their ReplicaSet.
  const pods = mapped(
    kinds.Pod,
    (pod, own) => {
      const controller = controllerOf(pod);
      const prefix = `${pod.metadata.namespace}/`;
      if (controller?.kind !== 'ReplicaSet') return [];
      return [...own.keys()].filter(
        (key) => key.startsWith(prefix) && `${prefix}${controller.name}`.startsWith(`${key}-`),
      );
    },
    { predicate: ({ type }) => type === 'deleted' },
  );
  return defineController({
    name: 'deployment',
    kind: kinds.Deployment,
    sources: [replicaSets, pods],
    concurrency: 8,
    async reconcile(deployment, { cache, client, clock, writeStatus }): Promise<Result> {
      if (selectsAll(deployment)) {
        const message = 'This deployment is selecting all pods. A non-empty selector is required.';
        record(deployment, { type: 'Warning', reason: 'SelectingAll', message });
        return done;
      }
      const claims = sortClaims(
        deployment,
        labelSelectorOf(deployment.spec?.selector),
        claimable(cache(replicaSets), deployment),
      );
      const mine = await claim(client, kinds.Deployment, deployment, kinds.ReplicaSet, claims);
      const rollout = rolloutOf(deployment, mine);
      const oldPods = rollout.old.flatMap((replicaSet) => cache(pods).ownedBy(replicaSet));
      const step = nextStep(rollout, oldPods);
      if (step.type === 'create' && !(await isCurrent(client, kinds.Deployment, deployment))) return done;
      const collided = await act(client, rollout, step, record);
      const milliseconds = clock.now();
      const now = { milliseconds, text: formatTime(milliseconds) };
      const status = statusAfter(rollout, step, collided, now);
      const latest = await syncRevision(client, rollout, step);
      await writeStatus(latest, status);
      if (step.type === 'rest' && isComplete(deployment, status)) await deleteOutdated(client, rollout);
      const deadline = deadlineAt(deployment, status.conditions ?? []);
      return deadline === undefined || deadline < milliseconds ? done : requeueAfter(deadline - milliseconds + 1000);
    },
  });
}

function selectsAll({ spec }: Deployment): boolean {
  const { matchLabels = {}, matchExpressions = [] } = spec?.selector ?? {};
  return Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;
}

/** Does the step. Answers the number of collisions when the new ReplicaSet's name was taken by a stranger. */
async function act(client: Client, rollout: Rollout, step: Step, record: RecordEvent): Promise<number | undefined> {
  switch (step.type) {
    case 'create':
      return create(client, rollout, record);
    case 'update':
      await update(client, rollout);
      return undefined;
    case 'resize':
      for (const { replicaSet, replicas } of step.resizes)
        await resize(client, rollout.deployment, replicaSet, replicas, record);
      return undefined;
    case 'rest':
      return undefined;
  }
}

async function create(client: Client, rollout: Rollout, record: RecordEvent): Promise<number | undefined> {
  const { deployment } = rollout;
  const wanted = newReplicaSet(rollout);
  try {
    const { metadata, spec } = await client.create(kinds.ReplicaSet, wanted);
    const replicas = spec?.replicas ?? 0;
    if (replicas > 0) recordScaled(record, deployment, metadata.name, 0, replicas);
    return undefined;
  } catch (error) {
    if (!isStatusError(error, 'AlreadyExists')) throw error;
    const { namespace = '', name = '' } = wanted.metadata;
    const existing = await client.get(kinds.ReplicaSet, { namespace, name });
    const ours = controllerOf(existing)?.uid === deployment.metadata.uid;
    // Ours, with this template: the cache is behind. Else the name stands for something else, and another is tried.
    if (ours && equalTemplates(existing.spec?.template, deployment.spec?.template)) return undefined;
    return (deployment.status?.collisionCount ?? 0) + 1;
  }
}

async function update(client: Client, rollout: Rollout): Promise<void> {
  const { current, deployment } = rollout;
  if (!current) return;
  const { minReadySeconds = 0 } = deployment.spec ?? {};
  const { namespace = '', name = '', resourceVersion } = current.metadata;
  const metadata = { resourceVersion, annotations: currentAnnotations(rollout) };
  await client.patch(kinds.ReplicaSet, { namespace, name }, mergePatch({ metadata, spec: { minReadySeconds } }));
}

async function resize(
  client: Client,
  deployment: Deployment,
  replicaSet: ReplicaSet,
  replicas: number,
  record: RecordEvent,
): Promise<void> {
  const { namespace = '', name = '', resourceVersion } = replicaSet.metadata;
  const metadata = { resourceVersion, annotations: sizeAnnotations(deployment) };
  await client.patch(kinds.ReplicaSet, { namespace, name }, mergePatch({ metadata, spec: { replicas } }));
  if (wantedOf(replicaSet) !== replicas) recordScaled(record, deployment, name, wantedOf(replicaSet), replicas);
}

function recordScaled(
  record: RecordEvent,
  deployment: Deployment,
  name: string | undefined,
  from: number,
  to: number,
): void {
  const message = `Scaled ${to > from ? 'up' : 'down'} replica set ${name} from ${from} to ${to}`;
  record(deployment, { reason: 'ScalingReplicaSet', message });
}

function statusAfter(
  rollout: Rollout,
  step: Step,
  collided: number | undefined,
  now: { readonly milliseconds: number; readonly text: string },
): DeploymentStatus {
  const { deployment, current } = rollout;
  const counted = countedStatus(rollout, now.text);
  let conditions = withPause(deployment, counted.conditions ?? [], now.text);
  const progresses = (reason: string, message: string) =>
    putCondition(conditions, 'Progressing', { status: 'True', reason, message }, now.text);
  const hasDeadline = deployment.spec?.progressDeadlineSeconds !== undefined;
  if (hasDeadline && step.type === 'create' && collided === undefined)
    conditions = progresses(
      'NewReplicaSetCreated',
      `Created new replica set "${newReplicaSet(rollout).metadata.name}"`,
    );
  else if (hasDeadline && current && !conditions.some(({ type }) => type === 'Progressing'))
    conditions = progresses('FoundNewReplicaSet', `Found new replica set "${current.metadata.name}"`);
  const status = { ...counted, conditions, ...(collided === undefined ? {} : { collisionCount: collided }) };
  if (deployment.spec?.paused || step.type === 'create') return status;
  return withProgress(rollout, status, now);
}

/** The Deployment says which revision it is at, once its ReplicaSet does. */
async function syncRevision(client: Client, { deployment, current }: Rollout, step: Step): Promise<Deployment> {
  if (!current || step.type === 'update' || deployment.metadata.deletionTimestamp !== undefined) return deployment;
  const revision = String(revisionOf(current));
  if (revision === '0' || deployment.metadata.annotations?.[revisionAnnotation] === revision) return deployment;
  const { namespace = '', name = '', resourceVersion } = deployment.metadata;
  const patch = mergePatch({ metadata: { resourceVersion, annotations: { [revisionAnnotation]: revision } } });
  // Through the status: a write of the Deployment itself would count as a new generation.
  return client.patchStatus(kinds.Deployment, { namespace, name }, patch);
}

async function deleteOutdated(client: Client, rollout: Rollout): Promise<void> {
  for (const { metadata } of outdated(rollout)) {
    const { namespace = '', name = '', uid } = metadata;
    await client
      .delete(kinds.ReplicaSet, { namespace, name }, uid ? { preconditions: { uid } } : {})
      .catch(ignoreNotFound);
  }
}
