import type { DynamicObject } from '@tektite/meta';
import type { MadeRelease } from '@tektite/tekton-operator';
import { version } from '../version.ts';
import { podTemplate } from './pod-template.ts';
import { installedValues, type ReleaseObject, type ReleaseValues } from './release-values.ts';
import { itemsOf } from './template-value.ts';
import type { OwnProgram } from './own-program.ts';

/** The names and ports by which clients find the page. */
interface PageNames {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly port: number;
  readonly servicePort: number;
}

const own: PageNames = {
  name: 'tektite-dashboard',
  labels: { 'app.kubernetes.io/name': 'tektite-dashboard', 'app.kubernetes.io/part-of': 'tektite' },
  port: 8080,
  servicePort: 80,
};
const tekton: PageNames = {
  name: 'tekton-dashboard',
  labels: { 'app.kubernetes.io/name': 'dashboard', 'app.kubernetes.io/part-of': 'tekton-dashboard' },
  port: 9097,
  servicePort: 9097,
};
const rbac = 'rbac.authorization.k8s.io';

/**
 * A release of the Tekton Dashboard that this program makes: its page, where upstream has its own. Names and the port are upstream's.
 * Users log in with tokens and have their own rights, where upstream's have those of its account.
 */
export function dashboardRelease(program: () => OwnProgram): MadeRelease {
  const objects = () => {
    const namespace = 'tekton-pipelines';
    const metadata = { name: 'dashboard-info', namespace, labels: tekton.labels };
    const info = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { version: `v${version}` } };
    const started = program();
    return [info as DynamicObject, ...servedPage(tekton, namespace, started, installedValues(started))];
  };
  return { folder: 'tekton-dashboard', version: `v${version}`, objects };
}

/**
 * The objects that serve the page on a cluster. Users act with their own rights, so its account has none; where a proxy logs them in,
 * it may impersonate users and groups, and do nothing else.
 */
export function dashboardReleaseObjects(
  program: OwnProgram,
  values: ReleaseValues,
  namespace: string = 'tektite-dashboard',
): readonly ReleaseObject<DynamicObject>[] {
  const always: readonly DynamicObject[] = [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels: own.labels } },
    ...servedPage(own, namespace, program, values),
  ];
  return [
    ...always.map((object) => ({ object })),
    ...impersonation(namespace).map((object) => ({
      object: object as DynamicObject,
      when: { path: 'login', equals: 'header' },
    })),
  ];
}

/** The account, the Service and the Deployment of the page. */
function servedPage(
  names: PageNames,
  namespace: string,
  program: OwnProgram,
  values: ReleaseValues,
): readonly DynamicObject[] {
  const { name, labels, port, servicePort } = names;
  const metadata = { name, namespace, labels };
  const ports = [{ name: 'http', port: servicePort, targetPort: port }];
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
    { apiVersion: 'v1', kind: 'Service', metadata, spec: { selector: labels, ports } },
    { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: deploymentSpec(names, program, values) },
  ] as readonly object[] as readonly DynamicObject[];
}

/** Names that begin with `system:` are not passed on by the page, whichever client sends them. */
function impersonation(namespace: string): readonly object[] {
  const { name, labels } = own;
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
function deploymentSpec({ name, labels, port }: PageNames, program: OwnProgram, values: ReleaseValues): object {
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
