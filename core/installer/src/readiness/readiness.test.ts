import type { DynamicObject } from '@tektite/meta';
import { describe, expect, it } from 'vitest';
import { webhookServing } from './webhook-serving.ts';
import {
  definitionEstablished,
  deploymentAvailable,
  deploymentRolledOut,
  jobComplete,
  statefulSetReplicasReady,
  statefulSetRolledOut,
} from './workload-checks.ts';

const condition = (type: string, status = 'True', reason = '', message = '') => ({ type, status, reason, message });
const object = (status: object, spec: object = {}): DynamicObject => ({
  apiVersion: 'x/v1',
  kind: 'X',
  metadata: { name: 'web', generation: 2 },
  spec,
  status,
});
const seen = { observedGeneration: 2 };
const quota = condition('ReplicaFailure', 'True', 'FailedCreate', 'quota exceeded');

describe('readiness', () => {
  it.each([
    ['a Deployment that is available', deploymentAvailable, object({ conditions: [condition('Available')] }), 'ready'],
    ['one that is not', deploymentAvailable, object({}), 'web deployment not ready'],
    [
      'one that cannot make Pods',
      deploymentAvailable,
      object({ conditions: [condition('Available'), quota] }),
      'remove: quota exceeded',
    ],
    [
      'a Deployment that was not seen',
      deploymentRolledOut,
      object({ observedGeneration: 1, updatedReplicas: 1, conditions: [condition('Available')] }),
      '0/1 available; the newest change was not seen yet',
    ],
    [
      'one that rolls',
      deploymentRolledOut,
      object(
        { ...seen, updatedReplicas: 1, availableReplicas: 1, conditions: [condition('Available')] },
        { replicas: 2 },
      ),
      '1/2 available',
    ],
    [
      'one that is rolled out',
      deploymentRolledOut,
      object(
        { ...seen, updatedReplicas: 2, availableReplicas: 2, conditions: [condition('Available')] },
        { replicas: 2 },
      ),
      'ready',
    ],
    ['one of nothing', deploymentRolledOut, object(seen, { replicas: 0 }), 'ready'],
    [
      'one that took too long',
      deploymentRolledOut,
      object({ ...seen, conditions: [condition('Progressing', 'False', 'ProgressDeadlineExceeded', 'no progress')] }),
      'broken DeploymentStalled: 0/1 available: no progress',
    ],
    [
      'one that meets a quota',
      deploymentRolledOut,
      object({ ...seen, updatedReplicas: 1, conditions: [quota] }),
      '0/1 available (FailedCreate: quota exceeded)',
    ],
    [
      'a StatefulSet with all replicas',
      statefulSetReplicasReady,
      object({ readyReplicas: 2 }, { replicas: 2 }),
      'ready',
    ],
    ['one without', statefulSetReplicasReady, object({}, { replicas: 2 }), 'web statefulset is not ready'],
    [
      'one with an older revision',
      statefulSetRolledOut,
      object({ ...seen, readyReplicas: 1, currentRevision: 'a', updateRevision: 'b' }),
      '1/1 ready; Pods of an older revision are left',
    ],
    [
      'one that is updated by hand',
      statefulSetRolledOut,
      object(
        { ...seen, readyReplicas: 1, currentRevision: 'a', updateRevision: 'b' },
        { updateStrategy: { type: 'OnDelete' } },
      ),
      'ready',
    ],
    ['a Job that is complete', jobComplete, object({ conditions: [condition('Complete')] }), 'ready'],
    [
      'one that failed',
      jobComplete,
      object({ conditions: [condition('Failed', 'True', 'BackoffLimitExceeded', 'too often')] }),
      'broken JobFailed: BackoffLimitExceeded: too often',
    ],
    ['one that runs', jobComplete, object({}), 'the Job is not complete'],
    ['a definition', definitionEstablished, object({ conditions: [condition('Established')] }), 'ready'],
    [
      'one whose names are taken',
      definitionEstablished,
      object({ conditions: [condition('NamesAccepted', 'False', 'x', 'taken')] }),
      'broken CrdNotEstablished: taken',
    ],
  ] as const)('of %s', (_what, check, live, expected) => {
    const found = check.decide(live, { now: 0, others: [] });
    if (found.ready) expect('ready').toBe(expected);
    else if (found.broken) expect(`broken ${found.reason}: ${found.message}`).toBe(expected);
    else expect(`${found.remove ? 'remove: ' : ''}${found.message}`).toBe(expected);
  });
});

describe('a webhook', () => {
  const webhook = (caBundle: string): DynamicObject => ({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: 'hook' },
    webhooks: [
      { name: 'a.example.com', clientConfig: { caBundle, service: { namespace: 'ci', name: 'hook' } } },
      { name: 'b.example.com', clientConfig: { url: 'https://example.com' } },
    ],
  });
  const endpoints = (addresses: readonly object[]): DynamicObject => ({
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: {},
    subsets: [{ addresses }],
  });

  it('is ready with a CA bundle and a ready endpoint', () => {
    expect(webhookServing.alsoRead?.(webhook(''))).toEqual([
      { apiVersion: 'v1', kind: 'Endpoints', namespace: 'ci', name: 'hook' },
    ]);
    const messages = [
      webhookServing.decide(webhook(''), { now: 0, others: [endpoints([{ ip: '1' }])] }),
      webhookServing.decide(webhook('x'), { now: 0, others: [undefined] }),
      webhookServing.decide(webhook('x'), { now: 0, others: [endpoints([])] }),
      webhookServing.decide(webhook('x'), { now: 0, others: [endpoints([{ ip: '1' }])] }),
    ].map((found) => (found.ready ? 'ready' : found.message));
    expect(messages).toEqual([
      'the webhook a.example.com has no certificate yet',
      'no ready endpoint behind the service ci/hook',
      'no ready endpoint behind the service ci/hook',
      'ready',
    ]);
  });
});
