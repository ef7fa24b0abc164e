import type { Container, Pod } from '@tektite/schema/kubernetes';
import { expect, test } from 'vitest';
import { fieldValue } from './field-value.ts';
import { resourceValue } from './resource-value.ts';

const container: Container = {
  name: 'c',
  image: 'x',
  resources: { limits: { memory: '100Mi' }, requests: { cpu: '250m' } },
};
const pod: Pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'p',
    namespace: 'ns',
    uid: 'u',
    labels: { b: '2', a: 'say "hi"\n' },
    annotations: { "it's": 'odd' },
  },
  spec: { containers: [container], nodeName: 'n', serviceAccountName: 'sa' },
};
const machine = { cpu: '2', memory: '8Gi', 'ephemeral-storage': '10Gi' };

test.each([
  ['limits.memory', undefined, '104857600'],
  ['limits.memory', '1Mi', '100'],
  ['limits.memory', '1Gi', '1'],
  ['requests.cpu', undefined, '1'],
  ['requests.cpu', '1m', '250'],
  ['limits.cpu', undefined, '2'],
  ['requests.memory', undefined, '0'],
  ['limits.ephemeral-storage', '1Gi', '10'],
])('%s divided by %s is %s', (resource, divisor, expected) => {
  expect(resourceValue(pod, container, { resource, ...(divisor ? { divisor } : {}) }, machine)).toBe(expected);
});

test.each([
  ['metadata.name', 'p'],
  ['metadata.labels', 'a="say \\"hi\\"\\n"\nb="2"'],
  ["metadata.labels['b']", '2'],
  ["metadata.labels['none']", ''],
  ["metadata.annotations['it's']", 'odd'],
  ["metadata.labels['__proto__']", ''],
  ['spec.serviceAccountName', 'sa'],
  ['status.podIPs', '10.0.0.1,fd00::1'],
])('the field %s is %j', (path, expected) => {
  expect(fieldValue(pod, path, { podIPs: ['10.0.0.1', 'fd00::1'], hostIPs: [] })).toBe(expected);
});

test('fields that are not offered are refused', () => {
  expect(() => fieldValue(pod, 'spec.containers', { podIPs: [], hostIPs: [] })).toThrow(
    'unsupported fieldPath: spec.containers',
  );
});
