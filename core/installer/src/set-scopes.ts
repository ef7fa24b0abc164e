import type { Client } from '@tektite/client';
import { discoveredScopes, groupKindOf, knownScopes } from '@tektite/manifest';
import type { DynamicObject } from '@tektite/meta';
import type { ObjectScope } from './dialect.ts';

const builtin = knownScopes();

/** Which objects of a set are in namespaces: built-in kinds, kinds that the set defines, and only then what the server says. */
export async function setScopes(
  client: Client,
  objects: readonly DynamicObject[],
): Promise<(object: DynamicObject) => ObjectScope | undefined> {
  const defined = new Map(objects.flatMap(definedScope));
  const known = (object: DynamicObject) => builtin.of(object) ?? defined.get(groupKindOf(object));
  if (objects.every((object) => known(object) !== undefined)) return known;
  let served = await discoveredScopes(client);
  // A definition of another set may be new.
  if (!objects.every((object) => known(object) ?? served.of(object))) {
    client.discovery.forget();
    served = await discoveredScopes(client);
  }
  return (object) => known(object) ?? served.of(object);
}

function definedScope(object: DynamicObject): [string, ObjectScope][] {
  if (object.kind !== 'CustomResourceDefinition') return [];
  const spec = (object.spec ?? {}) as { group?: unknown; scope?: unknown; names?: { kind?: unknown } };
  const { kind } = spec.names ?? {};
  if (typeof spec.group !== 'string' || typeof kind !== 'string') return [];
  return [[`${kind}.${spec.group}`, spec.scope === 'Cluster' ? 'Cluster' : 'Namespaced']];
}
