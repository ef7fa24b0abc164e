import type { GoType, StructDefinition } from '@tektite/go';
import { customResourceDefinition, type JsonSchema, type Kind } from '@tektite/schema';
import type { StructKind } from '@tektite/schema/struct';
import { describe, expect, it } from 'vitest';
import { allKinds } from '../all-kinds.ts';
import { fieldDescription } from './field-description.ts';

/** Fields of Tekton's own structs without a description. Fields of built-in structs are Kubernetes' to describe. */
function undescribed({ key, fields }: StructDefinition, seen: Set<string>): readonly string[] {
  if (seen.has(key) || key.includes('/')) return [];
  seen.add(key);
  const struct = key.slice(key.indexOf('.') + 1);
  // A record of settings: their names are explained where they are set.
  if (struct === 'FeatureFlags') return [];
  return fields.flatMap((field) => [
    ...(fieldDescription(struct, field.name) === undefined ? [`${struct}.${field.name}`] : []),
    ...structsIn(field.type).flatMap((each) => undescribed(each, seen)),
  ]);
}

function structsIn(type: GoType): readonly StructDefinition[] {
  switch (type.kind) {
    case 'pointer':
      return structsIn(type.to);
    case 'list':
      return structsIn(type.element);
    case 'map':
      return structsIn(type.value);
    case 'struct':
      return [type.struct()];
    case 'scalar':
      return [];
  }
}

describe('the fields of Tekton', () => {
  it.each(allKinds.map((kind): [string, StructKind] => [`${kind.version} ${kind.kind}`, kind]))(
    'are all described: %s',
    (_, { struct }) => {
      const parts = struct.fields.flatMap(({ type }) => structsIn(type));
      expect(parts.flatMap((part) => undescribed(part, new Set()))).toEqual([]);
    },
  );

  it.each(allKinds.map((kind): [string, Kind] => [`${kind.version} ${kind.kind}`, kind]))(
    'reach the definition: %s',
    (_, kind) => {
      const [version] = customResourceDefinition([kind]).spec.versions;
      const schema = version?.schema?.openAPIV3Schema as JsonSchema;
      expect(schema.description).toMatch(/\.$/);
      for (const part of ['spec', 'status'] as const) {
        const found = schema.properties?.[part];
        if (!found) continue;
        expect(found.description).toMatch(/\.$/);
        for (const [name, field] of Object.entries(found.properties ?? {}))
          expect({ name, description: field.description }).toEqual({ name, description: expect.stringMatching(/\.$/) });
      }
    },
  );
});
