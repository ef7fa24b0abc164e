import { customResourceDefinition, type JsonSchema, type Kind } from '@tektite/schema';
import { describe, expect, it } from 'vitest';
import { allKinds } from '../all-kinds.ts';
import { structOf } from '../struct-table.ts';
import { fieldDescription } from './field-description.ts';

/** Fields of Tekton's own structs without a description. Fields of built-in structs are Kubernetes' to describe. */
function undescribed(key: string, seen: Set<string>): readonly string[] {
  if (seen.has(key) || !key.startsWith('tekton/')) return [];
  seen.add(key);
  const { goName, fields } = structOf(key);
  // A record of settings: their names are explained where they are set.
  if (goName === 'FeatureFlags') return [];
  return fields.flatMap((field) => [
    ...(fieldDescription(goName, field.name) === undefined ? [`${goName}.${field.name}`] : []),
    ...structsIn(field.type).flatMap((each) => undescribed(each, seen)),
  ]);
}

function structsIn(type: ReturnType<typeof structOf>['fields'][number]['type']): readonly string[] {
  switch (type.kind) {
    case 'pointer':
      return structsIn(type.to);
    case 'list':
      return structsIn(type.element);
    case 'map':
      return structsIn(type.value);
    case 'struct':
      return [type.definition];
    case 'scalar':
      return [];
  }
}

describe('the fields of Tekton', () => {
  it.each([
    ...['Task', 'TaskRun', 'Pipeline', 'PipelineRun'].flatMap((kind) => [`v1.${kind}`, `v1beta1.${kind}`]),
    'v1beta1.CustomRun',
    'v1beta1.StepAction',
    'v1beta1.ResolutionRequest',
    'v1alpha1.VerificationPolicy',
  ])('are all described: %s', (name) => {
    const parts = structOf(`tekton/${name}`).fields.flatMap(({ type }) => structsIn(type));
    expect(parts.flatMap((key) => undescribed(key, new Set()))).toEqual([]);
  });

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
