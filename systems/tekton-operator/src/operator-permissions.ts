import type { PolicyRule } from '@tektite/schema/kubernetes';

const all = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'];

const rule = (apiGroup: string, resources: readonly string[], verbs: readonly string[] = all): PolicyRule => ({
  apiGroups: [apiGroup],
  resources: [...resources],
  verbs: [...verbs],
});

/**
 * The permissions of the operator: all verbs on the kinds that releases of Tekton have, and on the operator's own. It creates roles
 * with rights that it does not have, and binds them, so it may do just that (`escalate`, `bind`): no other rights of components are
 * listed here, and it reads no Secrets of theirs that it has not installed by name.
 *
 * A release with kinds that are not listed needs a further role, bound to the operator's account.
 */
export const operatorPermissions: readonly PolicyRule[] = [
  rule('', [
    'configmaps',
    'endpoints',
    'events',
    'limitranges',
    'namespaces',
    'persistentvolumeclaims',
    'pods',
    'resourcequotas',
    'secrets',
    'serviceaccounts',
    'services',
  ]),
  rule('apps', ['daemonsets', 'deployments', 'replicasets', 'statefulsets']),
  rule('batch', ['cronjobs', 'jobs']),
  rule('autoscaling', ['horizontalpodautoscalers']),
  rule('policy', ['poddisruptionbudgets']),
  rule('networking.k8s.io', ['ingresses', 'networkpolicies']),
  rule('coordination.k8s.io', ['leases']),
  rule('admissionregistration.k8s.io', [
    'mutatingwebhookconfigurations',
    'validatingadmissionpolicies',
    'validatingadmissionpolicybindings',
    'validatingwebhookconfigurations',
  ]),
  rule('apiextensions.k8s.io', ['customresourcedefinitions']),
  rule('apiregistration.k8s.io', ['apiservices']),
  rule('scheduling.k8s.io', ['priorityclasses']),
  rule(
    'rbac.authorization.k8s.io',
    ['clusterrolebindings', 'clusterroles', 'rolebindings', 'roles'],
    [...all, 'bind', 'escalate'],
  ),
  rule('monitoring.coreos.com', ['podmonitors', 'prometheusrules', 'servicemonitors']),
  // Kinds of Tekton that releases have objects of, and runs that are pruned.
  rule('operator.tekton.dev', ['*']),
  rule('tekton.dev', ['*']),
  rule('triggers.tekton.dev', ['*']),
  rule('resolution.tekton.dev', ['*']),
  rule('pipelinesascode.tekton.dev', ['*']),
  // OpenShift.
  rule('route.openshift.io', ['routes', 'routes/custom-host']),
  rule('console.openshift.io', [
    'consoleclidownloads',
    'consoleexternalloglinks',
    'consolelinks',
    'consoleplugins',
    'consolequickstarts',
    'consoleyamlsamples',
  ]),
  rule('security.openshift.io', ['securitycontextconstraints'], [...all, 'use']),
  rule('config.openshift.io', ['apiservers', 'clusterversions', 'proxies'], ['get', 'list', 'watch']),
];
