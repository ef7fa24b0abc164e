import { type DynamicObject, parseApiVersion } from '@tektite/meta';
import { findBuiltinKind, type PolicyRule } from '@tektite/schema/kubernetes';
import type { PayloadSource } from './payload.ts';

const verbs = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'];
const roles = ['clusterroles', 'roles'];

/**
 * The permissions to install payloads: all verbs on their kinds, and to grant rights that the operator does not have
 * where they contain roles. Payloads that cannot be read count as empty.
 */
export async function payloadPermissions(payloads: PayloadSource): Promise<readonly PolicyRule[]> {
  const byGroup = new Map<string, Set<string>>();
  const allow = (group: string, resource: string): void => {
    const known = byGroup.get(group) ?? new Set();
    byGroup.set(group, known.add(resource));
  };
  for (const component of await payloads.components()) {
    const payload = await payloads.load(component).catch(() => undefined);
    const objects = payload?.manifest.objects ?? [];
    const defined = new Map(objects.flatMap(definedKind));
    for (const { apiVersion, kind } of objects) {
      const { group, version } = parseApiVersion(apiVersion) ?? { group: '', version: '' };
      const plural = findBuiltinKind(group, version, kind)?.plural ?? defined.get(`${kind}.${group}`);
      allow(group, plural ?? `${kind.toLowerCase()}s`);
    }
  }
  const rules = [...byGroup]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([group, resources]): PolicyRule => ({ apiGroups: [group], resources: [...resources].sort(), verbs }));
  const given = roles.filter((role) => byGroup.get('rbac.authorization.k8s.io')?.has(role));
  return [
    ...rules,
    { apiGroups: ['autoscaling'], resources: ['horizontalpodautoscalers'], verbs: ['list'] },
    ...(given.length > 0
      ? [{ apiGroups: ['rbac.authorization.k8s.io'], resources: given, verbs: ['bind', 'escalate'] }]
      : []),
  ];
}

function definedKind(object: DynamicObject): [string, string][] {
  if (object.kind !== 'CustomResourceDefinition') return [];
  const { group, names } = (object.spec ?? {}) as { group?: unknown; names?: { kind?: unknown; plural?: unknown } };
  const { kind, plural } = names ?? {};
  if (typeof group !== 'string' || typeof kind !== 'string' || typeof plural !== 'string') return [];
  return [[`${kind}.${group}`, plural]];
}
