import { expect, it } from 'vitest';
import { decodeProtobuf } from './decode-protobuf.ts';
import { encodeProtobuf, encodeProtobufEvent, encodeProtobufList, type Kinded } from './encode-protobuf.ts';

/** Objects, and the bytes that Go's encoder writes for them. */
const recorded: readonly (readonly [string, Kinded & Readonly<Record<string, unknown>>, readonly string[]])[] = [
  [
    'maps in the order of their keys, and bytes',
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'c', labels: { b: '2', a: '1', é: 'ü' } },
      data: { k: 'v' },
      binaryData: { z: 'AAEC' },
      immutable: false,
    },
    [
      'azhzAAoPCgJ2MRIJQ29uZmlnTWFwEkEKKwoBYxIAGgAiACoAMgA4AEIAWgYKAWESATFaBgoBYhIBMloICgLDqRICw7wSBgoBaxIBdhoICgF6Eg',
      'MAAQIgABoAIgA=',
    ],
  ],
  [
    'managed fields, quantities, ports and a negative number',
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: 'p',
        creationTimestamp: '2024-05-01T12:00:00Z',
        managedFields: [
          {
            manager: 'm',
            operation: 'Apply',
            time: '2024-05-01T12:00:01Z',
            fieldsType: 'FieldsV1',
            fieldsV1: { 'f:spec': {} },
          },
        ],
      },
      spec: {
        containers: [
          {
            name: 'c',
            image: 'i',
            ports: [{ containerPort: 8080 }],
            resources: { limits: { cpu: '500m', memory: '1Gi' } },
            livenessProbe: { httpGet: { port: 'http' }, periodSeconds: 10 },
          },
        ],
        terminationGracePeriodSeconds: -1,
      },
    },
    [
      'azhzAAoJCgJ2MRIDUG9kEvsBCk8KAXASABoAIgAqADIAOABCCAjA3cixBhAAigEzCgFtEgVBcHBseRoAIggIwd3IsQYQADIIRmllbGRzVjE6Dw',
      'oNeyJmOnNwZWMiOnt9fUIAEpIBEmkKAWMSAWkqADILCgAQABiQPyIAKgBCIAoNCgNjcHUSBgoENTAwbQoPCgZtZW1vcnkSBQoDMUdpUiAKFBIS',
      'CgASCggBEAAaBGh0dHAaACIAEAAYACAKKAAwAGoAcgCAAQCIAQCQAQCiAQAaACD///////////8BMgBCAEoAUgBYAGAAaACCAQCKAQCaAQDCAQ',
      'AaEwoAGgAiACoAMgBKAFoAcgCIAQAaACIA',
    ],
  ],
  [
    'a time with microseconds',
    {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'l' },
      spec: { renewTime: '2024-05-01T12:00:00.123456Z', leaseDurationSeconds: 15 },
    },
    ['azhzAAofChZjb29yZGluYXRpb24uazhzLmlvL3YxEgVMZWFzZRIkChEKAWwSABoAIgAqADIAOABCABIPEA8iCwjA3cixBhCAlO86GgAiAA=='],
  ],
  [
    'schemas that are one of several things',
    {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'a.b.c' },
      spec: {
        group: 'b.c',
        names: { plural: 'a', kind: 'A' },
        scope: 'Namespaced',
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                type: 'object',
                additionalProperties: false,
                default: { x: 1 },
                properties: { n: { type: 'number', minimum: 0.5, items: { type: 'string' } } },
              },
            },
          },
        ],
      },
    },
    [
      'azhzAAozChdhcGlleHRlbnNpb25zLms4cy5pby92MRIYQ3VzdG9tUmVzb3VyY2VEZWZpbml0aW9uEuwBChUKBWEuYi5jEgAaACIAKgAyADgAQg',
      'ASxAEKA2IuYxoKCgFhEgAiAUEqACIKTmFtZXNwYWNlZDqiAQoCdjEQARgBIpUBCpIBCgASACIAKgZvYmplY3QyADoAQgkKB3sieCI6MX1QAGAA',
      'egCQAQDqAVsKAW4SVgoAEgAiACoGbnVtYmVyMgA6AFAAWQAAAAAAAOA/YAB6AJABAMIBJgokCgASACIAKgZzdHJpbmcyADoAUABgAHoAkAEAqA',
      'IAuAIAwAIAqAIAuAIAwAIA8gECCACoAgC4AgDAAgA4AFAAGgwSCAoAEgAiACoAIAAaACIA',
    ],
  ],
  [
    'lists as values of a map',
    {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      metadata: {},
      spec: { user: 'u', extra: { scopes: ['a', 'b'] }, resourceAttributes: { verb: 'get', resource: 'pods' } },
      status: { allowed: true },
    },
    [
      'azhzAAouChdhdXRob3JpemF0aW9uLms4cy5pby92MRITU3ViamVjdEFjY2Vzc1JldmlldxJMChAKABIAGgAiACoAMgA4AEIAEi4KFQoAEgNnZX',
      'QaACIAKgRwb2RzMgA6ABoBdSoQCgZzY29wZXMSBgoBYQoBYjIAGggIARIAGgAgABoAIgA=',
    ],
  ],
  [
    'numbers or names of ports',
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 's' },
      spec: {
        ports: [
          { port: 80, targetPort: 8080 },
          { port: 443, targetPort: 'tls' },
        ],
      },
    },
    [
      'azhzAAoNCgJ2MRIHU2VydmljZRJSChEKAXMSABoAIgAqADIAOABCABI5ChEKABIAGFAiBwgAEJA/GgAoAAoUCgASABi7AyIJCAEQABoDdGxzKA',
      'AaACIAOgBCAFIAWgBgAGgAGgIKABoAIgA=',
    ],
  ],
  [
    'an error',
    {
      apiVersion: 'v1',
      kind: 'Status',
      metadata: {},
      status: 'Failure',
      message: 'no',
      reason: 'NotFound',
      details: { name: 'x', causes: [{ reason: 'r', message: 'm', field: 'f' }] },
      code: 404,
    },
    [
      'azhzAAoMCgJ2MRIGU3RhdHVzEjoKBgoAEgAaABIHRmFpbHVyZRoCbm8iCE5vdEZvdW5kKhYKAXgSABoAIgkKAXISAW0aAWYoADIAMJQDGgAiAA',
      '==',
    ],
  ],
  [
    'a list',
    {
      apiVersion: 'v1',
      kind: 'ConfigMapList',
      metadata: { resourceVersion: '7', remainingItemCount: 3 },
      items: [{ metadata: { name: 'a' } }, { metadata: { name: 'b' }, data: { k: 'v' } }],
    },
    [
      'azhzAAoTCgJ2MRINQ29uZmlnTWFwTGlzdBI9CgkKABIBNxoAIAMSEwoRCgFhEgAaACIAKgAyADgAQgASGwoRCgFiEgAaACIAKgAyADgAQgASBg',
      'oBaxIBdhoAIgA=',
    ],
  ],
];

it.each(recorded)('writes %s as Go does', (_title, object, base64) => {
  expect(encodeProtobuf(object).toString('base64')).toBe(base64.join(''));
});

it('writes a long list in pieces that make the same bytes', () => {
  const items = Array.from({ length: 3000 }, (_, index) => ({
    metadata: { name: `c${index}` },
    data: { k: 'x'.repeat(50) },
  }));
  const list = { apiVersion: 'v1', kind: 'ConfigMapList', metadata: { resourceVersion: '7' }, items };
  const pieces = [...encodeProtobufList(list)];
  expect(pieces.length).toBeGreaterThan(5);
  expect(Buffer.concat(pieces).equals(encodeProtobuf(list))).toBe(true);
});

it('writes a very long list as it writes a short one', () => {
  const items = Array.from({ length: 3000 }, (_, index) => ({
    metadata: { name: `c${index}` },
    data: { k: 'x'.repeat(10_000) },
  }));
  const list = { apiVersion: 'v1', kind: 'ConfigMapList', metadata: { resourceVersion: '7' }, items };
  expect(Buffer.concat([...encodeProtobufList(list)]).equals(encodeProtobuf(list))).toBe(true);
});

it('writes the metadata of objects alone', () => {
  const metadata = { name: 'a', uid: 'u' };
  const list = {
    apiVersion: 'meta.k8s.io/v1',
    kind: 'PartialObjectMetadataList',
    metadata: { resourceVersion: '7' },
    items: [{ apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata', metadata }],
  };
  const bytes = encodeProtobuf(list);
  expect(bytes.includes('PartialObjectMetadataList')).toBe(true);
  expect(Buffer.concat([...encodeProtobufList(list)]).equals(bytes)).toBe(true);
});

it('writes an event as a frame with its length', () => {
  const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' } };
  const frame = encodeProtobufEvent('ADDED', object);
  expect(frame.readUInt32BE(0)).toBe(frame.length - 4);
  expect(frame.subarray(4, 11).toString('latin1')).toBe('\n\x05ADDED');
  const start = frame.indexOf('k8s\0');
  expect(decodeProtobuf(frame.subarray(start))).toMatchObject(object);
});
