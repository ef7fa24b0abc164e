import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { definitionsOf } from '@tektite/controller';
import { parseYaml } from '@tektite/schema/yaml';
import { describe, expect, it } from 'vitest';
import { allKinds } from './all-kinds.ts';

const folder = new URL('../../../../../shared/data/byoh/crds/', import.meta.url);

/**
 * Additions to the original CRDs. All of them are optional, so that programs written for the original see no
 * difference.
 */
const additions = new Set([
  'byomachines status.addresses',
  'byomachines status.failureMessage',
  'byomachines status.failureReason',
  'k8sinstallerconfigs spec.proxy',
  'k8sinstallerconfigs spec.scriptFlavor',
  'k8sinstallerconfigs status.failureMessage',
  'k8sinstallerconfigs status.failureReason',
  'k8sinstallerconfigtemplates spec.template.spec.proxy',
  'k8sinstallerconfigtemplates spec.template.spec.scriptFlavor',
  'bootstrapkubeconfigs status.expirationTime',
]);

type Json = Record<string, unknown>;

/** Without descriptions and additions. */
function strip(value: unknown, plural: string, path: string): unknown {
  if (Array.isArray(value)) return value.map((item) => strip(item, plural, path));
  if (typeof value !== 'object' || value === null) return value;
  const result: Json = {};
  for (const [key, each] of Object.entries(value)) {
    if (key === 'description' && typeof each === 'string') continue;
    if (key !== 'properties') result[key] = strip(each, plural, path);
    else {
      const properties: Json = {};
      for (const [name, schema] of Object.entries(each as Json)) {
        const full = path === '' ? name : `${path}.${name}`;
        if (!additions.has(`${plural} ${full}`)) properties[name] = strip(schema, plural, full);
      }
      if (Object.keys(properties).length > 0) result['properties'] = properties;
    }
  }
  if (Array.isArray(result['required'])) result['required'] = [...(result['required'] as string[])].sort();
  return result;
}

const files = existsSync(folder) ? readdirSync(folder) : [];

describe('the definitions', () => {
  if (files.length === 0) it.skip('are those of the original: they are not in ../shared');

  it.each(files)('are those of the original, but for optional additions: %s', (file) => {
    const [document] = parseYaml(readFileSync(new URL(file, folder), 'utf8'));
    const theirs = document?.value as { metadata: { name: string }; spec: Json & { names: Json; versions: Json[] } };
    const ours = definitionsOf(allKinds).find(({ metadata }) => metadata.name === theirs.metadata.name);
    const [version = {}] = theirs.spec.versions;
    const [own] = ours?.spec.versions ?? [];
    const plural = theirs.spec.names['plural'] as string;
    const schema = (from: unknown) => strip((from as Json)['openAPIV3Schema'], plural, '');
    expect(ours?.spec.names).toEqual(theirs.spec.names);
    expect(ours?.spec.scope).toEqual(theirs.spec['scope']);
    expect(own?.name).toBe(version['name']);
    expect(own?.subresources ?? {}).toEqual(version['subresources'] ?? {});
    expect(own?.additionalPrinterColumns ?? []).toEqual(version['additionalPrinterColumns'] ?? []);
    expect(schema(own?.schema)).toEqual(schema(version['schema']));
  });

  it('can be found by Cluster API', () => {
    for (const { metadata } of definitionsOf(allKinds))
      expect(metadata.labels).toEqual({
        'cluster.x-k8s.io/provider': 'infrastructure-byoh',
        'cluster.x-k8s.io/v1beta1': 'v1beta1',
      });
  });
});
