import { existsSync, readFileSync } from 'node:fs';
import { customResourceDefinition } from '@tektite/schema';
import { parseYaml } from '@tektite/schema/yaml';
import { describe, expect, it } from 'vitest';
import { allKinds } from './all-kinds.ts';

const folder = new URL('../../../../../shared/data/tekton-operator/crds/', import.meta.url);
const title = existsSync(folder)
  ? "upstream's definitions"
  : "upstream's definitions (absent: nothing to compare with)";

type Json = Record<string, unknown>;

/** The keywords that decide which documents are accepted; lists are atomic by default. */
function bare(value: unknown, isProperties = false): unknown {
  if (Array.isArray(value)) return value.map((item) => bare(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, item]) => isProperties || !isRemark(key, item))
      .map(([key, item]) => [
        key,
        key === 'required' && !isProperties
          ? (item as string[]).toSorted()
          : bare(item, key === 'properties' && !isProperties),
      ])
      .sort(([a], [b]) => ((a as string) < (b as string) ? -1 : 1)),
  );
}

const isRemark = (key: string, value: unknown) =>
  (key === 'description' && typeof value === 'string') ||
  (key === 'x-kubernetes-list-type' && value === 'atomic') ||
  key === 'x-kubernetes-map-type';

describe.runIf(existsSync(folder))(title, () => {
  it.each(allKinds.map((kind) => [kind.kind, kind] as const))('of %s accept and refuse the same', (_, kind) => {
    const file = new URL(`operator.tekton.dev_${kind.plural}.yaml`, folder);
    const theirs = parseYaml(readFileSync(file, 'utf8'))[0]?.value as { spec: Json };
    const ours = customResourceDefinition([kind]) as unknown as { spec: Json };
    expect(ours.spec.names).toEqual(theirs.spec.names);
    expect(ours.spec.scope).toBe(theirs.spec.scope);
    expect(bare(ours.spec.versions)).toEqual(bare(theirs.spec.versions));
  });
});
