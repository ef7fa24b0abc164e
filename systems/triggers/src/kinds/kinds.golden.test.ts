import { existsSync, readFileSync } from 'node:fs';
import { definitionsOf } from '@tektite/controller';
import { parseYaml } from '@tektite/schema/yaml';
import { describe, expect, it } from 'vitest';
import { allKinds } from './all-kinds.ts';

const file = new URL('../../../../../shared/data/payload/tekton-trigger/v0.37.0/release.yaml', import.meta.url);
const title = existsSync(file) ? "upstream's release" : "upstream's release (absent: nothing to compare with)";

interface Definition {
  readonly kind: string;
  readonly metadata: { readonly name?: string };
  readonly spec: { readonly names: Readonly<Record<string, unknown>>; readonly versions: readonly unknown[] };
}

describe.runIf(existsSync(file))(title, () => {
  it('has the same CustomResourceDefinitions', () => {
    const theirs = parseYaml(readFileSync(file, 'utf8'))
      .map(({ value }) => value as Definition)
      .filter((object) => object?.kind === 'CustomResourceDefinition');
    expect(theirs).toHaveLength(7);
    const ours = definitionsOf(allKinds) as unknown as readonly Definition[];
    for (const { metadata, spec } of theirs) {
      const own = ours.find((each) => each.metadata.name === metadata.name);
      const { listKind: _, ...names } = own?.spec.names ?? {};
      const shown = JSON.parse(JSON.stringify({ ...own?.spec, names }), (key, value: unknown) =>
        key === 'description' ? undefined : value,
      ) as unknown;
      expect(shown).toEqual(spec);
    }
  });
});
