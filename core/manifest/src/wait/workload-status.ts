import type { DynamicObject } from '@tektite/meta';
import { isMapping, listAt, mappingAt } from '../field-value.ts';
import { current, failed, findCondition, inProgress, type Readiness, type ReadinessRule } from './readiness.ts';

/** How long a Pod that cannot be scheduled may wait for a node. */
const unschedulableMs = 15_000;

function numberAt(object: unknown, field: string, otherwise = 0): number {
  const value = isMapping(object) ? object[field] : undefined;
  return typeof value === 'number' ? value : otherwise;
}

function deploymentStatus(object: DynamicObject): Readiness {
  const spec = mappingAt(object, 'spec');
  const status = mappingAt(object, 'status');
  const wanted = numberAt(spec, 'replicas', 1);
  const progressing = findCondition(object, 'Progressing');
  if (progressing?.reason === 'ProgressDeadlineExceeded') return failed('ProgressDeadlineExceeded', 'it took too long');
  const replicas = numberAt(status, 'replicas');
  const updated = numberAt(status, 'updatedReplicas');
  const available = numberAt(status, 'availableReplicas');
  const ready = numberAt(status, 'readyReplicas');
  if (replicas < wanted) return inProgress('LessReplicas', `replicas: ${replicas}/${wanted}`);
  if (updated < wanted) return inProgress('LessUpdated', `updated: ${updated}/${wanted}`);
  if (replicas > wanted) return inProgress('ExtraPods', `Pods that have to go: ${replicas - wanted}`);
  if (available < updated) return inProgress('LessAvailable', `available: ${available}/${updated}`);
  if (ready < wanted) return inProgress('LessReady', `ready: ${ready}/${wanted}`);
  const settled = progressing?.status === 'True' && progressing.reason === 'NewReplicaSetAvailable';
  if (spec?.progressDeadlineSeconds !== undefined && !settled)
    return inProgress('ReplicaSetNotAvailable', 'its ReplicaSet is not available');
  if (findCondition(object, 'Available')?.status !== 'True')
    return inProgress('DeploymentNotAvailable', 'it is not available');
  return current(`available: ${available}`);
}

function statefulSetStatus(object: DynamicObject): Readiness {
  const spec = mappingAt(object, 'spec');
  const status = mappingAt(object, 'status');
  if (mappingAt(spec, 'updateStrategy')?.type === 'OnDelete') return current('it is updated when Pods are deleted');
  const wanted = numberAt(spec, 'replicas', 1);
  const replicas = numberAt(status, 'replicas');
  const ready = numberAt(status, 'readyReplicas');
  if (replicas < wanted) return inProgress('LessReplicas', `replicas: ${replicas}/${wanted}`);
  if (ready < wanted) return inProgress('LessReady', `ready: ${ready}/${wanted}`);
  if (replicas > wanted) return inProgress('ExtraPods', `Pods that have to go: ${replicas - wanted}`);
  const partition = mappingAt(spec, 'updateStrategy', 'rollingUpdate')?.partition;
  const updated = numberAt(status, 'updatedReplicas');
  if (typeof partition === 'number' && partition > 0) {
    if (updated < wanted - partition)
      return inProgress('PartitionRollout', `updated: ${updated}/${wanted - partition}`);
    return current(`updated: ${updated}`);
  }
  const now = numberAt(status, 'currentReplicas');
  if (now < wanted) return inProgress('LessCurrent', `current: ${now}/${wanted}`);
  if (status?.currentRevision !== status?.updateRevision)
    return inProgress('RevisionMismatch', 'Pods of an older revision are left');
  return current(`ready: ${ready}`);
}

function daemonSetStatus(object: DynamicObject): Readiness {
  const status = mappingAt(object, 'status');
  if (object.metadata.generation === undefined || status?.observedGeneration === undefined)
    return inProgress('NoObservedGeneration', 'its controller has not seen it yet');
  if (status.desiredNumberScheduled === undefined)
    return inProgress('NoDesiredNumber', 'it is not known how many Pods are wanted');
  const wanted = numberAt(status, 'desiredNumberScheduled');
  const counts = [
    ['currentNumberScheduled', 'LessCurrent', 'current'],
    ['updatedNumberScheduled', 'LessUpdated', 'updated'],
    ['numberAvailable', 'LessAvailable', 'available'],
    ['numberReady', 'LessReady', 'ready'],
  ] as const;
  for (const [field, reason, word] of counts) {
    const count = numberAt(status, field);
    if (count < wanted) return inProgress(reason, `${word}: ${count}/${wanted}`);
  }
  return current(`ready: ${wanted}`);
}

function replicaSetStatus(object: DynamicObject): Readiness {
  const status = mappingAt(object, 'status');
  const wanted = numberAt(mappingAt(object, 'spec'), 'replicas', 1);
  const failure = findCondition(object, 'ReplicaFailure');
  if (failure?.status === 'True') return inProgress('ReplicaFailure', failure.message ?? '');
  const counts = [
    ['fullyLabeledReplicas', 'LessLabelled', 'labelled'],
    ['availableReplicas', 'LessAvailable', 'available'],
    ['readyReplicas', 'LessReady', 'ready'],
  ] as const;
  for (const [field, reason, word] of counts) {
    const count = numberAt(status, field);
    if (count < wanted) return inProgress(reason, `${word}: ${count}/${wanted}`);
  }
  const replicas = numberAt(status, 'replicas');
  if (replicas > wanted) return inProgress('ExtraPods', `Pods that have to go: ${replicas - wanted}`);
  return current(`ready: ${wanted}`);
}

const podStatus: ReadinessRule = (object, { now }) => {
  const phase = mappingAt(object, 'status')?.phase;
  switch (phase) {
    case 'Succeeded':
      return current('it has ended well');
    case 'Failed':
      return current('it has ended');
    case 'Running': {
      if (findCondition(object, 'Ready')?.status === 'True') return current('it is ready');
      const crashing = listAt(object, 'status', 'containerStatuses').find(
        (status) => mappingAt(status, 'state', 'waiting')?.reason === 'CrashLoopBackOff',
      );
      if (crashing)
        return failed(
          'ContainerCrashLooping',
          `the container ${String((crashing as { name?: unknown }).name)} crashes`,
        );
      return inProgress('PodRunningNotReady', 'it runs, and is not ready');
    }
    case 'Pending': {
      const scheduled = findCondition(object, 'PodScheduled');
      if (scheduled?.status !== 'False' || scheduled.reason !== 'Unschedulable')
        return inProgress('PodPending', 'it has not started');
      const since = Date.parse(scheduled.lastTransitionTime ?? object.metadata.creationTimestamp ?? '');
      if (now - since >= unschedulableMs) return failed('PodUnschedulable', scheduled.message ?? 'no node takes it');
      return inProgress('PodNotScheduled', scheduled.message ?? 'no node takes it yet');
    }
    default:
      return inProgress('PodNotObserved', 'it has not been observed yet');
  }
};

const jobStatus: ReadinessRule = (object, { strict }) => {
  const failure = findCondition(object, 'Failed');
  if (failure?.status === 'True') return failed(failure.reason || 'JobFailed', failure.message ?? 'the Job failed');
  if (findCondition(object, 'Complete')?.status === 'True') return current('it is complete');
  if (findCondition(object, 'Suspended')?.status === 'True') return current('it is suspended');
  const status = mappingAt(object, 'status');
  if (status?.startTime === undefined) return inProgress('JobNotStarted', 'it has not started');
  const succeeded = numberAt(status, 'succeeded');
  if (strict)
    return inProgress(
      'JobRunning',
      `completions: ${succeeded}/${numberAt(mappingAt(object, 'spec'), 'completions', 1)}`,
    );
  return current('it runs');
};

function claimStatus(object: DynamicObject): Readiness {
  const phase = mappingAt(object, 'status')?.phase;
  return phase === 'Bound'
    ? current('it is bound')
    : inProgress('NotBound', `its phase is ${String(phase ?? 'unknown')}`);
}

function serviceStatus(object: DynamicObject): Readiness {
  const spec = mappingAt(object, 'spec');
  return spec?.type === 'LoadBalancer' && !spec.clusterIP ? inProgress('NoIPAssigned', 'it has no address') : current();
}

function definitionStatus(object: DynamicObject): Readiness {
  const names = findCondition(object, 'NamesAccepted');
  if (names?.status === 'False') return failed(names.reason ?? '', names.message ?? '');
  const established = findCondition(object, 'Established');
  if (established?.status === 'True') return current('it is established');
  if (established?.status === 'False' && established.reason !== 'Installing')
    return failed(established.reason ?? '', established.message ?? '');
  return inProgress('Installing', 'it is being installed');
}

const apiServiceStatus: ReadinessRule = (object, { strict }) => {
  const available = findCondition(object, 'Available');
  if (!strict || available?.status === 'True') return current();
  return inProgress(available?.reason ?? 'NotAvailable', available?.message ?? 'it is not available');
};

/** By group and kind. */
export const workloadRules: Readonly<Record<string, ReadinessRule | undefined>> = {
  'Deployment.apps': deploymentStatus,
  'StatefulSet.apps': statefulSetStatus,
  'DaemonSet.apps': daemonSetStatus,
  'ReplicaSet.apps': replicaSetStatus,
  Pod: podStatus,
  'Job.batch': jobStatus,
  PersistentVolumeClaim: claimStatus,
  Service: serviceStatus,
  'CustomResourceDefinition.apiextensions.k8s.io': definitionStatus,
  'APIService.apiregistration.k8s.io': apiServiceStatus,
  'PodDisruptionBudget.policy': () => current(),
  'CronJob.batch': () => current(),
  'HorizontalPodAutoscaler.autoscaling': () => current(),
};
