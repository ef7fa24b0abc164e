import { describe, expect, it } from 'vitest';
import { formatBadValue, formatFieldErrors, invalid, quoteGo, tooLong, tooMany } from './field-error.ts';
import { compareVersions } from './group-version-kind.ts';
import { cloneJson, deepFreeze, equalJson } from './object.ts';
import { controllerOf, controllerReference, hasOwner, isControlledBy } from './owner-reference.ts';
import { invalidObjectError, isStatusError } from './status-error.ts';

describe('objects', () => {
  it('copies JSON deeply, also a key named __proto__', () => {
    const original = JSON.parse('{"a":[{"b":1}],"__proto__":{"polluted":true}}') as Record<string, unknown>;
    const copy = cloneJson(deepFreeze(original));
    expect(JSON.stringify(copy)).toBe(JSON.stringify(original));
    expect((copy as { polluted?: boolean }).polluted).toBeUndefined();
    expect(equalJson(copy, original)).toBe(true);
  });

  it('compares JSON regardless of the order of keys', () => {
    expect(equalJson({ a: 1, b: [1, { c: null }] }, { b: [1, { c: null }], a: 1 })).toBe(true);
    expect(equalJson({ a: 1 }, { a: 1, b: undefined })).toBe(true);
    expect(equalJson([1, 2], [2, 1])).toBe(false);
    expect(equalJson({ a: {} }, { a: [] })).toBe(false);
  });

  it('sorts versions as Kubernetes prefers them', () => {
    const versions = ['foo', 'v1alpha1', 'v2', 'v1', 'v1beta2', 'v10', 'v1beta10', 'bar'];
    expect(versions.sort(compareVersions)).toEqual([
      'v10',
      'v2',
      'v1',
      'v1beta10',
      'v1beta2',
      'v1alpha1',
      'bar',
      'foo',
    ]);
  });

  it('knows its owner by uid', () => {
    const owner = { apiVersion: 'v1', kind: 'Parent', metadata: { name: 'p', uid: '1' } };
    const child = { metadata: { ownerReferences: [controllerReference(owner)] } };
    expect(controllerOf(child)?.name).toBe('p');
    expect(isControlledBy(child, owner)).toBe(true);
    expect(hasOwner(child, { ...owner, metadata: { name: 'p', uid: '2' } })).toBe(false);
  });
});

describe('field errors', () => {
  it.each([
    [null, 'null'],
    ['a"b\n', '"a\\"b\\n"'],
    ['\u00ad\u{1f600}ä\u{e0001}', '"\\u00ad😀ä\\U000e0001"'],
    [1.5, '1.5'],
    [0.00001, '1e-05'],
    [1e21, '1e+21'],
    [{ a: '<b>' }, '{"a":"\\u003cb\\u003e"}'],
  ])('prints %j as Go does', (value, printed) => {
    expect(formatBadValue(value)).toBe(printed);
  });

  it('counts in singular and plural', () => {
    expect(tooLong('a', 1).message).toBe('Too long: may not be more than 1 byte');
    expect(tooMany('a', 3, 2).message).toBe('Too many: 3: must have at most 2 items');
    expect(quoteGo('\x00')).toBe('"\\x00"');
  });

  it('become the causes of a Status, each said once', () => {
    const errors = [invalid('a', 1, 'bad'), invalid('a', 1, 'bad'), invalid('b', 'x', 'bad')];
    expect(formatFieldErrors(errors)).toBe('[a: Invalid value: 1: bad, b: Invalid value: "x": bad]');
    const error = invalidObjectError('apps', 'Deployment', 'web', errors);
    expect(isStatusError(error, 'Invalid')).toBe(true);
    expect(error.status.details?.causes).toHaveLength(3);
    expect(error.message).toContain('Deployment.apps "web" is invalid: [a:');
  });
});
