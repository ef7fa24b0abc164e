import { FieldPath, formatFieldError, type ObjectMeta } from '@tektite/meta';
import { describe, expect, it } from 'vitest';
import { validateObjectMeta, validateObjectMetaUpdate } from './object-meta.ts';

const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

function errorsOf(meta: object, namespaced = true): string[] {
  return validateObjectMeta(meta as ObjectMeta, { namespaced }).map(formatFieldError);
}

describe('metadata of a new object', () => {
  const owner = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u' };
  it.each<[string, object, string[]]>([
    ['is fine', { name: 'a.b', namespace: 'ns' }, []],
    ['lacks a name', { namespace: 'ns' }, ['metadata.name: Required value: name or generateName is required']],
    ['lacks a namespace', { name: 'a' }, ['metadata.namespace: Required value']],
    ['has a bad name', { name: 'A', namespace: 'ns' }, [`metadata.name: Invalid value: "A": ${subdomain}`]],
    [
      'has a prefix that ends in a dash',
      { generateName: 'a-', namespace: 'ns' },
      ['metadata.name: Required value: name or generateName is required'],
    ],
    [
      'has a negative generation',
      { name: 'a', namespace: 'ns', generation: -1 },
      ['metadata.generation: Invalid value: -1: must be greater than or equal to 0'],
    ],
    [
      'has an owner without a uid',
      { name: 'a', namespace: 'ns', ownerReferences: [{ ...owner, uid: '' }] },
      ['metadata.ownerReferences.uid: Invalid value: "": must not be empty'],
    ],
    [
      'has two controllers',
      {
        name: 'a',
        namespace: 'ns',
        ownerReferences: [
          { ...owner, controller: true },
          { ...owner, uid: 'v', name: 'q', controller: true },
        ],
      },
      [
        'metadata.ownerReferences: Invalid value: [{"apiVersion":"v1","kind":"Pod","name":"p","uid":"u","controller":true},{"apiVersion":"v1","kind":"Pod","name":"q","uid":"v","controller":true}]: Only one reference can have Controller set to true. Found "true" in references for Pod/p and Pod/q',
      ],
    ],
  ])('%s', (_, meta, expected) => {
    expect(errorsOf(meta)).toEqual(expected);
  });

  it('has labels and annotations with proper keys', () => {
    const errors = errorsOf({ name: 'a', namespace: 'ns', labels: { 'bad key': 'v' }, annotations: { 'x/y/z': '' } });
    expect(errors.map((error) => error.split(':', 1)[0])).toEqual(['metadata.labels', 'metadata.annotations']);
  });

  it('has no namespace if its kind has none', () => {
    expect(errorsOf({ name: 'a', namespace: 'ns' }, false)).toEqual([
      'metadata.namespace: Forbidden: not allowed on this type',
    ]);
  });
});

describe('changed metadata', () => {
  const old = { name: 'a', namespace: 'ns', uid: 'u', creationTimestamp: '2026-01-01T00:00:00Z', resourceVersion: '1' };
  it.each<[string, object, string[]]>([
    ['is fine', { labels: { a: 'b' } }, []],
    ['has another name', { name: 'b' }, ['metadata.name: Invalid value: "b": field is immutable']],
    ['has another uid', { uid: 'w' }, ['metadata.uid: Invalid value: "w": field is immutable']],
    [
      'lacks the version',
      { resourceVersion: '' },
      ['metadata.resourceVersion: Invalid value: "": must be specified for an update'],
    ],
  ])('%s', (_, change, expected) => {
    const changed = { ...old, ...change } as ObjectMeta;
    expect(validateObjectMetaUpdate(changed, old as ObjectMeta).map(formatFieldError)).toEqual(expected);
  });

  it('gets no new finalizers while it is being deleted', () => {
    const deleting = { ...old, deletionTimestamp: '2026-01-02T00:00:00Z', finalizers: ['example.com/a'] } as ObjectMeta;
    const changed = { ...deleting, finalizers: ['example.com/a', 'example.com/b'] } as ObjectMeta;
    expect(validateObjectMetaUpdate(changed, deleting).map(formatFieldError)).toEqual([
      'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"example.com/b"}',
    ]);
  });
});

it('names the place where it is asked to look', () => {
  const errors = validateObjectMeta({ name: 'a!' } as ObjectMeta, {
    namespaced: false,
    path: FieldPath.of('spec', 'm'),
  });
  expect(errors[0]?.field).toBe('spec.m.name');
});
