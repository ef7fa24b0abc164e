import { describe, expect, it } from 'vitest';
import { created, createErrors, defaulted, objectOf, tableRow, updateErrors } from '../test-support.ts';

const secret = (content: object) => objectOf('v1', 'Secret', content);
const configMap = (content: object) => objectOf('v1', 'ConfigMap', content);
const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('Secrets', () => {
  it.each<[string, object, string[]]>([
    ['opaque', { data: { a: 'YQ==' } }, []],
    [
      'with a bad key',
      { data: { 'a b': 'YQ==' } },
      [
        `data[a b]: Invalid value: "a b": a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')`,
      ],
    ],
    [
      'for TLS, without keys',
      { type: 'kubernetes.io/tls' },
      ['data[tls.crt]: Required value', 'data[tls.key]: Required value'],
    ],
    [
      'for registries, without configuration',
      { type: 'kubernetes.io/dockerconfigjson' },
      ['data[.dockerconfigjson]: Required value'],
    ],
    [
      'for registries, with no JSON',
      { type: 'kubernetes.io/dockerconfigjson', data: { '.dockerconfigjson': base64('nope') } },
      [
        "data[.dockerconfigjson]: Invalid value: \"<secret contents redacted>\": invalid character 'o' in literal null (expecting 'u')",
      ],
    ],
    [
      'for service accounts, without a name',
      { type: 'kubernetes.io/service-account-token' },
      ['metadata.annotations[kubernetes.io/service-account.name]: Required value'],
    ],
    ['for SSH, without a key', { type: 'kubernetes.io/ssh-auth' }, ['data[ssh-privatekey]: Required value']],
  ])('are validated: %s', (_, content, expected) => expect(createErrors(secret(content))).toEqual(expected));

  it('keep their type', () => {
    expect(
      updateErrors(secret({ type: 'a' }), (object) => {
        object.type = 'b';
      }),
    ).toEqual(['type: Invalid value: "b": field is immutable']);
  });

  it('that are immutable stay as they are', () => {
    expect(
      updateErrors(secret({ immutable: true, data: { a: 'YQ==' } }), (object) => {
        object.data = { a: 'Yg==' };
      }),
    ).toEqual(['data: Forbidden: field is immutable when `immutable` is set']);
  });
});

describe('ConfigMaps', () => {
  it('have a key once', () => {
    expect(createErrors(configMap({ data: { a: 'x' }, binaryData: { a: 'eA==' } }))).toEqual([
      'data[a]: Invalid value: "a": duplicate of key present in binaryData',
    ]);
  });

  it('that are immutable stay so', () => {
    expect(
      updateErrors(configMap({ immutable: true }), (object) => {
        delete object.immutable;
      }),
    ).toEqual(['immutable: Forbidden: field is immutable when `immutable` is set']);
  });

  it('print the number of their values and their age', () => {
    expect(tableRow(created(configMap({ data: { a: '1', b: '2' } })))).toEqual(['x', 2, '60m']);
  });
});

describe('other kinds', () => {
  it('a LimitRange defaults to its limits', () => {
    const { spec } = defaulted(
      objectOf('v1', 'LimitRange', { spec: { limits: [{ type: 'Container', max: { cpu: '1' } }] } }),
    );
    expect(spec.limits[0]).toEqual({
      type: 'Container',
      max: { cpu: '1' },
      default: { cpu: '1' },
      defaultRequest: { cpu: '1' },
    });
  });

  it('a ResourceQuota counts what can be counted', () => {
    expect(
      createErrors(objectOf('v1', 'ResourceQuota', { spec: { hard: { nope: '1' } } })).map(
        (error) => error.split(':')[0],
      ),
    ).toEqual(['spec.hard[nope]', 'spec.hard[nope]']);
  });

  it('a claim keeps its class', () => {
    const claim = objectOf('v1', 'PersistentVolumeClaim', {
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, storageClassName: 'a' },
    });
    const errors = updateErrors(claim, (object) => {
      object.spec.storageClassName = 'b';
    });
    expect(errors[0]).toMatch(/^spec: Forbidden: spec is immutable after creation except resources\.requests/);
  });

  it('a Namespace has a finalizer in its spec', () => {
    expect(created(objectOf('v1', 'Namespace', {})).spec).toEqual({ finalizers: ['kubernetes'] });
  });
});
