import { clusterRoleFor, definitionsOf, namespaceRoleFor, type System } from '@tektite/controller';
import { conversionsOf, webhookConfigurations } from '@tektite/controller/webhook';
import type { DynamicObject, KubeObject } from '@tektite/meta';
import { surroundings } from './availability.ts';
import type { OwnProgram } from './own-program.ts';
import { podTemplate } from './pod-template.ts';
import { isIncluded, type ReleaseObject, type ReleaseValues } from './release-values.ts';
import { itemsOf } from './template-value.ts';

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
  /** Its Pods, where a Deployment of upstream has the same name: the selector of a Deployment cannot be changed. */
  readonly selector?: Readonly<Record<string, string>>;
  /** Its name in Leases, where upstream's processes compete for the same. */
  readonly processName?: string;
  /** Deployments of upstream whose work its process does, too. With `takeover`, they are scaled to zero. */
  readonly replaces?: readonly ReplacedDeployment[];
  /** Variables of its process. */
  readonly environment?: readonly { readonly name: string; readonly value: string }[];
  readonly args?: readonly string[];
  /** Whether its process gets the address of its Pod, and is reached there at ports that it chooses. */
  readonly hasPodAddress?: boolean;
  /** The ConfigMap with the settings of its leader election, as the operator writes them. */
  readonly election?: string;
  /** The volume of its process, of this size: for one process at a time. */
  readonly data?: { readonly claim: string; readonly mountPath: string; readonly size: string };
  /** Ports that its Services lead to, besides. */
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
}

/** A Deployment of upstream. */
export interface ReplacedDeployment {
  readonly name: string;
  readonly namespace: string;
  readonly selector: Readonly<Record<string, string>>;
}

const rbac = 'rbac.authorization.k8s.io';

/** Everything that runs a system on a cluster with these values, as a Deployment of this same program. */
export function systemObjects(
  release: SystemRelease,
  program: OwnProgram,
  values: ReleaseValues,
): readonly DynamicObject[] {
  return releaseObjects(release, program, values)
    .filter(({ when }) => when === undefined || isIncluded(when, values))
    .map(({ object }) => object);
}

/** The same, with what depends on values: definitions, settings, rights, webhooks, the Deployment and what stands around it. */
export function releaseObjects(
  release: SystemRelease,
  program: OwnProgram,
  values: ReleaseValues,
): readonly ReleaseObject<DynamicObject>[] {
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
  const hasWebhooks = system.webhooks?.length !== undefined && system.webhooks.length > 0;
  const always = [
    ...eachOnce(system.objects ?? []),
    account,
    ...roles.flatMap((role) => [labelled(role), bindingOf(labelled(role), name, namespace)]),
    ...(hasWebhooks ? [...emptyConfigurations(release), serviceOf(release, program)] : []),
    ...(release.data ? [claimOf(release, release.data)] : []),
    deploymentOf(release, program, values),
  ] as readonly DynamicObject[];
  const selector = selectorOf(release);
  const { statusPort, webhookPort } = program;
  const served = (release.ports ?? []).map(({ containerPort }) => containerPort);
  const openPorts = release.hasPodAddress ? undefined : [statusPort, ...(hasWebhooks ? [webhookPort] : []), ...served];
  return [
    ...definitions(release).map((object) => ({ object, when: { path: 'crds.install' } })),
    ...always.map((object) => ({ object })),
    ...(release.replaces ?? []).map((replaced) => ({
      object: idleDeployment(replaced, release, program, values),
      when: { path: 'takeover' },
    })),
    ...surroundings({ name, namespace, labels, selector, statusPort, openPorts }),
  ];
}

/**
 * The definitions of its kinds. Where it converts objects, they say so before its process does: until then, requests for another
 * version fail, and no object is taken for one of another version.
 */
function definitions({ system, namespace, webhookService }: SystemRelease): readonly DynamicObject[] {
  const conversions = conversionsOf(system.webhooks ?? [], { service: { namespace, name: webhookService } });
  return definitionsOf(system.kinds).map((definition) => {
    const conversion = conversions.get(definition.metadata.name ?? '');
    const spec = conversion ? { ...definition.spec, conversion } : definition.spec;
    return { ...definition, spec } as unknown as DynamicObject;
  });
}

/** Settings of several parts may come with one namespace. */
function eachOnce(objects: readonly KubeObject[]): readonly KubeObject[] {
  const byName = new Map(
    objects.map((each) => [`${each.kind}/${each.metadata.namespace}/${each.metadata.name}`, each]),
  );
  return [...byName.values()];
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
 * The configurations of its webhooks, which ask for nothing yet: the process writes what they are asked and at which path, once it
 * answers. They are here so that they go with everything else, and are as upstream's: a path that is applied here would be removed when
 * upstream's release is applied over this one, while this process still answers.
 */
function emptyConfigurations({ system, namespace, webhookService, labels }: SystemRelease): readonly KubeObject[] {
  const address = { service: { namespace, name: webhookService } };
  return webhookConfigurations(system.webhooks ?? [], address).map((configuration) => ({
    ...configuration,
    metadata: { ...configuration.metadata, labels },
    webhooks: (configuration.webhooks ?? []).map(({ rules: _rules, ...webhook }) => ({
      ...webhook,
      clientConfig: address,
    })),
  })) as readonly KubeObject[];
}

function serviceOf(release: SystemRelease, { webhookPort }: OwnProgram): KubeObject {
  const { namespace, labels, webhookService } = release;
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: webhookService, namespace, labels },
    spec: {
      selector: selectorOf(release),
      ports: [{ name: 'https-webhook', port: 443, targetPort: webhookPort }],
    },
  } as KubeObject;
}

function selectorOf({ name, labels, selector }: SystemRelease): Readonly<Record<string, string>> {
  if (selector) return selector;
  return {
    'app.kubernetes.io/name': name,
    'app.kubernetes.io/part-of': labels['app.kubernetes.io/part-of'] ?? '',
  };
}

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

/** A Deployment in the place of upstream's, with no Pods. It is complete, as any apply wants it. */
function idleDeployment(
  { name, namespace, selector }: ReplacedDeployment,
  { labels, name: account }: SystemRelease,
  program: OwnProgram,
  values: ReleaseValues,
): DynamicObject {
  const { statusPort } = program;
  const container = {
    name: account,
    args: ['version'],
    ports: [],
    ready: '/readyz',
    live: '/livez',
    probePort: statusPort,
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace, labels: { ...labels, ...selector } },
    spec: {
      replicas: 0,
      selector: { matchLabels: selector },
      template: podTemplate(container, program, values, { labels: selector, selector }),
    },
  };
}

function deploymentOf(release: SystemRelease, program: OwnProgram, values: ReleaseValues): KubeObject {
  const { systemName, name, namespace, labels, podLabels, webhookService, environment = [], args = [], data } = release;
  const { webhookPort, statusPort } = program;
  const selector = selectorOf(release);
  const webhooks = release.system.webhooks?.length
    ? ['--webhook-port', String(webhookPort), '--webhook-service', webhookService]
    : [];
  const container = {
    name,
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
      '--log-level',
      values.logLevel,
      '--leader-elect-lease-duration',
      values.leaderElection.leaseDuration,
      '--leader-elect-renew-deadline',
      values.leaderElection.renewDeadline,
      '--leader-elect-retry-period',
      values.leaderElection.retryPeriod,
      '--shutdown-delay-duration',
      values.shutdownDelay,
      ...(release.processName ? ['--unique-process-name', release.processName] : []),
      ...args,
      ...itemsOf(values.extraArgs),
    ],
    env: [
      { name: 'SYSTEM_NAMESPACE', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } },
      ...(release.hasPodAddress ? [{ name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } }] : []),
      ...(release.election ? [{ name: 'CONFIG_LEADERELECTION_NAME', value: release.election }] : []),
      ...environment,
    ],
    ports: [
      { name: 'metrics', containerPort: statusPort },
      ...(webhooks.length > 0 ? [{ name: 'https-webhook', containerPort: webhookPort }] : []),
      ...(release.ports ?? []),
    ],
    ...(data ? { data } : {}),
    ready: '/readyz',
    live: '/livez',
    probePort: statusPort,
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace, labels: { ...labels, ...selector } },
    spec: {
      replicas: data ? 1 : values.replicas,
      ...(data ? { strategy: { type: 'Recreate' } } : {}),
      selector: { matchLabels: selector },
      template: podTemplate(container, program, values, {
        labels: { ...labels, ...selector, ...podLabels },
        selector,
      }),
    },
  } as KubeObject;
}

/** Arguments for images that are named; nodes of this program know others. */
export function imageArguments({ entrypointImage, shellImage }: ReleaseValues): readonly string[] {
  return [
    ...(entrypointImage === undefined ? [] : ['--entrypoint-image', entrypointImage]),
    ...(shellImage === undefined ? [] : ['--shell-image', shellImage]),
  ];
}
