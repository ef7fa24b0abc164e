import { decodeJson } from '@tektite/go';
import { findBuiltinKind } from '@tektite/schema/kubernetes';
import { describe, expect, test } from 'vitest';
import { decodeObject, normalizeObject } from './decode-object.ts';

const groups: Record<string, [string, string]> = {
  Deployment: ['apps', 'v1'],
  Role: ['rbac.authorization.k8s.io', 'v1'],
  CustomResourceDefinition: ['apiextensions.k8s.io', 'v1'],
  Lease: ['coordination.k8s.io', 'v1'],
  StatefulSet: ['apps', 'v1'],
  PodDisruptionBudget: ['policy', 'v1'],
  ControllerRevision: ['apps', 'v1'],
  ValidatingWebhookConfiguration: ['admissionregistration.k8s.io', 'v1'],
};

function definitionOf(kind: string) {
  const [group, version] = groups[kind] ?? ['', 'v1'];
  return findBuiltinKind(group, version, kind)!.definition;
}

function decode(kind: string, body: unknown) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return decodeObject(definitionOf(kind), decodeJson(new TextEncoder().encode(text), { keepNumbers: true }));
}

describe('values of a wrong type are refused in the words of Go', () => {
  const container = (more: object) => ({ spec: { containers: [{ name: 'c', ...more }] } });
  test.each<[string, unknown, string]>([
    [
      'ConfigMap',
      { data: { x: 1 } },
      'json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
    ],
    [
      'ConfigMap',
      { data: ['x'] },
      'json: cannot unmarshal array into Go struct field ConfigMap.data of type map[string]string',
    ],
    [
      'ConfigMap',
      { metadata: 'x' },
      'json: cannot unmarshal string into Go struct field ConfigMap.metadata of type v1.ObjectMeta',
    ],
    [
      'ConfigMap',
      { metadata: { name: 5 } },
      'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.name of type string',
    ],
    [
      'ConfigMap',
      { metadata: { uid: true } },
      'json: cannot unmarshal bool into Go struct field ObjectMeta.metadata.uid of type types.UID',
    ],
    [
      'Pod',
      container({ ports: [{ containerPort: '80' }] }),
      'json: cannot unmarshal string into Go struct field ContainerPort.spec.containers.ports.containerPort of type int32',
    ],
    [
      'Pod',
      container({ ports: [{ containerPort: 2147483648 }] }),
      'json: cannot unmarshal number 2147483648 into Go struct field ContainerPort.spec.containers.ports.containerPort of type int32',
    ],
    [
      'Pod',
      { spec: { terminationGracePeriodSeconds: 1.5 } },
      'json: cannot unmarshal number 1.5 into Go struct field PodSpec.spec.terminationGracePeriodSeconds of type int64',
    ],
    [
      'Pod',
      '{"spec":{"terminationGracePeriodSeconds":1.0}}',
      'json: cannot unmarshal number 1.0 into Go struct field PodSpec.spec.terminationGracePeriodSeconds of type int64',
    ],
    [
      'Pod',
      '{"spec":{"priority":1e2}}',
      'json: cannot unmarshal number 1e2 into Go struct field PodSpec.spec.priority of type int32',
    ],
    [
      'Pod',
      { spec: { containers: {} } },
      'json: cannot unmarshal object into Go struct field PodSpec.spec.containers of type []v1.Container',
    ],
    [
      'Pod',
      { spec: { restartPolicy: 1 } },
      'json: cannot unmarshal number into Go struct field PodSpec.spec.restartPolicy of type v1.RestartPolicy',
    ],
    [
      'Pod',
      { spec: { hostNetwork: 'yes' } },
      'json: cannot unmarshal string into Go struct field PodSpec.spec.hostNetwork of type bool',
    ],
    [
      'Pod',
      { spec: { volumes: [{ hostPath: 'x' }] } },
      'json: cannot unmarshal string into Go struct field Volume.spec.volumes.VolumeSource.hostPath of type v1.HostPathVolumeSource',
    ],
    [
      'Pod',
      container({ resources: { limits: [] } }),
      'json: cannot unmarshal array into Go struct field ResourceRequirements.spec.containers.resources.limits of type v1.ResourceList',
    ],
    [
      'Pod',
      container({ resources: { limits: { cpu: 'lots' } } }),
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
    [
      'Pod',
      container({ livenessProbe: { httpGet: { port: 1.5 } } }),
      'json: cannot unmarshal number 1.5 into Go struct field HTTPGetAction.spec.containers.livenessProbe.ProbeHandler.httpGet.port of type int32',
    ],
    [
      'ConfigMap',
      { metadata: { creationTimestamp: 'yesterday' } },
      'parsing time "yesterday" as "2006-01-02T15:04:05Z07:00": cannot parse "yesterday" as "2006"',
    ],
    [
      'ConfigMap',
      { metadata: { creationTimestamp: 5 } },
      'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.creationTimestamp of type string',
    ],
    [
      'Lease',
      { spec: { renewTime: '2024-01-01T00:00:00.5Z' } },
      'parsing time "2024-01-01T00:00:00.5Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse ".5Z" as ".000000"',
    ],
    ['Secret', { data: { a: 'not base64!' } }, 'illegal base64 data at input byte 3'],
    ['Secret', { data: { a: 'YQ=' } }, 'illegal base64 data at input byte 3'],
    ['Secret', { data: { a: 'YWJ' } }, 'illegal base64 data at input byte 0'],
    ['Secret', { data: { a: 5 } }, 'json: cannot unmarshal number into Go struct field Secret.data of type []uint8'],
    [
      'CustomResourceDefinition',
      { spec: { versions: [{ schema: { openAPIV3Schema: { additionalProperties: 1 } } }] } },
      'boolean or JSON schema expected',
    ],
    [
      'CustomResourceDefinition',
      { spec: { versions: [{ schema: { openAPIV3Schema: { items: { properties: { a: { type: 1 } } } } } }] } },
      'json: cannot unmarshal number into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.items.properties.type of type string',
    ],
  ])('%s %j', (kind, body, message) => {
    expect(() => decode(kind, body)).toThrow(expect.objectContaining({ message }));
  });

  test('the first wrong type counts, but a value that no type understands counts more', () => {
    expect(() => decode('Pod', { spec: { priority: 'x', hostname: 5 } })).toThrow('PodSpec.spec.priority');
    expect(() => decode('Pod', { spec: { priority: 'x', overhead: { cpu: 'y' } } })).toThrow('quantities must match');
  });
});

describe('an object is decoded into what Go would print', () => {
  test('with everything that has no omitempty', () => {
    expect(decode('Pod', { metadata: { name: 'a' } }).object).toEqual({
      metadata: { name: 'a' },
      spec: { containers: null },
      status: {},
    });
    expect(decode('Deployment', {}).object).toEqual({
      metadata: {},
      spec: { selector: null, template: { metadata: {}, spec: { containers: null } }, strategy: {} },
      status: {},
    });
    expect(decode('Role', {}).object).toEqual({ metadata: {}, rules: null });
    expect(decode('Role', { rules: [] }).object).toEqual({ metadata: {}, rules: [] });
  });

  test('without zero values, except behind pointers', () => {
    const spec = {
      replicas: 0,
      minReadySeconds: 0,
      paused: false,
      template: { spec: { hostNetwork: false, hostUsers: false, nodeName: '', hostname: 'x' } },
    };
    expect(decode('Deployment', { spec }).object.spec).toEqual({
      replicas: 0,
      selector: null,
      strategy: {},
      template: { metadata: {}, spec: { containers: null, hostUsers: false, hostname: 'x' } },
    });
  });

  test('without null, empty lists and empty maps where they may be left out', () => {
    expect(
      decode('ConfigMap', { metadata: { labels: {}, annotations: null, finalizers: [] }, data: {}, immutable: null })
        .object,
    ).toEqual({ metadata: {} });
    expect(
      decode('Pod', { spec: { containers: [null, { name: 'a', args: [null, 'x'] }], nodeSelector: { a: null } } })
        .object.spec,
    ).toEqual({
      containers: [
        { name: '', resources: {} },
        { name: 'a', args: ['', 'x'], resources: {} },
      ],
      nodeSelector: { a: '' },
    });
  });

  test('with times, quantities and base64 in their usual form', () => {
    const resources = { limits: { cpu: 0.5, memory: '1024Mi' }, requests: { cpu: '0.1', memory: 1000 } };
    const { object } = decode('Pod', {
      metadata: { creationTimestamp: '2024-05-01T12:00:00.9+02:00', deletionTimestamp: null },
      spec: { containers: [{ resources }] },
      status: { conditions: [{ type: 'Ready', status: 'True' }] },
    });
    expect(object).toMatchObject({
      metadata: { creationTimestamp: '2024-05-01T10:00:00Z' },
      spec: {
        containers: [
          { resources: { limits: { cpu: '500m', memory: '1Gi' }, requests: { cpu: '100m', memory: '1k' } } },
        ],
      },
      status: { conditions: [{ type: 'Ready', status: 'True', lastProbeTime: null, lastTransitionTime: null }] },
    });
    expect(object.metadata).not.toHaveProperty('deletionTimestamp');
    expect(decode('Secret', { data: { a: 'YQ\n==', b: '', c: 'YR==' } }).object.data).toEqual({
      a: 'YQ==',
      b: '',
      c: 'YQ==',
    });
    expect(decode('Event', {}).object).toMatchObject({
      eventTime: null,
      firstTimestamp: null,
      source: {},
      reportingComponent: '',
    });
  });

  test('a number keeps its text where the text decides its form', () => {
    const limits = decode('Pod', '{"spec":{"containers":[{"resources":{"limits":{"cpu":1e3}}}]}}').object;
    expect(limits).toMatchObject({ spec: { containers: [{ resources: { limits: { cpu: '1e3' } } }] } });
  });

  test('in the order of the Go struct, maps sorted', () => {
    const { object } = decode('Pod', {
      status: {},
      spec: { nodeName: 'n', containers: [{ image: 'i', name: 'c' }] },
      metadata: { uid: 'u', name: 'a', labels: { b: '1', a: '2' } },
    });
    expect(JSON.stringify(object)).toBe(
      '{"metadata":{"name":"a","uid":"u","labels":{"a":"2","b":"1"}},"spec":{"containers":[{"name":"c","image":"i","resources":{}}],"nodeName":"n"},"status":{}}',
    );
  });

  test('free JSON is kept as it is', () => {
    const schema = {
      type: 'object',
      default: { a: [1.5, null] },
      properties: { a: { items: { type: 'string', bogus: 1 }, enum: [null, 1] } },
    };
    const crd = decode('CustomResourceDefinition', {
      spec: { versions: [{ name: 'v1', schema: { openAPIV3Schema: schema }, subresources: { status: {} } }] },
    });
    expect(crd.object).toMatchObject({
      spec: {
        versions: [
          {
            name: 'v1',
            served: false,
            storage: false,
            schema: {
              openAPIV3Schema: {
                type: 'object',
                default: { a: [1.5, null] },
                properties: { a: { items: { type: 'string' }, enum: [null, 1] } },
              },
            },
            subresources: { status: {} },
          },
        ],
      },
      status: { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: null },
    });
    // The decoder of a list's items is never strict, neither here nor upstream.
    expect(crd.strictErrors).toEqual([]);
  });

  test('that is new, though the input may be frozen and shared', () => {
    const data = Object.freeze({ 'any.key': Object.freeze({ of: 'any value' }) });
    const input = Object.freeze({ metadata: Object.freeze({ labels: Object.freeze({ a: 'b' }) }), data });
    const object = normalizeObject(definitionOf('ControllerRevision'), input) as {
      metadata: { labels: Record<string, string> };
      data: Record<string, unknown>;
    };
    object.metadata.labels.c = 'd';
    object.data['another.key'] = {};
    expect(input).toEqual({ metadata: { labels: { a: 'b' } }, data: { 'any.key': { of: 'any value' } } });
  });

  test('safe from keys like __proto__', () => {
    const { object } = decode('ConfigMap', '{"data":{"__proto__":"x","constructor":"y"},"__proto__":{"data":{}}}');
    expect(Object.keys(object.data as object)).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(object)).toBe(Object.prototype);
  });
});

describe('strict decoding', () => {
  test('names unknown fields by their path, in the order of the document', () => {
    const { strictErrors } = decode('Pod', {
      spec: {
        containers: [{ name: 'c', imagee: 'x', env: [{ name: 'a', valu: 'b' }] }],
        nodeNme: 'x',
        nodeSelector: { anything: 'x' },
      },
      Kind: 'x',
    });
    expect(strictErrors).toEqual([
      'unknown field "spec.containers[0].imagee"',
      'unknown field "spec.containers[0].env[0].valu"',
      'unknown field "spec.nodeNme"',
      'unknown field "Kind"',
    ]);
  });

  test('names duplicate fields where they come, and decodes the second over the first', () => {
    const { object, strictErrors } = decode(
      'ConfigMap',
      '{"bogus":1,"data":{"a":"1","a":"2"},"data":{"b":"3"},"metadata":{"name":"x"},"metadata":{"namespace":"y","zzz":1}}',
    );
    expect(strictErrors).toEqual([
      'unknown field "bogus"',
      'duplicate field "data.a"',
      'duplicate field "data"',
      'duplicate field "metadata"',
      'unknown field "metadata.zzz"',
    ]);
    expect(object).toEqual({ metadata: { name: 'x', namespace: 'y' }, data: { a: '2', b: '3' } });
  });

  test('gives up counting at a hundred', () => {
    const body = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`x${index}`, 1]));
    expect(decode('ConfigMap', body).strictErrors).toHaveLength(100);
  });
});
