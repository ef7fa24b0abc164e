import { isDeepStrictEqual } from 'node:util';
import { type Client, kinds, mergePatch, ignoreNotFound } from '@tektite/client';
import { mapped } from '@tektite/controller';
import { controllerReference, type DynamicObject, type KubeObject } from '@tektite/meta';
import type { Namespace } from '@tektite/schema/kubernetes';
import type { Progress } from '../extension/progress.ts';
import { hasApi } from '../component/has-api.ts';
import { keys } from '../installer-set/set-keys.ts';
import { ManualApprovalGate } from '../kinds/kinds.ts';
import { paramValue } from '../kinds/shared-fields.ts';
import type { TektonConfig } from '../kinds/tekton-config.ts';
import { isClusterNamespace } from '../job-pruner/prune-config.ts';
import type { ComponentExtension, ExtensionContext, PlatformExtension } from '../extension/extension.ts';
import { ApiServer, CentralTls } from './central-tls.ts';
import { ensureConsolePlugin } from './console-plugin.ts';
import { allowsNoMore } from './constraints-order.ts';
import { bundleMaps, interceptorObjects, interceptors, namespaceObjects, roleFor } from './namespace-objects.ts';
import { constraintsAnnotation, labels, pipelinesConstraints, SecurityContextConstraints } from './openshift-kinds.ts';
import { withCertificates, withoutUsers } from './openshift-transforms.ts';
import { pipelineParts } from './pipeline-parts.ts';
import { resultParts, withServingCertificate } from './result-route.ts';
import { profileHash, type TlsServer, withTlsProfile } from './tls-profile.ts';

const rbacSet = { createdBy: 'RBAC', type: 'rhosp-rbac' };

const webhookOf = (deployment: string, container = 'webhook'): TlsServer => ({
  deployment,
  container,
  prefix: 'WEBHOOK_',
});

/** The servers of components that follow the TLS profile of the cluster. */
const tlsServers: Readonly<Record<string, readonly TlsServer[]>> = {
  TektonPipeline: [webhookOf('tekton-pipelines-webhook')],
  TektonTrigger: [
    webhookOf('tekton-triggers-webhook'),
    {
      deployment: 'tekton-triggers-core-interceptors',
      container: 'tekton-triggers-core-interceptors',
      prefix: '',
    },
  ],
  TektonResult: [{ deployment: 'tekton-results-api', container: 'api', prefix: '' }],
  TektonPruner: [webhookOf('tekton-pruner-webhook')],
  ManualApprovalGate: [webhookOf('manual-approval-gate-webhook', 'manual-approval')],
  OpenShiftPipelinesAsCode: [
    webhookOf('pipelines-as-code-webhook', 'pac-webhook'),
    { deployment: 'pipelines-as-code-controller', container: 'pac-controller', prefix: '' },
  ],
};

const plainComponents = ['TektonChain', 'TektonScheduler', 'TektonMulticlusterProxyAAE', 'SyncerService'];

/**
 * The extension of OpenShift: constraints and accounts for runs, certificates, monitoring, Pods without fixed users, the TLS profile of the
 * cluster, the Route of Results.
 */
export const openShiftExtension: PlatformExtension = {
  ...extensionWith(new CentralTls(false)),
  async forServer(client) {
    const isServed = await hasApi(client, 'config.openshift.io/v1');
    const extension = extensionWith(new CentralTls(isServed));
    return isServed ? { ...extension, sources: [mapped(ApiServer, () => ['config'])] } : extension;
  },
};

function extensionWith(tls: CentralTls): PlatformExtension {
  const following = (kind: string, more: ComponentExtension = {}): [string, ComponentExtension] => [
    kind,
    {
      ...more,
      transforms: (component, services) => [
        withCertificates,
        withoutUsers,
        ...(more.transforms?.(component, services) ?? []),
        ...(tls.profile ? [withTlsProfile(tls.profile, tlsServers[kind] ?? [])] : []),
      ],
      async preReconcile(run) {
        await tls.refresh(run.client);
        return (await more.preReconcile?.(run)) ?? 'done';
      },
    },
  ];
  const result = { ...resultParts, transforms: () => [withServingCertificate] } as ComponentExtension;
  const components = Object.fromEntries([
    ...plainComponents.map((kind): [string, ComponentExtension] => [
      kind,
      { transforms: () => [withCertificates, withoutUsers] },
    ]),
    ...Object.keys(tlsServers).map((kind) => following(kind)),
    following('TektonResult', result),
    following('TektonPipeline', pipelineParts as ComponentExtension),
  ]);
  return {
    name: 'openshift',
    config: {
      async preReconcile(run) {
        await tls.refresh(run.client);
        return prepareCluster(run);
      },
      async postReconcile(run) {
        await markGate(run.client, tls.profile ? profileHash(tls.profile) : '');
        return ensureConsolePlugin(run, tls.profile);
      },
      finalize: leaveCluster,
      platformData: () => (tls.profile ? profileHash(tls.profile) : ''),
    },
    components,
  };
}

/** The approval gate is no component of the TektonConfig, and follows the profile of the cluster all the same. */
async function markGate(client: Client, hash: string): Promise<void> {
  const key = { name: 'manual-approval-gate' };
  const gate = await client.getOrUndefined(ManualApprovalGate, key);
  if (!gate || (gate.metadata.annotations?.[keys.platformDataHash] ?? '') === hash) return;
  const annotations = { [keys.platformDataHash]: hash };
  await client.patch(ManualApprovalGate, key, mergePatch({ metadata: { annotations } }));
}

const isOn = (params: NonNullable<TektonConfig['spec']>['params'], name: string, standard = 'true') =>
  (paramValue(params, name) ?? standard) !== 'false';

async function prepareCluster(run: ExtensionContext<TektonConfig>): Promise<Progress> {
  const { component, client, sets, services } = run;
  const { params, platforms } = component.spec ?? {};
  const wantsRbac = isOn(params, 'createRbacResource');
  const wantsBundles = isOn(params, 'createCABundleConfigMaps', wantsRbac ? 'true' : 'false');
  let limit: KubeObject | undefined;
  if (!wantsRbac) {
    if (!(await sets.remove(rbacSet.createdBy, rbacSet.type))) await unmarkNamespaces(client, labels.rbacVersion);
  } else {
    const state = await sets.ensure({
      ...rbacSet,
      targetNamespace: run.namespace,
      version: services.version,
      parts: [{ generateName: 'rhosp-rbac-', objects: [pipelinesConstraints as DynamicObject] }],
    });
    if (state.state === 'notReady') throw new Error(state.message);
    if (state.state === 'waiting') return 'later';
    const { scc } = platforms?.openshift ?? {};
    const standard = scc?.default ?? 'pipelines-scc';
    const first = await existing(client, standard);
    if (scc?.maxAllowed) {
      limit = await existing(client, scc.maxAllowed);
      if (!allowsNoMore(first, limit))
        throw new Error(`maxAllowed SCC: ${scc.maxAllowed} must be less restrictive than the default SCC: ${standard}`);
    }
    const [owner] = sets.of(rbacSet.createdBy, rbacSet.type);
    if (!owner) return 'later';
    const role = roleFor('ClusterRole', standard, {
      name: 'pipelines-scc-clusterrole',
      ownerReferences: [controllerReference(owner)],
    });
    await applyOwn(client, role);
  }
  await serveNamespaces(run, { wantsRbac, wantsBundles, limit });
  return 'done';
}

interface NamespaceOptions {
  readonly wantsRbac: boolean;
  readonly wantsBundles: boolean;
  /** The upper limit for the constraints of a namespace. */
  readonly limit: KubeObject | undefined;
}

/** Accounts and certificates for the namespaces of users; each once for a version, and again when it asks for other constraints. */
async function serveNamespaces(
  { client, services, sets, context }: ExtensionContext<TektonConfig>,
  { wantsRbac, wantsBundles, limit }: NamespaceOptions,
): Promise<void> {
  const [owner] = sets.of(rbacSet.createdBy, rbacSet.type);
  const served: string[] = [];
  for (const { metadata } of (await client.list(kinds.Namespace)).items) {
    const { name = '', annotations, deletionTimestamp } = metadata;
    if (isClusterNamespace(name) || deletionTimestamp) continue;
    const constraints = annotations?.[constraintsAnnotation] || undefined;
    const version = constraints ? `${services.version}_${constraints}` : services.version;
    const marks: Record<string, string> = {};
    if (wantsRbac && owner && metadata.labels?.[labels.rbacVersion] !== version) {
      const denial = constraints ? await denialOf(client, name, constraints, limit) : undefined;
      if (denial) {
        await recordDenial(client, name, denial, context.clock.now());
        continue;
      }
      for (const object of namespaceObjects(name, constraints, controllerReference(owner)))
        await applyOwn(client, object);
      marks[labels.rbacVersion] = version;
    }
    served.push(name);
    if (wantsBundles && metadata.labels?.[labels.bundlesVersion] !== services.version) {
      for (const object of bundleMaps(name)) await applyOwn(client, object);
      marks[labels.bundlesVersion] = services.version;
    }
    if (Object.keys(marks).length > 0)
      await client.patch(kinds.Namespace, { name }, mergePatch({ metadata: { labels: marks } }));
  }
  if (wantsRbac && owner && !(await bindsInterceptors(client, served)))
    for (const object of interceptorObjects(served, controllerReference(owner))) await applyOwn(client, object);
}

async function bindsInterceptors(client: Client, namespaces: readonly string[]): Promise<boolean> {
  const binding = await client.getOrUndefined(kinds.ClusterRoleBinding, { name: interceptors });
  return (
    binding !== undefined &&
    isDeepStrictEqual(
      (binding.subjects ?? []).map(({ namespace }) => namespace),
      namespaces,
    )
  );
}

interface ConstraintsDenial {
  readonly reason: string;
  readonly message: string;
}

/** Why a namespace does not get the constraints it asks for. */
async function denialOf(
  client: Client,
  namespace: string,
  name: string,
  limit: KubeObject | undefined,
): Promise<ConstraintsDenial | undefined> {
  const wanted = await findConstraints(client, name);
  if (!wanted)
    return {
      reason: 'RequestedSCCNotFound',
      message: `the SCC ${name} that this namespace asks for was not found`,
    };
  if (!limit || allowsNoMore(wanted, limit)) return undefined;
  return {
    reason: 'RequestedSCCNotAllowed',
    message: `namespace: ${namespace} has requested SCC: ${name}, but it is less restrictive than the 'maxAllowed' SCC: ${limit.metadata.name}`,
  };
}

/** Records an Event for a namespace whose constraints are denied, once. */
async function recordDenial(client: Client, namespace: string, denial: ConstraintsDenial, now: number): Promise<void> {
  const { items } = await client.list(kinds.Event, { namespace });
  if (items.some(({ reason, message }) => reason === denial.reason && message === denial.message)) return;
  await client.create(kinds.Event, {
    ...denial,
    metadata: { generateName: 'pipelines-scc-failure-', namespace },
    eventTime: new Date(now).toISOString().replace('Z', '000Z'),
    action: 'SCCNotUpdated',
    type: 'Warning',
    reportingComponent: 'openshift-pipelines-operator',
    reportingInstance: 'openshift-pipelines-operator',
    involvedObject: { apiVersion: 'v1', kind: 'Namespace', name: namespace, namespace },
  } as never);
}

async function leaveCluster({ client, sets }: ExtensionContext<TektonConfig>): Promise<void> {
  await sets.remove(rbacSet.createdBy, rbacSet.type);
  for (const [kind, name] of [
    [kinds.ValidatingWebhookConfiguration, 'namespace.operator.tekton.dev'],
    [kinds.MutatingWebhookConfiguration, 'proxy.operator.tekton.dev'],
  ] as const)
    await client.delete(kind as never, { name }).catch(ignoreNotFound);
  for (const label of [labels.rbacVersion, labels.bundlesVersion]) await unmarkNamespaces(client, label);
}

async function unmarkNamespaces(client: Client, label: string): Promise<void> {
  const marked: readonly Namespace[] = (await client.list(kinds.Namespace, { labelSelector: label })).items;
  for (const { metadata } of marked)
    await client.patch(
      kinds.Namespace,
      { name: metadata.name ?? '' },
      mergePatch({ metadata: { labels: { [label]: null } } }),
    );
}

async function existing(client: Client, name: string): Promise<KubeObject> {
  const found = await findConstraints(client, name);
  if (!found) throw new Error(`failed to verify scc ${name} exists`);
  return found;
}

async function findConstraints(client: Client, name: string): Promise<KubeObject | undefined> {
  return await client.getOrUndefined(SecurityContextConstraints, { name });
}

async function applyOwn(client: Client, object: KubeObject): Promise<void> {
  await client.apply(object as never, { fieldManager: 'tekton-operator', force: true });
}
