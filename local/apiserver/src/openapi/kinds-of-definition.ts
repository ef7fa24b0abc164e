import type { GroupVersionKind } from '@tektite/meta';
import { builtinKinds, definitionKey, findDefinition } from '@tektite/schema/kubernetes';

/**
 * Versions of groups in which the API server knows DeleteOptions and WatchEvent, served or not: clients of old versions
 * may still send them.
 */
const optionVersions = `
  :v1
  admissionregistration.k8s.io:v1,v1alpha1,v1beta1
  apps:v1,v1beta1,v1beta2
  authentication.k8s.io:v1,v1alpha1,v1beta1
  authorization.k8s.io:v1,v1beta1
  autoscaling:v1,v2
  batch:v1,v1beta1
  certificates.k8s.io:v1,v1alpha1,v1beta1
  coordination.k8s.io:v1,v1alpha2,v1beta1
  discovery.k8s.io:v1,v1beta1
  events.k8s.io:v1,v1beta1
  extensions:v1beta1
  flowcontrol.apiserver.k8s.io:v1,v1beta1,v1beta2,v1beta3
  internal.apiserver.k8s.io:v1alpha1
  networking.k8s.io:v1,v1beta1
  node.k8s.io:v1,v1alpha1,v1beta1
  policy:v1,v1beta1
  rbac.authorization.k8s.io:v1,v1alpha1,v1beta1
  resource.k8s.io:v1,v1alpha3,v1beta1,v1beta2
  scheduling.k8s.io:v1,v1alpha2,v1beta1
  storage.k8s.io:v1,v1alpha1,v1beta1
  storagemigration.k8s.io:v1beta1`;

/** Kinds that are no resources. */
const otherKinds: readonly GroupVersionKind[] = [
  { group: '', version: 'v1', kind: 'Status' },
  { group: 'autoscaling', version: 'v1', kind: 'Scale' },
  { group: 'policy', version: 'v1', kind: 'Eviction' },
  { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' },
];

let byDefinition: Map<string, GroupVersionKind[]> | undefined;

/** The kinds that a definition is the type of; none for a part of other types. */
export function kindsOfDefinition(key: string): readonly GroupVersionKind[] {
  byDefinition ??= collect();
  return byDefinition.get(key) ?? [];
}

function collect(): Map<string, GroupVersionKind[]> {
  const result = new Map<string, GroupVersionKind[]>();
  const add = (key: string, { group, kind, version }: GroupVersionKind) => {
    const known = result.get(key);
    if (known) known.push({ group, kind, version });
    else result.set(key, [{ group, kind, version }]);
  };
  for (const { group, version, kind } of [...builtinKinds, ...otherKinds]) {
    const key = definitionKey(group, version, kind);
    add(findDefinition(key) ? key : `meta/v1.${kind}`, { group, version, kind });
    const list = definitionKey(group, version, `${kind}List`);
    if (findDefinition(list)) add(list, { group, version, kind: `${kind}List` });
  }
  for (const line of optionVersions.trim().split('\n')) {
    const [group, versions] = line.trim().split(':') as [string, string];
    for (const version of versions.split(',')) {
      for (const kind of ['DeleteOptions', 'WatchEvent']) add(`meta/v1.${kind}`, { group, version, kind });
    }
  }
  return result;
}
