import { isDecodeError } from '@tektite/go';
import { type DynamicObject, type Mutable, type Random, seededRandom } from '@tektite/meta';
import type { JsonSchema } from '@tektite/schema';
import { type BuiltinKind, builtinKinds } from '@tektite/schema/kubernetes';
import { describe, expect, it } from 'vitest';
import { strategyOf } from './index.ts';
import { created, createErrors, createWarnings, tableRow, updateErrors } from './test-support.ts';

/** Whatever people write, the rules of its kind have an answer: they never fail themselves. */

const texts = ['', 'a', 'A b', '10.0.0.1', '*', 'x/y', '50%', '1Gi', '-1', 'None', 'Never', 'http://x'];

class Author {
  private readonly random: Random;

  constructor(random: Random) {
    this.random = random;
  }

  private pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.random.next() * list.length)] as T;
  }

  write(schema: JsonSchema | undefined, depth: number): unknown {
    if (!schema) return {};
    if (schema.format === 'date-time') return '2026-03-01T00:00:00.000000Z';
    if (schema.format === 'quantity') return this.pick(['0', '1', '-1', '500m', '2Gi']);
    if (schema.format === 'byte') return this.pick(['', 'YQ==', 'LS0tLS0=']);
    if (schema.format === 'int-or-string') return this.pick([0, 1, -1, 80, '50%', 'http', '']);
    switch (schema.type) {
      case 'string':
        return this.pick([...texts, ...((schema.enum as string[] | undefined) ?? [])]);
      case 'integer':
      case 'number':
        return this.pick([0, 1, -1, 30, 70_000]);
      case 'boolean':
        return this.random.next() < 0.5;
      case 'array':
        return Array.from({ length: Math.floor(this.random.next() * 3) }, () => this.write(schema.items, depth - 1));
      default:
        return this.writeObject(schema, depth);
    }
  }

  private writeObject(schema: JsonSchema, depth: number): Record<string, unknown> {
    const result: Record<string, unknown> = {};
    if (depth <= 0) return result;
    for (const [name, property] of Object.entries(schema.properties ?? {}))
      if (this.random.next() < 0.45) result[name] = this.write(property, depth - 1);
    const { additionalProperties } = schema;
    if (typeof additionalProperties === 'object')
      for (const key of ['cpu', 'a/b'])
        if (this.random.next() < 0.5) result[key] = this.quantityOr(additionalProperties);
    return result;
  }

  private quantityOr(schema: JsonSchema): unknown {
    return schema.type === 'string' && !schema.format ? this.pick(['1', '500m', '2Gi']) : this.write(schema, 1);
  }
}

function attempt(kind: BuiltinKind, content: object): void {
  const apiVersion = kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
  const object = {
    ...content,
    apiVersion,
    kind: kind.kind,
    metadata: { name: 'x' },
  } as unknown as Mutable<DynamicObject>;
  try {
    createErrors(structuredClone(object));
    createWarnings(structuredClone(object));
    tableRow(created(structuredClone(object)));
    updateErrors(object, (changed) => {
      Object.assign(changed, structuredClone(content));
      if (typeof changed.spec === 'object' && changed.spec !== null)
        delete changed.spec[Object.keys(changed.spec)[0] ?? ''];
    });
  } catch (error) {
    if (!isDecodeError(error)) throw error;
  }
}

const kinds = builtinKinds.filter(({ group, version, kind }) => strategyOf(group, version, kind));

describe('rules never fail themselves', () => {
  it.each(kinds.map((kind) => [`${kind.group}/${kind.version} ${kind.kind}`, kind] as const))(
    'on any input for %s',
    (_, kind) => {
      const schema = kind.schema as JsonSchema;
      const { kind: __, apiVersion: ___, metadata: ____, ...properties } = schema.properties ?? {};
      const author = new Author(seededRandom(11));
      attempt(kind, {});
      attempt(kind, { spec: {} });
      for (let i = 0; i < 60; i++) attempt(kind, author.write({ ...schema, properties }, 8) as object);
      expect(kind.kind).not.toBe('');
    },
  );
});
