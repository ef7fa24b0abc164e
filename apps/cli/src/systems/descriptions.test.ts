import { definitionsOf } from '@tektite/controller';
import { describe, expect, it } from 'vitest';
import { allSystems } from '../catalog/built-in-systems.ts';
import { loadSystems } from '../catalog/load-systems.ts';

interface Schema {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
}

/** Everything that `kubectl explain KIND`, `KIND.spec` and `KIND.status` list. */
function undescribed(schema: Schema | undefined, path: string): readonly string[] {
  const parts = ['spec', 'status'].flatMap((part) => {
    const found = schema?.properties?.[part];
    if (!found) return [];
    const fields = Object.entries(found.properties ?? {}).filter(([, field]) => !field.description);
    return [...(found.description ? [] : [`${path}.${part}`]), ...fields.map(([name]) => `${path}.${part}.${name}`)];
  });
  return [...(schema?.description ? [] : [path]), ...parts];
}

describe('kubectl explain', async () => {
  const systems = await loadSystems('all');

  it('knows all built-in systems', () => {
    expect(systems.map(({ name }) => name)).toEqual(allSystems);
  });

  it.each(systems.map((system) => [system.name, system] as const))('describes the kinds of %s', (_, { kinds }) => {
    const definitions = definitionsOf(kinds);
    expect(definitions.length).toBeGreaterThan(0);
    const missing = definitions.flatMap(({ spec }) =>
      spec.versions.flatMap(({ name, schema }) =>
        undescribed(schema?.openAPIV3Schema as Schema, `${name} ${spec.names.kind}`),
      ),
    );
    expect(missing).toEqual([]);
  });
});
