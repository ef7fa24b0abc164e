import type { DynamicObject } from '@tektite/meta';
import { describe, expect, it } from 'vitest';
import { deployment } from '../test-support.ts';
import { objectStatus } from './object-status.ts';

const now = Date.parse('2026-01-01T00:01:00Z');
const condition = (type: string, status: string, reason = '') => ({ type, status, reason });
const object = (apiVersion: string, kind: string, rest: object = {}): DynamicObject => ({
  apiVersion,
  kind,
  metadata: { name: 'x', generation: 1 },
  ...rest,
});
const web = (status: object, spec: object = {}): DynamicObject => {
  const base = deployment('web', 'web:1', 2);
  return {
    ...base,
    metadata: { ...base.metadata, generation: 1 },
    spec: { ...(base.spec as object), ...spec },
    status,
  };
};
const counts = { replicas: 2, updatedReplicas: 2, availableReplicas: 2, readyReplicas: 2 };
const available = condition('Available', 'True');

const cases: readonly (readonly [string, DynamicObject, string, string])[] = [
  [
    'what is being deleted',
    { ...object('v1', 'ConfigMap'), metadata: { deletionTimestamp: 'now' } },
    'Terminating',
    'Deleted',
  ],
  ['a spec that was not observed', web({ observedGeneration: 0 }), 'InProgress', 'LatestGenerationNotObserved'],
  ['a Deployment with too few Pods', web({ replicas: 1 }), 'InProgress', 'LessReplicas'],
  ['a Deployment with old Pods', web({ ...counts, updatedReplicas: 1 }), 'InProgress', 'LessUpdated'],
  ['a Deployment with Pods that have to go', web({ ...counts, replicas: 3 }), 'InProgress', 'ExtraPods'],
  ['a Deployment that is not available', web({ ...counts, availableReplicas: 1 }), 'InProgress', 'LessAvailable'],
  ['a Deployment without its condition', web(counts), 'InProgress', 'DeploymentNotAvailable'],
  [
    'a Deployment that took too long',
    web({ conditions: [condition('Progressing', 'False', 'ProgressDeadlineExceeded')] }),
    'Failed',
    'ProgressDeadlineExceeded',
  ],
  [
    'a Deployment whose ReplicaSet is not there',
    web({ ...counts, conditions: [available] }, { progressDeadlineSeconds: 600 }),
    'InProgress',
    'ReplicaSetNotAvailable',
  ],
  ['a Deployment that is ready', web({ ...counts, conditions: [available] }), 'Current', ''],
  ['a Deployment of nothing', web({ conditions: [available] }, { replicas: 0 }), 'Current', ''],
  [
    'a StatefulSet that rolls',
    object('apps/v1', 'StatefulSet', {
      spec: { replicas: 1 },
      status: { replicas: 1, readyReplicas: 1, currentReplicas: 1, currentRevision: 'a', updateRevision: 'b' },
    }),
    'InProgress',
    'RevisionMismatch',
  ],
  [
    'a StatefulSet for OnDelete',
    object('apps/v1', 'StatefulSet', { spec: { updateStrategy: { type: 'OnDelete' } } }),
    'Current',
    '',
  ],
  ['a DaemonSet that was not observed', object('apps/v1', 'DaemonSet'), 'InProgress', 'NoObservedGeneration'],
  [
    'a Pod that is ready',
    object('v1', 'Pod', { status: { phase: 'Running', conditions: [condition('Ready', 'True')] } }),
    'Current',
    '',
  ],
  [
    'a Pod that crashes',
    object('v1', 'Pod', {
      status: {
        phase: 'Running',
        containerStatuses: [{ name: 'c', state: { waiting: { reason: 'CrashLoopBackOff' } } }],
      },
    }),
    'Failed',
    'ContainerCrashLooping',
  ],
  [
    'a Pod that waits for a node',
    object('v1', 'Pod', {
      status: {
        phase: 'Pending',
        conditions: [
          { ...condition('PodScheduled', 'False', 'Unschedulable'), lastTransitionTime: '2026-01-01T00:00:50Z' },
        ],
      },
    }),
    'InProgress',
    'PodNotScheduled',
  ],
  [
    'a Pod that no node takes',
    object('v1', 'Pod', {
      status: {
        phase: 'Pending',
        conditions: [
          { ...condition('PodScheduled', 'False', 'Unschedulable'), lastTransitionTime: '2026-01-01T00:00:00Z' },
        ],
      },
    }),
    'Failed',
    'PodUnschedulable',
  ],
  ['a Job that runs', object('batch/v1', 'Job', { status: { startTime: 'x' } }), 'InProgress', 'JobRunning'],
  [
    'a Job that failed',
    object('batch/v1', 'Job', { status: { conditions: [condition('Failed', 'True', 'BackoffLimitExceeded')] } }),
    'Failed',
    'BackoffLimitExceeded',
  ],
  [
    'a claim that is not bound',
    object('v1', 'PersistentVolumeClaim', { status: { phase: 'Pending' } }),
    'InProgress',
    'NotBound',
  ],
  [
    'a definition whose names are taken',
    object('apiextensions.k8s.io/v1', 'CustomResourceDefinition', {
      status: { conditions: [condition('NamesAccepted', 'False', 'Taken')] },
    }),
    'Failed',
    'Taken',
  ],
  [
    'a custom resource that is not ready',
    object('example.com/v1', 'Widget', { status: { conditions: [condition('Ready', 'False', 'Starting')] } }),
    'InProgress',
    'Starting',
  ],
  [
    'a custom resource that gave up',
    object('example.com/v1', 'Widget', { status: { conditions: [condition('Ready', 'False', 'Broken')] } }),
    'Failed',
    'Broken',
  ],
  ['a custom resource that says nothing', object('example.com/v1', 'Widget'), 'Current', ''],
  [
    'what is stalled',
    object('example.com/v1', 'Widget', { status: { conditions: [condition('Stalled', 'True', 'Stuck')] } }),
    'Failed',
    'Stuck',
  ],
  ['a ConfigMap', object('v1', 'ConfigMap'), 'Current', ''],
];

describe('readiness of', () => {
  it.each(cases)('reports the status of %s', (_what, subject, status, reason) => {
    expect(objectStatus(subject, { now, failedReasons: ['Broken'] })).toMatchObject({ status, reason });
  });

  it('a Job that runs is enough for kstatus, and rules of one’s own come first', () => {
    const running = object('batch/v1', 'Job', { status: { startTime: 'x' } });
    expect(objectStatus(running, { now, strict: false }).status).toBe('Current');
    const rules = { 'Widget.example.com': () => ({ status: 'Failed', reason: 'Mine', message: '' }) as const };
    expect(objectStatus(object('example.com/v1', 'Widget'), { now, rules }).reason).toBe('Mine');
  });
});
