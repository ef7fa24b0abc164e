import type { Client } from '@tektite/client';
import type { KubeObject } from '@tektite/meta';
import { builtinKinds } from '@tektite/schema/kubernetes';
import { mappingAt } from './field-value.ts';
import type { Manifest } from './manifest.ts';
import { groupKindOf } from './object-identity.ts';

/** Which kinds have objects in namespaces. */
export interface Scopes {
  of(object: Pick<KubeObject, 'apiVersion' | 'kind'>): 'Namespaced' | 'Cluster' | undefined;
}

/** Kinds that are cluster-scoped, and that no server of today has any more. */
const formerClusterKinds = ['PodSecurityPolicy.policy', 'MeshPolicy.authentication.istio.io', 'ComponentStatus'];

/** The scopes that are known without a cluster: of built-in kinds, and of those that the manifest defines. */
export function knownScopes(manifest?: Manifest): Scopes {
  const table = new Map<string, 'Namespaced' | 'Cluster'>();
  for (const kind of formerClusterKinds) table.set(kind, 'Cluster');
  for (const { group, kind, namespaced } of builtinKinds)
    table.set(group === '' ? kind : `${kind}.${group}`, namespaced ? 'Namespaced' : 'Cluster');
  for (const { object } of manifest?.items ?? []) {
    if (object.kind !== 'CustomResourceDefinition') continue;
    const spec = mappingAt(object, 'spec');
    const kind = mappingAt(spec, 'names')?.kind;
    if (typeof spec?.group !== 'string' || typeof kind !== 'string') continue;
    table.set(`${kind}.${spec.group}`, spec.scope === 'Cluster' ? 'Cluster' : 'Namespaced');
  }
  return { of: (object) => table.get(groupKindOf(object)) };
}

/** The scopes from discovery, and for kinds that are not served yet, from the manifest. */
export async function discoveredScopes(client: Client, manifest?: Manifest): Promise<Scopes> {
  const known = knownScopes(manifest);
  const { resources } = await client.discovery.all();
  const table = new Map(
    resources.map(({ group, kind, scope }) => [group === '' ? kind : `${kind}.${group}`, scope] as const),
  );
  return { of: (object) => table.get(groupKindOf(object)) ?? known.of(object) };
}
