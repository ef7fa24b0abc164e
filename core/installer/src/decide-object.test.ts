import { goJson } from '@tektite/go';
import { sha256Hex } from '@tektite/manifest';
import { controllerReference, type DynamicObject } from '@tektite/meta';
import { describe, expect, it } from 'vitest';
import { decideObject } from './decide-object.ts';
import { connectorsDialect, tektonDialect } from './dialects/test-support.ts';
import { contentHash, hashMethod, wholeObjectHash } from './method/hash-method.ts';
import { ownedBySet, withOwners } from './owner-rule.ts';
import { configMap, definition } from './test-support.ts';

const self = { apiVersion: 'example.com/v1', kind: 'Set', metadata: { name: 'set', uid: 'u1' } };
const other = { ...self, metadata: { name: 'other', uid: 'u2' } };
const now = Date.parse('2026-01-01T00:01:00Z');
const annotation = 'example.com/hash';
const method = hashMethod({ annotation });
const prepared = (object: DynamicObject) => method.prepare(withOwners(object, tektonDialect.owners, self), {});
const dying = (object: DynamicObject, since: string, owner?: typeof self): DynamicObject => ({
  ...object,
  metadata: {
    ...object.metadata,
    deletionTimestamp: since,
    ...(owner ? { ownerReferences: [controllerReference(owner)] } : {}),
  },
});

describe('what is done about an object', () => {
  const map = configMap('a');
  const crd = definition('things', 'Thing');
  it.each([
    ['that is not there', map, undefined, 'create'],
    ['that is as it was applied, whatever users did to it', map, { ...prepared(map), data: { a: 'mine' } }, 'none'],
    ['that has no hash', map, map, 'change'],
    ['that this set made and that is being deleted', map, dying(map, '2026-01-01T00:00:00Z', self), 'wait'],
    ['that another set made and deletes', map, dying(map, '2026-01-01T00:00:00Z', other), 'skip'],
    ['a definition that is being deleted', crd, dying(crd, '2026-01-01T00:00:45Z'), 'skip'],
    ['a definition that is stuck', crd, dying(crd, '2026-01-01T00:00:15Z'), 'release'],
  ] as const)('decides about one %s', (_what, object, live, expected) => {
    expect(decideObject({ self, prepared: prepared(object), live, now }, method, tektonDialect).type).toBe(expected);
  });

  it('is denied for objects of another owner, unless a label allows it', () => {
    const decide = (live: DynamicObject) =>
      decideObject({ self, prepared: prepared(map), live, now }, method, connectorsDialect);
    expect(decide(map)).toMatchObject({
      type: 'refuse',
      denial: { message: expect.stringContaining('add label cpaas.io/managed-by=connectors-operator') as string },
    });
    const labels = { 'cpaas.io/managed-by': 'connectors-operator' };
    expect(decide({ ...map, metadata: { ...map.metadata, labels } }).type).toBe('change');
  });
});

describe('hashes', () => {
  it('of whole objects are those that Go makes, owners included', () => {
    const owned = withOwners(configMap('a', { text: '<a & b>' }), ownedBySet(), self);
    const text =
      '{"apiVersion":"v1","data":{"text":"\\u003ca \\u0026 b\\u003e"},"kind":"ConfigMap","metadata":{"name":"a","namespace":"default",' +
      '"ownerReferences":[{"apiVersion":"example.com/v1","blockOwnerDeletion":true,"controller":true,"kind":"Set","name":"set","uid":"u1"}]}}';
    expect(goJson(owned)).toBe(text);
    expect(wholeObjectHash(owned)).toBe(sha256Hex(text));
  });

  it('of contents are the same for other owners, and after they were written into the object', () => {
    const hash = contentHash(annotation);
    const object = configMap('a');
    const own = hashMethod({ annotation, hash });
    const live = { ...own.prepare(withOwners(object, ownedBySet(), self), {}), status: { phase: 'x' } };
    expect(hash(live)).toBe(hash(object));
    expect(hash(withOwners(object, ownedBySet(), other))).toBe(hash(object));
    expect(hash(configMap('a', { a: '2' }))).not.toBe(hash(object));
  });
});

describe('owners', () => {
  const rule = ownedBySet({ setOwner: ['Namespace'], asWritten: ['Secret'], none: ['Role'] });
  const object = (kind: string): DynamicObject => ({
    apiVersion: 'v1',
    kind,
    metadata: { name: 'x', ownerReferences: [controllerReference(other)] },
  });
  const owned = {
    ...self,
    metadata: { ...self.metadata, ownerReferences: [{ ...controllerReference(other), uid: 'u3' }] },
  };

  it.each([
    ['ConfigMap', self, ['u1']],
    ['Secret', self, ['u2']],
    ['Role', self, undefined],
    ['Namespace', owned, ['u3']],
    ['Namespace', self, ['u2']],
  ])('of a %s', (kind, set, expected) => {
    const found = withOwners(object(kind), rule, set).metadata.ownerReferences;
    expect(found?.map(({ uid }) => uid)).toEqual(expected);
  });
});
