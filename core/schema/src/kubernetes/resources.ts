/** One resource of a group; what is left out is the usual: all verbs, cluster scope, no names besides the plural. */
export interface ResourceRow {
  readonly plural: string;
  readonly kind: string;
  readonly namespaced?: true;
  readonly shortNames?: string;
  readonly categories?: string;
  readonly verbs?: string;
  /** A bare name reads and writes the object itself, with the verbs of `status`. */
  readonly subresources?: readonly (string | SubresourceRow)[];
}

interface SubresourceRow {
  readonly name: string;
  readonly kind?: string;
  readonly group?: string;
  readonly version?: string;
  readonly verbs: string;
}

export interface ApiGroupRow {
  readonly group: string;
  readonly version: string;
  readonly resources: readonly ResourceRow[];
}

const connect = 'create get';
const proxy = 'create delete get patch update';
const create = { verbs: 'create' };
const namespaced = { namespaced: true } as const;
const status = { subresources: ['status'] };
const scale = { name: 'scale', group: 'autoscaling', version: 'v1', kind: 'Scale', verbs: 'get patch update' };
const extensions = { categories: 'api-extensions' };
const workload = { namespaced: true, categories: 'all' } as const;

/** The built-in API groups: preferred versions first, resources by name. */
export const apiGroups: readonly ApiGroupRow[] = [
  {
    group: '',
    version: 'v1',
    resources: [
      { plural: 'bindings', kind: 'Binding', ...namespaced, ...create },
      { plural: 'componentstatuses', kind: 'ComponentStatus', shortNames: 'cs', verbs: 'get list' },
      { plural: 'configmaps', kind: 'ConfigMap', ...namespaced, shortNames: 'cm' },
      { plural: 'endpoints', kind: 'Endpoints', ...namespaced, shortNames: 'ep' },
      { plural: 'events', kind: 'Event', ...namespaced, shortNames: 'ev' },
      { plural: 'limitranges', kind: 'LimitRange', ...namespaced, shortNames: 'limits' },
      {
        plural: 'namespaces',
        kind: 'Namespace',
        shortNames: 'ns',
        verbs: 'create delete get list patch update watch',
        subresources: [{ name: 'finalize', verbs: 'update' }, 'status'],
      },
      {
        plural: 'nodes',
        kind: 'Node',
        shortNames: 'no',
        subresources: [{ name: 'proxy', kind: 'NodeProxyOptions', verbs: proxy }, 'status'],
      },
      { plural: 'persistentvolumeclaims', kind: 'PersistentVolumeClaim', ...namespaced, shortNames: 'pvc', ...status },
      { plural: 'persistentvolumes', kind: 'PersistentVolume', shortNames: 'pv', ...status },
      {
        plural: 'pods',
        kind: 'Pod',
        ...workload,
        shortNames: 'po',
        subresources: [
          { name: 'attach', kind: 'PodAttachOptions', verbs: connect },
          { name: 'binding', kind: 'Binding', verbs: 'create' },
          'ephemeralcontainers',
          { name: 'eviction', group: 'policy', version: 'v1', kind: 'Eviction', verbs: 'create' },
          { name: 'exec', kind: 'PodExecOptions', verbs: connect },
          { name: 'log', verbs: 'get' },
          { name: 'portforward', kind: 'PodPortForwardOptions', verbs: connect },
          { name: 'proxy', kind: 'PodProxyOptions', verbs: proxy },
          'resize',
          'status',
        ],
      },
      { plural: 'podtemplates', kind: 'PodTemplate', ...namespaced },
      {
        plural: 'replicationcontrollers',
        kind: 'ReplicationController',
        ...workload,
        shortNames: 'rc',
        subresources: [scale, 'status'],
      },
      { plural: 'resourcequotas', kind: 'ResourceQuota', ...namespaced, shortNames: 'quota', ...status },
      { plural: 'secrets', kind: 'Secret', ...namespaced },
      {
        plural: 'serviceaccounts',
        kind: 'ServiceAccount',
        ...namespaced,
        shortNames: 'sa',
        subresources: [
          { name: 'token', group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest', verbs: 'create' },
        ],
      },
      {
        plural: 'services',
        kind: 'Service',
        ...workload,
        shortNames: 'svc',
        subresources: [{ name: 'proxy', kind: 'ServiceProxyOptions', verbs: proxy }, 'status'],
      },
    ],
  },
  {
    group: 'apiregistration.k8s.io',
    version: 'v1',
    resources: [{ plural: 'apiservices', kind: 'APIService', ...extensions, ...status }],
  },
  {
    group: 'apps',
    version: 'v1',
    resources: [
      { plural: 'controllerrevisions', kind: 'ControllerRevision', ...namespaced },
      { plural: 'daemonsets', kind: 'DaemonSet', ...workload, shortNames: 'ds', ...status },
      { plural: 'deployments', kind: 'Deployment', ...workload, shortNames: 'deploy', subresources: [scale, 'status'] },
      { plural: 'replicasets', kind: 'ReplicaSet', ...workload, shortNames: 'rs', subresources: [scale, 'status'] },
      { plural: 'statefulsets', kind: 'StatefulSet', ...workload, shortNames: 'sts', subresources: [scale, 'status'] },
    ],
  },
  {
    group: 'events.k8s.io',
    version: 'v1',
    resources: [{ plural: 'events', kind: 'Event', ...namespaced, shortNames: 'ev' }],
  },
  {
    group: 'authentication.k8s.io',
    version: 'v1',
    resources: [
      { plural: 'selfsubjectreviews', kind: 'SelfSubjectReview', ...create },
      { plural: 'tokenreviews', kind: 'TokenReview', ...create },
    ],
  },
  {
    group: 'authorization.k8s.io',
    version: 'v1',
    resources: [
      { plural: 'localsubjectaccessreviews', kind: 'LocalSubjectAccessReview', ...namespaced, ...create },
      { plural: 'selfsubjectaccessreviews', kind: 'SelfSubjectAccessReview', ...create },
      { plural: 'selfsubjectrulesreviews', kind: 'SelfSubjectRulesReview', ...create },
      { plural: 'subjectaccessreviews', kind: 'SubjectAccessReview', ...create },
    ],
  },
  {
    group: 'autoscaling',
    version: 'v2',
    resources: [
      {
        plural: 'horizontalpodautoscalers',
        kind: 'HorizontalPodAutoscaler',
        ...workload,
        shortNames: 'hpa',
        ...status,
      },
    ],
  },
  {
    group: 'autoscaling',
    version: 'v1',
    resources: [
      {
        plural: 'horizontalpodautoscalers',
        kind: 'HorizontalPodAutoscaler',
        ...workload,
        shortNames: 'hpa',
        ...status,
      },
    ],
  },
  {
    group: 'batch',
    version: 'v1',
    resources: [
      { plural: 'cronjobs', kind: 'CronJob', ...workload, shortNames: 'cj', ...status },
      { plural: 'jobs', kind: 'Job', ...workload, ...status },
    ],
  },
  {
    group: 'certificates.k8s.io',
    version: 'v1',
    resources: [
      {
        plural: 'certificatesigningrequests',
        kind: 'CertificateSigningRequest',
        shortNames: 'csr',
        subresources: ['approval', 'status'],
      },
    ],
  },
  {
    group: 'networking.k8s.io',
    version: 'v1',
    resources: [
      { plural: 'ingressclasses', kind: 'IngressClass' },
      { plural: 'ingresses', kind: 'Ingress', ...namespaced, shortNames: 'ing', ...status },
      { plural: 'ipaddresses', kind: 'IPAddress', shortNames: 'ip' },
      { plural: 'networkpolicies', kind: 'NetworkPolicy', ...namespaced, shortNames: 'netpol' },
      { plural: 'servicecidrs', kind: 'ServiceCIDR', ...status },
    ],
  },
  {
    group: 'policy',
    version: 'v1',
    resources: [
      { plural: 'poddisruptionbudgets', kind: 'PodDisruptionBudget', ...namespaced, shortNames: 'pdb', ...status },
    ],
  },
  {
    group: 'rbac.authorization.k8s.io',
    version: 'v1',
    resources: [
      { plural: 'clusterrolebindings', kind: 'ClusterRoleBinding' },
      { plural: 'clusterroles', kind: 'ClusterRole' },
      { plural: 'rolebindings', kind: 'RoleBinding', ...namespaced },
      { plural: 'roles', kind: 'Role', ...namespaced },
    ],
  },
  {
    group: 'storage.k8s.io',
    version: 'v1',
    resources: [
      { plural: 'csidrivers', kind: 'CSIDriver' },
      { plural: 'csinodes', kind: 'CSINode' },
      { plural: 'csistoragecapacities', kind: 'CSIStorageCapacity', ...namespaced },
      { plural: 'storageclasses', kind: 'StorageClass', shortNames: 'sc' },
      { plural: 'volumeattachments', kind: 'VolumeAttachment', ...status },
      { plural: 'volumeattributesclasses', kind: 'VolumeAttributesClass', shortNames: 'vac' },
    ],
  },
  {
    group: 'admissionregistration.k8s.io',
    version: 'v1',
    resources: [
      { plural: 'mutatingadmissionpolicies', kind: 'MutatingAdmissionPolicy', ...extensions },
      { plural: 'mutatingadmissionpolicybindings', kind: 'MutatingAdmissionPolicyBinding', ...extensions },
      { plural: 'mutatingwebhookconfigurations', kind: 'MutatingWebhookConfiguration', ...extensions },
      { plural: 'validatingadmissionpolicies', kind: 'ValidatingAdmissionPolicy', ...extensions, ...status },
      { plural: 'validatingadmissionpolicybindings', kind: 'ValidatingAdmissionPolicyBinding', ...extensions },
      { plural: 'validatingwebhookconfigurations', kind: 'ValidatingWebhookConfiguration', ...extensions },
    ],
  },
  {
    group: 'apiextensions.k8s.io',
    version: 'v1',
    resources: [
      {
        plural: 'customresourcedefinitions',
        kind: 'CustomResourceDefinition',
        shortNames: 'crd crds',
        ...extensions,
        ...status,
      },
    ],
  },
  {
    group: 'scheduling.k8s.io',
    version: 'v1',
    resources: [{ plural: 'priorityclasses', kind: 'PriorityClass', shortNames: 'pc' }],
  },
  {
    group: 'coordination.k8s.io',
    version: 'v1',
    resources: [{ plural: 'leases', kind: 'Lease', ...namespaced }],
  },
  {
    group: 'node.k8s.io',
    version: 'v1',
    resources: [{ plural: 'runtimeclasses', kind: 'RuntimeClass' }],
  },
  {
    group: 'discovery.k8s.io',
    version: 'v1',
    resources: [{ plural: 'endpointslices', kind: 'EndpointSlice', ...namespaced }],
  },
  {
    group: 'resource.k8s.io',
    version: 'v1',
    resources: [
      { plural: 'deviceclasses', kind: 'DeviceClass' },
      { plural: 'resourceclaims', kind: 'ResourceClaim', ...namespaced, ...status },
      { plural: 'resourceclaimtemplates', kind: 'ResourceClaimTemplate', ...namespaced },
      { plural: 'resourceslices', kind: 'ResourceSlice' },
    ],
  },
  {
    group: 'flowcontrol.apiserver.k8s.io',
    version: 'v1',
    resources: [
      { plural: 'flowschemas', kind: 'FlowSchema', ...status },
      { plural: 'prioritylevelconfigurations', kind: 'PriorityLevelConfiguration', ...status },
    ],
  },
];
