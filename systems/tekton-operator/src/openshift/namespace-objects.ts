import type { KubeObject, OwnerReference } from '@tektite/meta';

const rbac = 'rbac.authorization.k8s.io';
/** The name of the right to read interceptors. */
export const interceptors = 'openshift-pipelines-clusterinterceptors';

/**
 * The objects of a namespace for its runs: a service account and its permissions. `constraints` are those that the
 * namespace asks for.
 */
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

/** The right to read interceptors, which belong to no namespace, for the accounts of all these. */
export function interceptorObjects(namespaces: readonly string[], owner: OwnerReference): readonly KubeObject[] {
  const metadata = { name: interceptors, ownerReferences: [owner] };
  return [
    {
      apiVersion: `${rbac}/v1`,
      kind: 'ClusterRole',
      metadata,
      rules: [
        { apiGroups: ['triggers.tekton.dev'], resources: ['clusterinterceptors'], verbs: ['get', 'list', 'watch'] },
      ],
    },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'ClusterRoleBinding',
      metadata,
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: interceptors },
      subjects: namespaces.map((namespace) => ({ kind: 'ServiceAccount', name: 'pipeline', namespace })),
    },
  ] as readonly object[] as readonly KubeObject[];
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
