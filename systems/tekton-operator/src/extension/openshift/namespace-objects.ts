import type { KubeObject, OwnerReference } from '@tektite/meta';

const rbac = 'rbac.authorization.k8s.io';

/** What the runs of a namespace need: an account, and what it may do. `constraints` are those that the namespace asks for. */
export function namespaceObjects(
  namespace: string,
  constraints: string | undefined,
  owner: OwnerReference,
): readonly KubeObject[] {
  const ownerReferences = [owner];
  const role = constraints
    ? { kind: 'Role', name: 'pipelines-scc-role' }
    : { kind: 'ClusterRole', name: 'pipelines-scc-clusterrole' };
  const binding = (name: string, reference: { readonly kind: string; readonly name: string }) => ({
    apiVersion: `${rbac}/v1`,
    kind: 'RoleBinding',
    metadata: { name, namespace, ownerReferences },
    roleRef: { apiGroup: rbac, ...reference },
    subjects: [{ kind: 'ServiceAccount', name: 'pipeline', namespace }],
  });
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'pipeline', namespace, ownerReferences } },
    ...(constraints ? [roleFor('Role', constraints, { name: 'pipelines-scc-role', namespace, ownerReferences })] : []),
    binding('pipelines-scc-rolebinding', role),
    binding('openshift-pipelines-edit', { kind: 'ClusterRole', name: 'edit' }),
  ] as readonly KubeObject[];
}

/** The right to use constraints. */
export function roleFor(kind: 'Role' | 'ClusterRole', constraints: string, metadata: object): KubeObject {
  return {
    apiVersion: `${rbac}/v1`,
    kind,
    metadata,
    rules: [
      {
        apiGroups: ['security.openshift.io'],
        resources: ['securitycontextconstraints'],
        resourceNames: [constraints],
        verbs: ['use'],
      },
    ],
  } as KubeObject;
}

/** Two ConfigMaps that the platform fills with certificates. */
export function bundleMaps(namespace: string): readonly KubeObject[] {
  const partOf = { 'app.kubernetes.io/part-of': 'tekton-pipelines' };
  return [
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: 'config-trusted-cabundle',
        namespace,
        labels: { ...partOf, 'config.openshift.io/inject-trusted-cabundle': 'true' },
      },
    },
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: 'config-service-cabundle',
        namespace,
        labels: partOf,
        annotations: { 'service.beta.openshift.io/inject-cabundle': 'true' },
      },
    },
  ] as readonly KubeObject[];
}
