import type { DynamicObject } from '@tektite/meta';
import { UserError } from '../user-error.ts';
import type { OwnProgram } from './own-program.ts';

export interface DashboardReleaseOptions {
  readonly namespace: string;
  readonly login: string;
  /** With `header`: addresses and networks of the proxy. */
  readonly trustedProxies: readonly string[];
  readonly hostNames: readonly string[];
}

const name = 'tektite-dashboard';
const labels = { 'app.kubernetes.io/name': name, 'app.kubernetes.io/part-of': 'tektite' };
const rbac = 'rbac.authorization.k8s.io';
const port = 8080;

/**
 * The objects that serve the page on a cluster. Users act with their own rights, so its account has none; where a proxy logs them in,
 * it may impersonate users and groups, and do nothing else.
 */
export function dashboardObjects(program: OwnProgram, options: DashboardReleaseOptions): readonly DynamicObject[] {
  const { namespace, login, trustedProxies } = options;
  if (login === 'header' && trustedProxies.length === 0)
    throw new UserError('--login header: name the addresses of the proxy with --trusted-proxy', 2);
  const metadata = { name, namespace, labels };
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
    ...(login === 'header' ? impersonation(namespace) : []),
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata,
      spec: { selector: labels, ports: [{ name: 'http', port: 80, targetPort: port }] },
    },
    { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: deploymentSpec(program, options) },
  ] as unknown as readonly DynamicObject[];
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
function deploymentSpec({ image, command }: OwnProgram, options: DashboardReleaseOptions): object {
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
