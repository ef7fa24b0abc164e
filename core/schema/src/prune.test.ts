import { FieldPath, formatFieldError, invalid } from '@tektite/meta';
import { describe, expect, it } from 'vitest';
import { applyDefaults, pruneNulls } from './default.ts';
import { coerceEmbedded, type MetadataRules, validateEmbedded } from './embedded-resource.ts';
import { prune } from './prune.ts';
import type { JsonSchema } from './structural-schema.ts';

const object = (properties: Record<string, JsonSchema>): JsonSchema => ({ type: 'object', properties });

describe('prune', () => {
  const schema = object({
    spec: object({
      a: { type: 'string' },
      free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { typed: object({ k: {} }) } },
      list: { type: 'array', items: object({ k: { type: 'string' } }) },
      map: { type: 'object', additionalProperties: object({ k: {} }) },
      loose: { type: 'object', additionalProperties: true },
      emb: { type: 'object', 'x-kubernetes-embedded-resource': true, properties: { spec: object({}) } },
    }),
  });

  it('removes what the schema does not specify, and returns the removed paths', () => {
    const value = {
      apiVersion: 'v1',
      kind: 'K',
      metadata: { anything: 1 },
      top: 1,
      spec: {
        a: '1',
        bogus: 1,
        free: { x: { y: 1 }, typed: { k: 1, z: 1 } },
        list: [{ k: 'x', z: 1 }],
        map: { m: { k: 1, z: 1 } },
        loose: { s: 1, o: { gone: 1 } },
        emb: { apiVersion: 'v1', metadata: { m: 1 }, spec: { x: 1 }, y: 1 },
      },
    };
    const removed: string[] = [];
    prune(value, schema, { isResourceRoot: true, removed });
    expect(value).toEqual({
      apiVersion: 'v1',
      kind: 'K',
      metadata: { anything: 1 },
      spec: {
        a: '1',
        free: { x: { y: 1 }, typed: { k: 1 } },
        list: [{ k: 'x' }],
        map: { m: { k: 1 } },
        loose: { s: 1, o: {} },
        emb: { apiVersion: 'v1', metadata: { m: 1 }, spec: {} },
      },
    });
    expect(removed).toEqual([
      'spec.bogus',
      'spec.emb.spec.x',
      'spec.emb.y',
      'spec.free.typed.z',
      'spec.list[0].z',
      'spec.loose.o.gone',
      'spec.map.m.z',
      'top',
    ]);
  });

  it('does not take a name from the prototype for a property', () => {
    const value = JSON.parse('{"spec":{"constructor":1,"__proto__":{"x":1}}}') as { spec: object };
    prune(value, schema);
    expect(Object.keys(value.spec)).toEqual([]);
  });
});

describe('defaults', () => {
  const schema = object({
    spec: {
      type: 'object',
      default: {},
      properties: {
        a: { type: 'string', default: 'x' },
        n: { type: 'string', nullable: true, default: 'y' },
        plain: { type: 'string' },
        list: { type: 'array', items: object({ p: { default: 1 } }) },
        map: {
          type: 'object',
          additionalProperties: { type: 'object', default: { q: 0 }, properties: { p: { default: 2 } } },
        },
      },
    },
  });

  it('are filled in, also inside of a default', () => {
    const value: Record<string, unknown> = {};
    applyDefaults(value, schema);
    expect(value).toEqual({ spec: { a: 'x', n: 'y' } });
  });

  it('replace a null that is not allowed, and keep one that is', () => {
    const value = { spec: { a: null, n: null, plain: null, list: [{}, null], map: { k: null, m: {} } } };
    pruneNulls(value, schema);
    applyDefaults(value, schema);
    expect(value).toEqual({
      spec: { a: 'x', n: null, list: [{ p: 1 }, null], map: { k: { q: 0, p: 2 }, m: { p: 2 } } },
    });
  });

  it('are copies: changing an object does not change the schema', () => {
    const [first, second] = [{} as { spec?: { a: string } }, {} as { spec?: { a: string } }];
    applyDefaults(first, schema);
    if (first.spec) first.spec.a = 'changed';
    applyDefaults(second, schema);
    expect(second.spec?.a).toBe('x');
  });
});

describe('embedded resources', () => {
  const schema = object({
    emb: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
  });
  const rules: MetadataRules = {
    decode(metadata) {
      if (typeof metadata !== 'object' || metadata === null) return 'not an object';
      const { bogus, ...known } = metadata as Record<string, unknown>;
      return { metadata: known, unknown: bogus === undefined ? [] : ['bogus'] };
    },
    validate: (metadata, path) => (metadata['name'] === 'bad' ? [invalid(path.child('name'), 'bad', 'is bad')] : []),
  };

  it('must say what they are', () => {
    expect(validateEmbedded({ emb: { metadata: { name: 'bad' } } }, schema, rules).map(formatFieldError)).toEqual([
      'emb.apiVersion: Required value',
      'emb.kind: Required value',
      'emb.metadata.name: Invalid value: "bad": is bad',
    ]);
    expect(validateEmbedded({ emb: { apiVersion: 'a/b/c', kind: '' } }, schema, rules).map(formatFieldError)).toEqual([
      'emb.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
      'emb.kind: Invalid value: "": must not be empty',
    ]);
  });

  it('lose unknown metadata, and must be readable', () => {
    const value = { emb: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x', bogus: 1 } } };
    const unknown: string[] = [];
    expect(coerceEmbedded(value, schema, { rules, unknown })).toBeUndefined();
    expect(value.emb.metadata).toEqual({ name: 'x' });
    expect(unknown).toEqual(['emb.metadata.bogus']);
    expect(coerceEmbedded({ emb: { apiVersion: 5 } }, schema, { rules }, FieldPath.of('spec'))).toMatchObject({
      field: 'spec.emb.apiVersion',
      message: 'Invalid value: 5: must be a string',
    });
  });
});
