import { clusterRoleFor, definitionsOf, namespaceRoleFor, type System } from '@tektite/controller';
import { webhookConfigurations } from '@tektite/controller/webhook';
import type { DynamicObject, KubeObject } from '@tektite/meta';
import type { OwnProgram } from './own-program.ts';

/** How a system is installed on a cluster. */
export interface SystemRelease {
  readonly system: System;
  /** Its name on the command line. */
  readonly systemName: string;
  /** Of its account, its roles and its Deployment. */
  readonly name: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  /** On its Pods besides, for those who select them. */
  readonly podLabels?: Readonly<Record<string, string>>;
  /** The Service in front of its webhooks. */
  readonly webhookService: string;
  /** Variables of its process. */
  readonly environment?: readonly { readonly name: string; readonly value: string }[];
  readonly args?: readonly string[];
  /** Whether its process gets the address of its Pod. */
  readonly hasPodAddress?: boolean;
  /** What its process keeps: a volume of this size. */
  readonly data?: { readonly claim: string; readonly mountPath: string; readonly size: string };
  /** Ports that its Services lead to, besides. */
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
}

/** Nobody in particular. */
const processUser = 65_532;
const rbac = 'rbac.authorization.k8s.io';

/** Everything that runs a system on a cluster, as a Deployment of this same program: definitions, settings, rights, webhooks. */
export function systemObjects(release: SystemRelease, program: OwnProgram): readonly DynamicObject[] {
  const { system, name, namespace, labels, webhookService } = release;
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace, labels } };
  const roles: readonly KubeObject[] = [
    clusterRoleFor(system, name),
    namespaceRoleFor(system, { namespace, name, webhookService }),
  ];
  const labelled = (object: KubeObject): KubeObject => ({
    ...object,
    metadata: { ...object.metadata, labels: { ...labels, ...object.metadata.labels } },
  });
  return [
    ...definitionsOf(system.kinds),
    ...(system.objects ?? []),
    account,
    ...roles.flatMap((role) => [labelled(role), bindingOf(labelled(role), name, namespace)]),
    ...(system.webhooks?.length ? [...emptyConfigurations(release), serviceOf(release, program)] : []),
    ...(release.data ? [claimOf(release, release.data)] : []),
    deploymentOf(release, program),
  ] as readonly DynamicObject[];
}

function bindingOf({ kind, metadata }: KubeObject, account: string, namespace: string): KubeObject {
  return {
    apiVersion: `${rbac}/v1`,
    kind: `${kind}Binding`,
    metadata,
    roleRef: { apiGroup: rbac, kind, name: metadata.name },
    subjects: [{ kind: 'ServiceAccount', name: account, namespace }],
  } as KubeObject;
}

/**
 * The configurations of its webhooks, which ask for nothing yet: the process writes what they are asked, once it answers. They are
 * here so that they go with everything else.
 */
function emptyConfigurations({ system, namespace, webhookService, labels }: SystemRelease): readonly KubeObject[] {
  const address = { service: { namespace, name: webhookService } };
  return webhookConfigurations(system.webhooks ?? [], address).map((configuration) => ({
    ...configuration,
    metadata: { ...configuration.metadata, labels },
    webhooks: (configuration.webhooks ?? []).map(({ rules: _rules, ...webhook }) => webhook),
  })) as readonly KubeObject[];
}

function serviceOf(
  { name, namespace, labels, webhookService }: SystemRelease,
  { webhookPort }: OwnProgram,
): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: webhookService, namespace, labels },
    spec: {
      selector: { 'app.kubernetes.io/name': name, ...selectorOf(labels) },
      ports: [{ name: 'https-webhook', port: 443, targetPort: webhookPort }],
    },
  } as KubeObject;
}

const selectorOf = (labels: Readonly<Record<string, string>>) => ({
  'app.kubernetes.io/part-of': labels['app.kubernetes.io/part-of'] ?? '',
});

function claimOf(
  { namespace, labels }: SystemRelease,
  { claim, size }: NonNullable<SystemRelease['data']>,
): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: claim, namespace, labels },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: size } } },
  } as KubeObject;
}

function deploymentOf(release: SystemRelease, program: OwnProgram): KubeObject {
  const {
    systemName,
    name,
    namespace,
    labels,
    podLabels,
    webhookService,
    environment = [],
    args = [],
    data,
    ports = [],
  } = release;
  const { image, command, webhookPort, statusPort } = program;
  const folders = Object.entries(program.folders).map(([mountPath, path], index) => ({
    name: `program-${index}`,
    mountPath,
    path,
  }));
  const volumes = [
    ...folders.map(({ name: volume, path }) => ({ name: volume, hostPath: { path, type: 'Directory' } })),
    ...(data ? [{ name: 'data', persistentVolumeClaim: { claimName: data.claim } }] : []),
  ];
  const volumeMounts = [
    ...folders.map(({ name: volume, mountPath }) => ({ name: volume, mountPath, readOnly: true })),
    ...(data ? [{ name: 'data', mountPath: data.mountPath }] : []),
  ];
  const own = { 'app.kubernetes.io/name': name, ...selectorOf(labels) };
  const webhooks = release.system.webhooks?.length
    ? ['--webhook-port', String(webhookPort), '--webhook-service', webhookService]
    : [];
  const probe = (path: string) => ({ httpGet: { path, port: statusPort }, periodSeconds: 5, timeoutSeconds: 5 });
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace, labels: { ...labels, ...own } },
    spec: {
      replicas: 1,
      // A volume is for one process at a time.
      ...(data ? { strategy: { type: 'Recreate' } } : {}),
      selector: { matchLabels: own },
      template: {
        metadata: { labels: { ...labels, ...own, ...podLabels } },
        spec: {
          serviceAccountName: name,
          ...(volumes.length > 0 ? { volumes } : {}),
          ...(data ? { securityContext: { fsGroup: processUser } } : {}),
          containers: [
            {
              name,
              image,
              command,
              args: [
                'controller',
                '--systems',
                systemName,
                '--no-install',
                '--system-namespace',
                '$(SYSTEM_NAMESPACE)',
                ...webhooks,
                '--status-address',
                `:${statusPort}`,
                ...args,
              ],
              env: [
                { name: 'SYSTEM_NAMESPACE', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } },
                ...(release.hasPodAddress
                  ? [{ name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } }]
                  : []),
                ...environment,
              ],
              ports: [
                { name: 'metrics', containerPort: statusPort },
                ...(webhooks.length > 0 ? [{ name: 'https-webhook', containerPort: webhookPort }] : []),
                ...ports,
              ],
              readinessProbe: probe('/readyz'),
              livenessProbe: { ...probe('/healthz'), initialDelaySeconds: 20, failureThreshold: 6 },
              ...(volumeMounts.length > 0 ? { volumeMounts } : {}),
              resources: { requests: { cpu: '100m', memory: '128Mi' } },
              securityContext: { runAsNonRoot: true, runAsUser: processUser, runAsGroup: processUser },
            },
          ],
        },
      },
    },
  } as KubeObject;
}
