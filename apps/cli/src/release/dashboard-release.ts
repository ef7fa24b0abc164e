import type { DynamicObject } from '@tektite/meta';
import { podTemplate } from './pod-template.ts';
import type { ReleaseObject, ReleaseValues } from './release-values.ts';
import { itemsOf } from './template-value.ts';
import type { OwnProgram } from './own-program.ts';

const name = 'tektite-dashboard';
const labels = { 'app.kubernetes.io/name': name, 'app.kubernetes.io/part-of': 'tektite' };
const rbac = 'rbac.authorization.k8s.io';
const port = 8080;

/**
 * The objects that serve the page on a cluster. Users act with their own rights, so its account has none; where a proxy logs them in,
 * it may impersonate users and groups, and do nothing else.
 */
export function dashboardReleaseObjects(
  program: OwnProgram,
  values: ReleaseValues,
  namespace: string = 'tektite-dashboard',
): readonly ReleaseObject<DynamicObject>[] {
  const metadata = { name, namespace, labels };
  const always: readonly object[] = [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata,
      spec: { selector: labels, ports: [{ name: 'http', port: 80, targetPort: port }] },
    },
    { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: deploymentSpec(program, values) },
  ];
  return [
    ...always.map((object) => ({ object: object as DynamicObject })),
    ...impersonation(namespace).map((object) => ({
      object: object as DynamicObject,
      when: { path: 'login', equals: 'header' },
    })),
  ];
}

/** Names that begin with `system:` are not passed on by the page, whichever client sends them. */
function impersonation(namespace: string): readonly object[] {
  const metadata = { name: `${name}-impersonator`, labels };
  return [
    {
      apiVersion: `${rbac}/v1`,
      kind: 'ClusterRole',
      metadata,
      rules: [{ apiGroups: [''], resources: ['users', 'groups'], verbs: ['impersonate'] }],
    },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'ClusterRoleBinding',
      metadata,
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: metadata.name },
      subjects: [{ kind: 'ServiceAccount', name, namespace }],
    },
  ];
}

/** Sessions are kept in memory: there is one replica. */
function deploymentSpec(program: OwnProgram, values: ReleaseValues): object {
  const container = {
    name,
    args: [
      'dashboard',
      '--login',
      values.login ?? 'token',
      '--host',
      '0.0.0.0',
      '--port',
      String(port),
      ...itemsOf(values.extraArgs),
    ],
    ports: [{ name: 'http', containerPort: port }],
    ready: '/',
    live: '/',
    probePort: port,
  };
  return {
    replicas: 1,
    strategy: { type: 'Recreate' },
    selector: { matchLabels: labels },
    template: podTemplate(container, program, values, { labels, selector: labels }),
  };
}
