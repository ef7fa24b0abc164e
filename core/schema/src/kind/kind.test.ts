import type { KubeObject } from '@tektite/meta';
import { expectTypeOf } from 'expect-type';
import { describe, expect, it } from 'vitest';
import { compileSchema } from '../compiled-schema.ts';
import { applyDefaults } from '../default.ts';
import { validateCustomResourceDefinition } from '../definition/definition-check.ts';
import { defineKind, type ObjectOf } from './kind.ts';
import { customResourceDefinition } from './print-definition.ts';
import { type InferType, s } from './schema-builder.ts';

const metadata = {
  decode: (value: unknown) => ({ metadata: value as Record<string, unknown>, unknown: [] }),
  validate: () => [],
};

const Cache = defineKind({
  group: 'cache.example.com',
  version: 'v1',
  kind: 'Cache',
  shortNames: ['ca'],
  fields: {
    spec: s
      .object({
        size: s.integer({ minimum: 1 }).default(1),
        image: s.string({ maxLength: 100 }),
        mode: s.enum('fast', 'safe').optional(),
        port: s.intOrString().optional(),
        memory: s.quantity().optional(),
        note: s.string().nullable().optional(),
        env: s.map(s.string()).optional(),
        ports: s.list(s.object({ name: s.string(), port: s.integer() }), { keys: ['name'], maxItems: 8 }).optional(),
        tags: s.list(s.string(), { set: true }).optional(),
        template: s.embedded().optional(),
        extra: s.unknown().optional(),
        since: s.time().optional(),
      })
      .rule('self.size < 100', 'must stay small'),
    status: s.object({ ready: s.boolean().optional() }).optional(),
  },
  columns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
  selectableFields: ['.spec.image'],
});
type Cache = ObjectOf<typeof Cache>;

describe('a kind', () => {
  it('has the type of its schema', () => {
    expectTypeOf<Cache>().toExtend<KubeObject>();
    expectTypeOf<Cache['spec']['size']>().toEqualTypeOf<number>();
    expectTypeOf<Cache['spec']['image']>().toEqualTypeOf<string>();
    expectTypeOf<Cache['spec']['mode']>().toEqualTypeOf<'fast' | 'safe' | undefined>();
    expectTypeOf<Cache['spec']['port']>().toEqualTypeOf<number | string | undefined>();
    expectTypeOf<Cache['spec']['note']>().toEqualTypeOf<string | null | undefined>();
    expectTypeOf<Cache['spec']['env']>().toEqualTypeOf<Readonly<Record<string, string>> | undefined>();
    expectTypeOf<NonNullable<Cache['spec']['ports']>[number]>().toEqualTypeOf<{
      readonly name: string;
      readonly port: number;
    }>();
    expectTypeOf<Cache['spec']['extra']>().toEqualTypeOf<unknown>();
    expectTypeOf<Cache['status']>().toEqualTypeOf<{ readonly ready?: boolean } | undefined>();
    const pair = s.object({ a: s.string(), b: s.number().optional() });
    expectTypeOf<InferType<typeof pair>>().toEqualTypeOf<{ readonly a: string; readonly b?: number }>();
  });

  it('refuses values that do not fit its type', () => {
    // @ts-expect-error A default must be a value of the schema.
    s.integer().default('1');
    // @ts-expect-error Values of an enum have one type.
    s.enum('a', 1, {});
    // @ts-expect-error Fields are schemas, never plain types.
    expect(() => s.object({ a: 'string' })).toThrow();
    expect(Cache.plural).toBe('caches');
  });

  it('prints a definition that the server accepts', () => {
    const crd = customResourceDefinition([Cache]);
    expect(crd.metadata.name).toBe('caches.cache.example.com');
    expect(crd.spec.versions[0]).toMatchObject({
      name: 'v1',
      served: true,
      storage: true,
      subresources: { status: {} },
    });
    expect(crd.spec.versions[0]?.schema?.openAPIV3Schema?.required).toEqual(['spec']);
    const withStatus = { ...crd, status: { storedVersions: ['v1'] } };
    expect(validateCustomResourceDefinition(withStatus, metadata)).toEqual([]);
  });

  it('fills in defaults and checks objects', () => {
    const schema = Cache.schema ?? {};
    const object = { spec: { image: 'x' } };
    applyDefaults(object, schema);
    expect(object).toEqual({ spec: { image: 'x', size: 1 } });
    expect(
      compileSchema(schema)
        .validate({ spec: { size: 0 } })
        .map(({ field }) => field),
    ).toEqual(['spec.size', 'spec.image']);
    expect(compileSchema(schema).validate({ spec: { image: 'x', memory: 'lots' } })).toHaveLength(1);
    expect(compileSchema(schema).validate({ spec: { image: 'x', memory: '1.5Gi' } })).toHaveLength(0);
  });

  it('has versions that must belong together', () => {
    const Old = defineKind({
      group: 'cache.example.com',
      version: 'v1beta1',
      kind: 'Cache',
      fields: {},
      deprecated: 'use v1',
    });
    const crd = customResourceDefinition([Cache, Old], { storage: 'v1' });
    expect(
      crd.spec.versions.map(({ name, storage, deprecationWarning }) => [name, storage, deprecationWarning]),
    ).toEqual([
      ['v1', true, undefined],
      ['v1beta1', false, 'use v1'],
    ]);
    const Other = defineKind({ group: 'x.example.com', version: 'v1', kind: 'Other', fields: {} });
    expect(() => customResourceDefinition([Cache, Other])).toThrow('Other v1 is not a version of Cache');
    expect(() => customResourceDefinition([Cache], { storage: 'v9' })).toThrow('has no version v9');
  });
});
