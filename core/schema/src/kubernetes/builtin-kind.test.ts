import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { builtinKinds, findBuiltinDefinition, findBuiltinKind, findBuiltinResource } from './builtin-kind.ts';
import { builtinSchema } from './builtin-schema.ts';
import { definitionKeys } from './definition.ts';
import { loadDescriptions } from './descriptions.ts';

const golden = new URL('../../../../../shared/golden/apiserver/discovery/aggregated.json', import.meta.url);

interface DiscoveryResource {
  resource: string;
  scope: string;
  responseKind: { kind: string };
  verbs: string[];
  singularResource: string;
  shortNames?: string[];
  categories?: string[];
  subresources?: {
    subresource: string;
    responseKind: { group: string; version: string; kind: string };
    verbs: string[];
  }[];
}

interface DiscoveryGroup {
  metadata: { name?: string };
  versions: { version: string; resources: DiscoveryResource[] }[];
}

describe('the built-in kinds', () => {
  // The recording lies outside the repository; without it there is nothing to compare with.
  test.skipIf(!existsSync(golden))('are those of a recorded kube-apiserver, with its names and verbs', () => {
    const recording = JSON.parse(readFileSync(golden, 'utf8')) as {
      steps: { response: { body: { items: DiscoveryGroup[] } } }[];
    };
    const groups = recording.steps.slice(0, 2).flatMap((step) => step.response.body.items);
    for (const group of groups) {
      for (const { version, resources } of group.versions) {
        const name = group.metadata.name ?? '';
        const own = builtinKinds.filter((kind) => kind.group === name && kind.version === version);
        expect(own.map(describeOwn)).toEqual(resources.map(describeRecorded));
      }
    }
  });

  test('all have a schema with metadata, and a list kind when they can be listed', () => {
    for (const kind of builtinKinds) {
      expect(kind.schema.properties?.['metadata'], kind.kind).toBeDefined();
      if (kind.listKind)
        expect(findBuiltinDefinition(kind.group, kind.version, kind.listKind), kind.kind).toBeDefined();
    }
  });

  test('are found by resource and by kind', () => {
    expect(findBuiltinResource('apps', 'v1', 'deployments')?.kind).toBe('Deployment');
    expect(findBuiltinKind('rbac.authorization.k8s.io', 'v1', 'Role')?.plural).toBe('roles');
    expect(findBuiltinKind('', 'v1', '__proto__')).toBeUndefined();
    expect(findBuiltinDefinition('autoscaling', 'v1', 'Scale')?.key).toBe('autoscaling/v1.Scale');
    expect(findBuiltinDefinition('apps', 'v1', 'DeleteOptions')?.key).toBe('meta/v1.DeleteOptions');
  });
});

describe('built-in schemas', () => {
  test('say how lists merge', () => {
    const pod = builtinSchema('core/v1.PodSpec');
    expect(pod.properties?.['containers']).toMatchObject({
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      'x-kubernetes-patch-merge-key': 'name',
      'x-kubernetes-patch-strategy': 'merge',
    });
    expect(builtinSchema('core/v1.Container').properties?.['ports']?.['x-kubernetes-list-map-keys']).toEqual([
      'containerPort',
      'protocol',
    ]);
    expect(builtinSchema('meta/v1.LabelSelector')['x-kubernetes-map-type']).toBe('atomic');
  });

  test('may refer to themselves', () => {
    const schema = builtinSchema('apiextensions/v1.JSONSchemaProps');
    expect(schema.properties?.['not']).toBe(schema);
  });

  test('exist for every generated type, and so do descriptions', async () => {
    const descriptions = await loadDescriptions();
    for (const key of definitionKeys()) {
      expect(builtinSchema(key).type).toBe('object');
      expect(descriptions.has(key)).toBe(true);
    }
    expect(descriptions.get('core/v1.PodSpec')?.['containers']).toContain('List of containers');
  });
});

function describeOwn(kind: (typeof builtinKinds)[number]) {
  return {
    plural: kind.plural,
    kind: kind.kind,
    namespaced: kind.namespaced,
    singular: kind.singular,
    shortNames: kind.shortNames,
    categories: kind.categories,
    verbs: kind.verbs,
    subresources: kind.subresources.map(({ name, group = '', version = '', kind: subkind, verbs }) => ({
      name,
      responseKind: { group, version, kind: subkind },
      verbs,
    })),
  };
}

function describeRecorded(resource: DiscoveryResource) {
  return {
    plural: resource.resource,
    kind: resource.responseKind.kind,
    namespaced: resource.scope === 'Namespaced',
    singular: resource.singularResource,
    shortNames: resource.shortNames ?? [],
    categories: resource.categories ?? [],
    verbs: resource.verbs,
    subresources: (resource.subresources ?? []).map(({ subresource, responseKind, verbs }) => ({
      name: subresource,
      responseKind,
      verbs,
    })),
  };
}
