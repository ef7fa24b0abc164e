import { describe, expect, it } from 'vitest';
import { created, createErrors, defaulted, objectOf, tableRow, updateErrors } from '../test-support.ts';

const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
const workload = (kind: string, spec: object = {}) =>
  objectOf('apps/v1', kind, { spec: { selector: { matchLabels: { app: 'a' } }, template, ...spec } });

describe('a new workload is refused', () => {
  it.each<[string, string, object, string[]]>([
    ['Deployment', 'for nothing', {}, []],
    [
      'Deployment',
      'when it does not select its Pods',
      { selector: { matchLabels: { app: 'b' } } },
      ['spec.template.metadata.labels: Invalid value: {"app":"a"}: `selector` does not match template `labels`'],
    ],
    [
      'Deployment',
      'when it replaces no Pods at all',
      { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } },
      ['spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0'],
    ],
    [
      'Deployment',
      'when its Pods end',
      { template: { ...template, spec: { ...template.spec, restartPolicy: 'Never' } } },
      ['spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"'],
    ],
    [
      'ReplicaSet',
      'with fewer than no Pods',
      { replicas: -1 },
      ['spec.replicas: Invalid value: -1: must be greater than or equal to 0'],
    ],
    [
      'StatefulSet',
      'with an unknown order',
      { podManagementPolicy: 'Nope' },
      ["spec.podManagementPolicy: Invalid value: \"Nope\": must be 'OrderedReady' or 'Parallel'"],
    ],
    [
      'DaemonSet',
      'without a selector',
      { selector: undefined },
      ['spec.template.metadata.labels: Invalid value: {"app":"a"}: `selector` does not match template `labels`'],
    ],
  ])('%s %s', (kind, _, spec, expected) => {
    const errors = createErrors(workload(kind, spec));
    if (expected.length === 0) expect(errors).toEqual([]);
    for (const error of expected) expect(errors).toContain(error);
  });
});

describe('a changed workload', () => {
  it.each([
    [
      'Deployment',
      { selector: { matchLabels: { app: 'b' } } },
      /^spec\.selector: Invalid value: .*: field is immutable$/,
    ],
    [
      'StatefulSet',
      { serviceName: 'other' },
      /^spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden$/,
    ],
  ])('%s keeps %j', (kind, change, pattern) => {
    const errors = updateErrors(workload(kind), (object) => Object.assign(object.spec, change));
    expect(errors.some((error) => pattern.test(error))).toBe(true);
  });
});

it('fills in how a Deployment is rolled out', () => {
  expect(defaulted(workload('Deployment')).spec).toMatchObject({
    replicas: 1,
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
    revisionHistoryLimit: 10,
    progressDeadlineSeconds: 600,
  });
});

it('prints replicas, containers, images and the selector of a Deployment', () => {
  const object = created(workload('Deployment', { replicas: 3 }));
  object.status = { readyReplicas: 1, updatedReplicas: 2, availableReplicas: 1 };
  expect(tableRow(object)).toEqual(['x', '1/3', 2, 1, '60m', 'c', 'i', 'app=a']);
});

it('counts the changes of a DaemonSet in an annotation', () => {
  const annotation = 'deprecated.daemonset.template.generation';
  expect(defaulted(workload('DaemonSet')).metadata.annotations).toEqual({ [annotation]: '0' });
  expect(created(workload('DaemonSet')).metadata.annotations).toEqual({ [annotation]: '1' });
});
