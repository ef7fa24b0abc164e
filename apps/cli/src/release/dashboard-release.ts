import type { DynamicObject } from '@tektite/meta';
import type { MadeRelease } from '@tektite/tekton-operator';
import { UserError } from '../user-error.ts';
import { version } from '../version.ts';
import type { OwnProgram } from './own-program.ts';
import { programFolders } from './program-folders.ts';

export interface DashboardReleaseOptions {
  readonly namespace: string;
  readonly login: string;
  /** With `header`: addresses and networks of the proxy. */
  readonly trustedProxies: readonly string[];
  readonly hostNames: readonly string[];
}

/** What clients find the page by. */
interface DashboardNames {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly port: number;
  readonly servicePort: number;
}

const own: DashboardNames = {
  name: 'tektite-dashboard',
  labels: { 'app.kubernetes.io/name': 'tektite-dashboard', 'app.kubernetes.io/part-of': 'tektite' },
  port: 8080,
  servicePort: 80,
};
const tekton: DashboardNames = {
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
  return { folder: 'tekton-dashboard', version: `v${version}`, objects: () => tektonObjects(program()) };
}

function tektonObjects(program: OwnProgram): readonly DynamicObject[] {
  const namespace = 'tekton-pipelines';
  const { labels } = tekton;
  const info = { name: 'dashboard-info', namespace, labels };
  return [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: info, data: { version: `v${version}` } } as DynamicObject,
    ...servedPage(program, tekton, { namespace, login: 'token', trustedProxies: [], hostNames: [] }),
  ];
}

/**
 * The objects that serve the page on a cluster. Users act with their own rights, so its account has none; where a proxy logs them in,
 * it may impersonate users and groups, and do nothing else.
 */
export function dashboardObjects(program: OwnProgram, options: DashboardReleaseOptions): readonly DynamicObject[] {
  const { namespace, login, trustedProxies } = options;
  if (login === 'header' && trustedProxies.length === 0)
    throw new UserError('--login header: name the addresses of the proxy with --trusted-proxy', 2);
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels: own.labels } },
    ...(login === 'header' ? impersonation(namespace) : []),
    ...servedPage(program, own, options),
  ] as unknown as readonly DynamicObject[];
}

/** The account, the Service and the Deployment of the page. */
function servedPage(
  program: OwnProgram,
  names: DashboardNames,
  options: DashboardReleaseOptions,
): readonly DynamicObject[] {
  const { name, labels, port, servicePort } = names;
  const metadata = { name, namespace: options.namespace, labels };
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata,
      spec: { selector: labels, ports: [{ name: 'http', port: servicePort, targetPort: port }] },
    },
    { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: deploymentSpec(program, names, options) },
  ] as unknown as readonly DynamicObject[];
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
function deploymentSpec(program: OwnProgram, names: DashboardNames, options: DashboardReleaseOptions): object {
  const { name, labels, port } = names;
  const { image, command } = program;
  const folders = programFolders(program);
  const { login, trustedProxies, hostNames } = options;
  const probe = { httpGet: { path: '/', port }, periodSeconds: 5, timeoutSeconds: 5 };
  return {
    replicas: 1,
    strategy: { type: 'Recreate' },
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: {
        serviceAccountName: name,
        ...folders.pod,
        containers: [
          {
            name,
            image,
            command,
            args: [
              'dashboard',
              '--login',
              login,
              '--host',
              '0.0.0.0',
              '--port',
              String(port),
              ...trustedProxies.flatMap((address) => ['--trusted-proxy', address]),
              ...hostNames.flatMap((each) => ['--host-name', each]),
            ],
            ports: [{ name: 'http', containerPort: port }],
            ...folders.container,
            readinessProbe: probe,
            livenessProbe: { ...probe, initialDelaySeconds: 10, failureThreshold: 6 },
            resources: { requests: { cpu: '50m', memory: '96Mi' } },
            securityContext: {
              runAsNonRoot: true,
              runAsUser: 65_532,
              runAsGroup: 65_532,
              allowPrivilegeEscalation: false,
              readOnlyRootFilesystem: true,
              capabilities: { drop: ['ALL'] },
            },
          },
        ],
      },
    },
  };
}
