import { expect, it } from 'vitest';
import { created, createErrors, defaulted, objectOf, tableRow, updateErrors } from './test-support.ts';

/** Small kinds, a rule or two of each. */

const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' };

it.each<[string, string, object, string[]]>([
  [
    'autoscaling/v2',
    'HorizontalPodAutoscaler',
    { spec: { minReplicas: 3, maxReplicas: 2, scaleTargetRef } },
    ['spec.maxReplicas: Invalid value: 2: must be greater than or equal to `minReplicas`'],
  ],
  [
    'autoscaling/v1',
    'HorizontalPodAutoscaler',
    { spec: { scaleTargetRef } },
    [
      'spec.maxReplicas: Required value: must be set and greater than 0',
      'spec.maxReplicas: Invalid value: 0: must be greater than or equal to `minReplicas`',
    ],
  ],
  [
    'policy/v1',
    'PodDisruptionBudget',
    { spec: { minAvailable: '120%' } },
    ['spec.minAvailable: Invalid value: "120%": must not be greater than 100%'],
  ],
  [
    'coordination.k8s.io/v1',
    'Lease',
    { spec: { leaseDurationSeconds: 0 } },
    ['spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0'],
  ],
  [
    'scheduling.k8s.io/v1',
    'PriorityClass',
    { value: 2_000_000_000 },
    ['value: Forbidden: maximum allowed value of a user defined priority is 1000000000'],
  ],
  [
    'scheduling.k8s.io/v1',
    'PriorityClass',
    { metadata: { name: 'system-x' }, value: 1 },
    [
      "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: system-x is not a known system priority class",
    ],
  ],
  ['node.k8s.io/v1', 'RuntimeClass', {}, ['handler: Required value']],
  [
    'discovery.k8s.io/v1',
    'EndpointSlice',
    { addressType: 'IPv4', endpoints: [{ addresses: ['::1'] }] },
    [
      'endpoints[0].addresses: Invalid value: "::1": must be an IPv4 address',
      'endpoints[0].addresses[0]: Invalid value: "::1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
    ],
  ],
  [
    'flowcontrol.apiserver.k8s.io/v1',
    'FlowSchema',
    { spec: { matchingPrecedence: 1 } },
    [
      "spec.matchingPrecedence: Invalid value: 1: only the schema named 'exempt' may have matchingPrecedence 1",
      'spec.priorityLevelConfiguration.name: Required value: must reference a priority level',
    ],
  ],
])('%s %s %j is refused', (apiVersion, kind, content, expected) =>
  expect(createErrors(objectOf(apiVersion, kind, content))).toEqual(expected),
);

it('a PriorityClass keeps its value', () => {
  expect(
    updateErrors(objectOf('scheduling.k8s.io/v1', 'PriorityClass', { value: 1 }), (object) => {
      object.value = 2;
    }),
  ).toEqual(['value: Forbidden: may not be changed in an update.']);
});

it('an autoscaler watches processors by default', () => {
  const autoscaler = objectOf('autoscaling/v2', 'HorizontalPodAutoscaler', {
    spec: { maxReplicas: 2, scaleTargetRef, behavior: { scaleDown: { selectPolicy: 'Min' } } },
  });
  expect(defaulted(autoscaler).spec).toMatchObject({
    minReplicas: 1,
    metrics: [{ resource: { name: 'cpu', target: { averageUtilization: 80 } } }],
    behavior: { scaleUp: { selectPolicy: 'Max' }, scaleDown: { selectPolicy: 'Min', policies: [{ type: 'Percent' }] } },
  });
  expect(tableRow(created(autoscaler))).toEqual(['x', 'Deployment/d', 'cpu: <unknown>/80%', '1', 2, 0, '60m']);
});
