import { type DynamicObject, findCondition } from '@tektite/meta';
import { broken, notReady, type ObjectReadiness, ready, type ReadinessCheck } from './readiness-check.ts';

interface WorkloadStatus {
  readonly observedGeneration?: number;
  readonly replicas?: number;
  readonly readyReplicas?: number;
  readonly updatedReplicas?: number;
  readonly availableReplicas?: number;
  readonly currentRevision?: string;
  readonly updateRevision?: string;
  readonly conditions?: readonly { type: string; status: string; reason?: string; message?: string }[];
}

interface WorkloadSpec {
  readonly replicas?: number;
  readonly updateStrategy?: { readonly type?: string };
}

function statusOf(live: DynamicObject): WorkloadStatus {
  return (live.status ?? {}) as WorkloadStatus;
}

function specOf(live: DynamicObject): WorkloadSpec {
  return (live.spec ?? {}) as WorkloadSpec;
}

function check(decide: (live: DynamicObject) => ObjectReadiness): ReadinessCheck {
  return { decide };
}

/** As the Tekton operator has it: Available, whatever the generation; a Deployment that cannot make Pods is deleted. */
export const deploymentAvailable: ReadinessCheck = check((live) => {
  const { conditions } = statusOf(live);
  const failure = findCondition(conditions, 'ReplicaFailure');
  if (failure?.status === 'True' && failure.reason === 'FailedCreate')
    return { ready: false, reason: 'FailedCreate', message: failure.message ?? '', remove: true };
  if (findCondition(conditions, 'Available')?.status === 'True') return ready;
  return notReady('DeploymentNotReady', `${live.metadata.name} deployment not ready`);
});

/** The newest template runs in all replicas, and enough of them are available. */
export const deploymentRolledOut: ReadinessCheck = check((live) => {
  const { observedGeneration = 0, updatedReplicas = 0, availableReplicas = 0, conditions } = statusOf(live);
  const wanted = specOf(live).replicas ?? 1;
  const failure = findCondition(conditions, 'ReplicaFailure');
  const why = failure?.status === 'True' ? ` (${failure.reason}: ${failure.message})` : '';
  const progress = `${availableReplicas}/${wanted} available${why}`;
  if (observedGeneration < (live.metadata.generation ?? 0))
    return notReady('DeploymentNotReady', `${progress}; the newest change was not seen yet`);
  const progressing = findCondition(conditions, 'Progressing');
  if (progressing?.reason === 'ProgressDeadlineExceeded')
    return broken('DeploymentStalled', `${progress}: ${progressing.message ?? 'it took too long'}`);
  if (wanted === 0) return ready;
  if (why !== '' || updatedReplicas !== wanted) return notReady('DeploymentNotReady', progress);
  return findCondition(conditions, 'Available')?.status === 'True' ? ready : notReady('DeploymentNotReady', progress);
});

/** As the Tekton operator has it: as many are ready as are wanted. */
export const statefulSetReplicasReady: ReadinessCheck = check((live) => {
  const { replicas } = specOf(live);
  if (replicas !== undefined && replicas === (statusOf(live).readyReplicas ?? 0)) return ready;
  return notReady('StatefulSetNotReady', `${live.metadata.name} statefulset is not ready`);
});

/** The newest template runs in all replicas; with `OnDelete`, only that they are ready. */
export const statefulSetRolledOut: ReadinessCheck = check((live) => {
  const { observedGeneration = 0, readyReplicas = 0, currentRevision, updateRevision } = statusOf(live);
  const { replicas = 1, updateStrategy } = specOf(live);
  const progress = `${readyReplicas}/${replicas} ready`;
  if (observedGeneration < (live.metadata.generation ?? 0))
    return notReady('StatefulSetNotReady', `${progress}; the newest change was not seen yet`);
  if (readyReplicas !== replicas) return notReady('StatefulSetNotReady', progress);
  if (updateStrategy?.type === 'OnDelete' || currentRevision === updateRevision) return ready;
  return notReady('StatefulSetNotReady', `${progress}; Pods of an older revision are left`);
});

export const jobComplete: ReadinessCheck = check((live) => {
  const { conditions } = statusOf(live);
  if (findCondition(conditions, 'Complete')?.status === 'True') return ready;
  const failure = findCondition(conditions, 'Failed');
  if (failure?.status === 'True')
    return broken('JobFailed', `${failure.reason ?? 'Failed'}: ${failure.message ?? 'the Job failed'}`);
  return notReady('JobNotComplete', 'the Job is not complete');
});

/** A definition that is served. */
export const definitionEstablished: ReadinessCheck = check((live) => {
  const { conditions } = statusOf(live);
  if (findCondition(conditions, 'Established')?.status === 'True') return ready;
  const names = findCondition(conditions, 'NamesAccepted');
  if (names?.status === 'False') return broken('CrdNotEstablished', names.message ?? 'its names are taken');
  return notReady('CrdNotEstablished', 'it is not established');
});
