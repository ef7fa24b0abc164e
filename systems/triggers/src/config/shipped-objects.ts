import type { KubeObject } from '@tektite/meta';

const labels = { 'app.kubernetes.io/instance': 'default', 'app.kubernetes.io/part-of': 'tekton-triggers' };
/** The release that this system is compatible with. */
export const triggersVersion = 'v0.37.0';
/** The interceptors that come with Triggers. */
const interceptorNames = ['bitbucket', 'cel', 'github', 'gitlab', 'slack'];
/** The Service behind which upstream's core interceptors are. */
export const coreService = 'tekton-triggers-core-interceptors';

const settings: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'config-defaults-triggers': {},
  'config-leader-election-triggers-controller': {},
  'config-leader-election-triggers-webhook': {},
  'config-observability-triggers': { 'metrics-protocol': 'prometheus' },
  'feature-flags-triggers': { 'enable-api-fields': 'stable', 'labels-exclusion-pattern': '' },
  'triggers-info': { version: triggersVersion },
};

const eventListenerRoles: readonly KubeObject[] = [
  role('tekton-triggers-eventlistener-roles', [
    rule('triggers.tekton.dev', ['eventlisteners', 'triggerbindings', 'interceptors', 'triggertemplates', 'triggers']),
    rule('', ['configmaps']),
    { apiGroups: ['tekton.dev'], resources: ['pipelineruns', 'pipelineresources', 'taskruns'], verbs: ['create'] },
    { apiGroups: [''], resources: ['serviceaccounts'], verbs: ['impersonate'] },
    { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
  ]),
  role('tekton-triggers-eventlistener-clusterroles', [
    rule('triggers.tekton.dev', ['clustertriggerbindings', 'clusterinterceptors']),
    rule('', ['secrets']),
  ]),
];

/** The namespace, the settings, the roles that listeners' accounts are bound to, and the built-in ClusterInterceptors. */
export function shippedObjects(namespace: string): readonly KubeObject[] {
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    ...Object.entries(settings).map(([name, data]) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace, labels },
      data,
    })),
    ...eventListenerRoles,
    ...interceptorNames.map((name) => ({
      apiVersion: 'triggers.tekton.dev/v1alpha1',
      kind: 'ClusterInterceptor',
      metadata: { name, labels: { 'server/type': 'https' } },
      spec: { clientConfig: { service: { name: coreService, namespace, path: name, port: 8443 } } },
    })),
  ];
}

function rule(group: string, resources: readonly string[]) {
  return { apiGroups: [group], resources, verbs: ['get', 'list', 'watch'] };
}

function role(name: string, rules: readonly object[]): KubeObject {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name, labels },
    rules,
  } as KubeObject;
}
