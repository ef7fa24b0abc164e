import type { PolicyRule } from '@tektite/schema/kubernetes';
import type { BootstrapObject } from '../registry/bootstrap-object.ts';
import { nodeRules } from './node/node-rules.ts';
import { policyRule as rule } from './policy-rule.ts';

/**
 * The cluster roles and bindings that every cluster has from its start: for administrators, for the three levels of
 * users (`admin`, `edit`, `view`, which others extend by labels), for public information, and for nodes and their way into
 * the cluster.
 */
const api = 'rbac.authorization.k8s.io';
const metadata = (name: string, labels: Record<string, string> = {}) => ({
  name,
  labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults', ...labels },
  annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
});

function clusterRole(name: string, rules: readonly PolicyRule[], labels: Record<string, string> = {}): BootstrapObject {
  return { apiVersion: `${api}/v1`, kind: 'ClusterRole', metadata: metadata(name, labels), rules };
}

/** A role that is the sum of all roles with that label. */
function aggregatedRole(name: string, labels: Record<string, string> = {}): BootstrapObject {
  return {
    apiVersion: `${api}/v1`,
    kind: 'ClusterRole',
    metadata: metadata(name, labels),
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [`${api}/aggregate-to-${name}`]: 'true' } }] },
    rules: null,
  };
}

function binding(name: string, role: string, ...groups: string[]): BootstrapObject {
  return {
    apiVersion: `${api}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: metadata(name),
    roleRef: { apiGroup: api, kind: 'ClusterRole', name: role },
    ...(groups.length === 0 ? {} : { subjects: groups.map((name) => ({ kind: 'Group', apiGroup: api, name })) }),
  };
}

const read = 'get list watch';
const write = 'create delete deletecollection patch update';

const discoveryPaths = [
  '/api',
  '/api/*',
  '/apis',
  '/apis/*',
  '/healthz',
  '/livez',
  '/openapi',
  '/openapi/*',
  '/readyz',
  '/version',
  '/version/',
];
const publicPaths = ['/healthz', '/livez', '/readyz', '/version', '/version/'];

/** Events are in two groups, and always in both. */
const eventGroups = ['', 'events.k8s.io'];

const deployments = 'daemonsets deployments deployments/scale replicasets replicasets/scale';
const deploymentStatuses = 'daemonsets/status deployments/status replicasets/status';
const extensions = `${deployments} ingresses networkpolicies replicationcontrollers/scale`;

const editRules: readonly PolicyRule[] = [
  rule('', 'pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy', read),
  rule('', 'serviceaccounts', 'impersonate'),
  rule('', 'pods pods/attach pods/exec pods/portforward pods/proxy', write),
  rule('', 'pods/eviction', 'create'),
  rule(
    '',
    'configmaps persistentvolumeclaims replicationcontrollers replicationcontrollers/scale secrets serviceaccounts services services/proxy',
    write,
  ),
  rule('', 'serviceaccounts/token', 'create'),
  rule(eventGroups, 'events', write),
  rule('apps', `${deployments} deployments/rollback statefulsets statefulsets/scale`, write),
  rule('autoscaling', 'horizontalpodautoscalers', write),
  rule('batch', 'cronjobs jobs', write),
  rule('extensions', `${extensions} deployments/rollback`, write),
  rule('policy', 'poddisruptionbudgets', write),
  rule('networking.k8s.io', 'ingresses networkpolicies', write),
  rule('coordination.k8s.io', 'leases', `${write} ${read}`),
  rule('resource.k8s.io', 'resourceclaims resourceclaimtemplates', write),
];

const viewRules: readonly PolicyRule[] = [
  rule(
    '',
    'configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status',
    read,
  ),
  rule(
    '',
    'bindings limitranges namespaces/status pods/log pods/status replicationcontrollers/status resourcequotas resourcequotas/status',
    read,
  ),
  rule('', 'namespaces', read),
  rule(eventGroups, 'events', read),
  rule('discovery.k8s.io', 'endpointslices', read),
  rule(
    'apps',
    `controllerrevisions ${deployments} ${deploymentStatuses} statefulsets statefulsets/scale statefulsets/status`,
    read,
  ),
  rule('autoscaling', 'horizontalpodautoscalers horizontalpodautoscalers/status', read),
  rule('batch', 'cronjobs cronjobs/status jobs jobs/status', read),
  rule('extensions', `${extensions} ${deploymentStatuses} ingresses/status`, read),
  rule('policy', 'poddisruptionbudgets poddisruptionbudgets/status', read),
  rule('networking.k8s.io', 'ingresses ingresses/status networkpolicies', read),
  rule('resource.k8s.io', 'resourceclaims resourceclaims/status resourceclaimtemplates', read),
];

const adminRules: readonly PolicyRule[] = [
  rule('authorization.k8s.io', 'localsubjectaccessreviews', 'create'),
  rule(api, 'rolebindings roles', `${write} ${read}`),
];

const signingRequests = 'certificatesigningrequests';

/**
 * The Node authorizer grants the rules of `system:node`; the role is there for clusters that bind it themselves, and the binding
 * has no subjects. `kubeadm` binds the others.
 */
const nodePolicy: readonly BootstrapObject[] = [
  clusterRole('system:node', nodeRules),
  clusterRole('system:node-bootstrapper', [rule('certificates.k8s.io', signingRequests, `create ${read}`)]),
  ...['nodeclient', 'selfnodeclient'].map((which) =>
    clusterRole(`system:certificates.k8s.io:${signingRequests}:${which}`, [
      rule('certificates.k8s.io', `${signingRequests}/${which}`, 'create'),
    ]),
  ),
  clusterRole('system:node-proxier', [
    rule('', 'endpoints services', 'list watch'),
    rule('', 'nodes', read),
    rule(eventGroups, 'events', 'create patch update'),
    rule('discovery.k8s.io', 'endpointslices', 'list watch'),
    rule('networking.k8s.io', 'servicecidrs', 'list watch'),
  ]),
  clusterRole('system:kubelet-api-admin', [
    rule('', 'nodes', read),
    rule('', 'nodes', 'proxy'),
    rule('', 'nodes/configz nodes/healthz nodes/log nodes/metrics nodes/pods nodes/proxy nodes/stats', '*'),
  ]),
  binding('system:node', 'system:node'),
  {
    ...binding('system:node-proxier', 'system:node-proxier'),
    subjects: [{ kind: 'User', apiGroup: api, name: 'system:kube-proxy' }],
  },
];

/** All of them, ready to be created. */
export const bootstrapPolicy: readonly BootstrapObject[] = [
  clusterRole('cluster-admin', [
    { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
    { nonResourceURLs: ['*'], verbs: ['*'] },
  ]),
  clusterRole('system:discovery', [{ nonResourceURLs: discoveryPaths, verbs: ['get'] }]),
  clusterRole('system:public-info-viewer', [{ nonResourceURLs: publicPaths, verbs: ['get'] }]),
  clusterRole('system:basic-user', [
    rule('authorization.k8s.io', 'selfsubjectaccessreviews selfsubjectrulesreviews', 'create'),
    rule('authentication.k8s.io', 'selfsubjectreviews', 'create'),
  ]),
  clusterRole('system:monitoring', [
    {
      nonResourceURLs: [...publicPaths.slice(0, 3).flatMap((path) => [path, `${path}/*`]), '/metrics', '/metrics/slis'],
      verbs: ['get'],
    },
  ]),
  clusterRole('system:service-account-issuer-discovery', [
    {
      nonResourceURLs: [
        '/.well-known/openid-configuration',
        '/.well-known/openid-configuration/',
        '/openid/v1/jwks',
        '/openid/v1/jwks/',
      ],
      verbs: ['get'],
    },
  ]),
  clusterRole('system:auth-delegator', [
    rule('authentication.k8s.io', 'tokenreviews', 'create'),
    rule('authorization.k8s.io', 'subjectaccessreviews', 'create'),
  ]),
  aggregatedRole('admin'),
  aggregatedRole('edit', { [`${api}/aggregate-to-admin`]: 'true' }),
  aggregatedRole('view', { [`${api}/aggregate-to-edit`]: 'true' }),
  clusterRole('system:aggregate-to-admin', adminRules, { [`${api}/aggregate-to-admin`]: 'true' }),
  clusterRole('system:aggregate-to-edit', editRules, { [`${api}/aggregate-to-edit`]: 'true' }),
  clusterRole('system:aggregate-to-view', viewRules, { [`${api}/aggregate-to-view`]: 'true' }),
  binding('cluster-admin', 'cluster-admin', 'system:masters'),
  binding('system:discovery', 'system:discovery', 'system:authenticated'),
  binding('system:basic-user', 'system:basic-user', 'system:authenticated'),
  binding('system:public-info-viewer', 'system:public-info-viewer', 'system:authenticated', 'system:unauthenticated'),
  binding('system:monitoring', 'system:monitoring', 'system:monitoring'),
  binding(
    'system:service-account-issuer-discovery',
    'system:service-account-issuer-discovery',
    'system:serviceaccounts',
  ),
  ...nodePolicy,
];
