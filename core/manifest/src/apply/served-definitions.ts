import type { Client } from '@tektite/client';
import { type DynamicObject, sleep } from '@tektite/meta';
import { isMapping, listAt, mappingAt } from '../field-value.ts';

const pausesMs = [0, 20, 60];

/**
 * The definitions whose kinds the server does not serve yet, in all their versions, after a short while. Asking what is served costs
 * little, where definitions themselves may be megabytes.
 */
export async function unserved<T extends { readonly object: DynamicObject }>(
  client: Client,
  definitions: readonly T[],
): Promise<readonly T[]> {
  let missing = definitions;
  for (const pause of pausesMs) {
    await sleep(client.clock, pause);
    client.discovery.forget();
    const { resources } = await client.discovery.all();
    const served = new Set(resources.map(({ group, version, kind }) => `${group}/${version}/${kind}`));
    missing = definitions.filter(({ object }) => !namesOf(object).every((name) => served.has(name)));
    if (missing.length === 0) break;
  }
  return missing;
}

function namesOf(definition: DynamicObject): readonly string[] {
  const spec = mappingAt(definition, 'spec');
  const kind = mappingAt(spec, 'names')?.kind;
  return listAt(spec, 'versions')
    .filter((version) => isMapping(version) && version.served === true)
    .map((version) => `${String(spec?.group)}/${String((version as { name?: unknown }).name)}/${String(kind)}`);
}
