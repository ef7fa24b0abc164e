/** A built-in kind with a small object that a server accepts. */
export interface Sample {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly isNamespaced: boolean;
  readonly hasStatus: boolean;
  readonly hasScale?: true;
  readonly fields: Readonly<Record<string, unknown>>;
}

const container = { name: 'main', image: 'registry.test/web:1' };
const podSpec = { containers: [container] };
const labels = { app: 'web' };
const selector = { matchLabels: labels };
const template = { metadata: { labels }, spec: podSpec };
const jobSpec = { template: { spec: { ...podSpec, restartPolicy: 'Never' } } };
const rule = { apiGroups: [''], resources: ['configmaps'], verbs: ['get'] };

const namespaced = { isNamespaced: true, hasStatus: false } as const;
const withStatus = { isNamespaced: true, hasStatus: true } as const;
const cluster = { isNamespaced: false, hasStatus: false } as const;

/** Kinds that differ in what their registries do, each at its usual version. */
export const samples: readonly Sample[] = [
  { apiVersion: 'v1', kind: 'ConfigMap', plural: 'configmaps', ...namespaced, fields: { data: { a: '1' } } },
  {
    apiVersion: 'v1',
    kind: 'Secret',
    plural: 'secrets',
    ...namespaced,
    fields: { type: 'Opaque', stringData: { a: '1' } },
  },
  { apiVersion: 'v1', kind: 'Pod', plural: 'pods', ...withStatus, fields: { spec: podSpec } },
  {
    apiVersion: 'v1',
    kind: 'Service',
    plural: 'services',
    ...withStatus,
    fields: { spec: { selector: labels, ports: [{ name: 'http', port: 80, targetPort: 8080 }] } },
  },
  { apiVersion: 'v1', kind: 'ServiceAccount', plural: 'serviceaccounts', ...namespaced, fields: {} },
  { apiVersion: 'v1', kind: 'Endpoints', plural: 'endpoints', ...namespaced, fields: { subsets: [] } },
  {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    plural: 'persistentvolumeclaims',
    ...withStatus,
    fields: { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
  },
  {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    plural: 'persistentvolumes',
    isNamespaced: false,
    hasStatus: true,
    fields: { spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/data' } } },
  },
  {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    plural: 'resourcequotas',
    ...withStatus,
    fields: { spec: { hard: { 'count/pods': '100' } } },
  },
  {
    apiVersion: 'v1',
    kind: 'LimitRange',
    plural: 'limitranges',
    ...namespaced,
    fields: { spec: { limits: [{ type: 'PersistentVolumeClaim', max: { storage: '100Gi' } }] } },
  },
  { apiVersion: 'v1', kind: 'PodTemplate', plural: 'podtemplates', ...namespaced, fields: { template } },
  {
    apiVersion: 'v1',
    kind: 'ReplicationController',
    plural: 'replicationcontrollers',
    ...withStatus,
    hasScale: true,
    fields: { spec: { replicas: 1, selector: labels, template } },
  },
  { apiVersion: 'v1', kind: 'Node', plural: 'nodes', isNamespaced: false, hasStatus: true, fields: { spec: {} } },
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    plural: 'deployments',
    ...withStatus,
    hasScale: true,
    fields: { spec: { selector, template } },
  },
  {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    plural: 'replicasets',
    ...withStatus,
    hasScale: true,
    fields: { spec: { selector, template } },
  },
  {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    plural: 'statefulsets',
    ...withStatus,
    hasScale: true,
    fields: { spec: { selector, serviceName: 'web', template } },
  },
  {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    plural: 'daemonsets',
    ...withStatus,
    fields: { spec: { selector, template } },
  },
  {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    plural: 'controllerrevisions',
    ...namespaced,
    fields: { revision: 1, data: { a: 1 } },
  },
  { apiVersion: 'batch/v1', kind: 'Job', plural: 'jobs', ...withStatus, fields: { spec: jobSpec } },
  {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    plural: 'cronjobs',
    ...withStatus,
    fields: { spec: { schedule: '*/5 * * * *', jobTemplate: { spec: jobSpec } } },
  },
  {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    plural: 'ingresses',
    ...withStatus,
    fields: { spec: { defaultBackend: { service: { name: 'web', port: { number: 80 } } } } },
  },
  {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    plural: 'networkpolicies',
    ...namespaced,
    fields: { spec: { podSelector: selector, ingress: [{ ports: [{ port: 80 }] }] } },
  },
  {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'IngressClass',
    plural: 'ingressclasses',
    ...cluster,
    fields: { spec: { controller: 'example.com/web' } },
  },
  {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    plural: 'poddisruptionbudgets',
    ...withStatus,
    fields: { spec: { minAvailable: 1, selector } },
  },
  {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    plural: 'horizontalpodautoscalers',
    ...withStatus,
    fields: { spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } } },
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    plural: 'roles',
    ...namespaced,
    fields: { rules: [rule] },
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    plural: 'clusterroles',
    ...cluster,
    fields: { rules: [rule] },
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    plural: 'rolebindings',
    ...namespaced,
    fields: {
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
      subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'jane' }],
    },
  },
  {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    plural: 'storageclasses',
    ...cluster,
    fields: { provisioner: 'example.com/disk' },
  },
  {
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    plural: 'priorityclasses',
    ...cluster,
    fields: { value: 10 },
  },
  {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    plural: 'leases',
    ...namespaced,
    fields: { spec: { holderIdentity: 'a' } },
  },
  {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    plural: 'endpointslices',
    ...namespaced,
    fields: { addressType: 'IPv4', endpoints: [{ addresses: ['10.1.2.3'] }], ports: [{ name: 'http', port: 80 }] },
  },
];
