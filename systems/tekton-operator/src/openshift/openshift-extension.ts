import { isDeepStrictEqual } from 'node:util';
import { type Client, kinds, mergePatch, ignoreNotFound } from '@tektite/client';
import { Manifest } from '@tektite/manifest';
import { controllerReference, type DynamicObject, type KubeObject } from '@tektite/meta';
import type { Namespace } from '@tektite/schema/kubernetes';
import type { Progress } from '../extension/progress.ts';
import { ensureTargetNamespace } from '../component/target-namespace.ts';
import type { TektonPipeline } from '../kinds/kinds.ts';
import { paramValue } from '../kinds/shared-fields.ts';
import type { TektonConfig } from '../kinds/tekton-config.ts';
import { isClusterNamespace } from '../job-pruner/prune-config.ts';
import type { ComponentExtension, ExtensionContext, PlatformExtension } from '../extension/extension.ts';
import { allowsNoMore } from './constraints-order.ts';
import { bundleMaps, interceptorObjects, interceptors, namespaceObjects, roleFor } from './namespace-objects.ts';
import { constraintsAnnotation, labels, pipelinesConstraints, SecurityContextConstraints } from './openshift-kinds.ts';
import { moveMonitors, withCertificates, withoutUsers } from './openshift-transforms.ts';

const rbacSet = { createdBy: 'RBAC', type: 'rhosp-rbac' };

/**
 * The extension of OpenShift: constraints and accounts for runs, certificates, monitoring, Pods without fixed users.
 */
export const openShiftExtension: PlatformExtension = {
  name: 'openshift',
  config: { preReconcile: prepareCluster, finalize: leaveCluster },
  components: Object.fromEntries(
    [
      'TektonTrigger',
      'TektonChain',
      'TektonResult',
      'TektonPruner',
      'TektonScheduler',
      'TektonMulticlusterProxyAAE',
      'ManualApprovalGate',
      'SyncerService',
      'OpenShiftPipelinesAsCode',
    ]
      .map((kind): [string, ComponentExtension] => [kind, { transforms: () => [withCertificates, withoutUsers] }])
      .concat([['TektonPipeline', pipelineExtension() as ComponentExtension]]),
  ),
};

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

function pipelineExtension(): ComponentExtension<TektonPipeline> {
  const wantsMetrics = ({ spec }: TektonPipeline) =>
    (paramValue(spec?.params, 'enableMetrics') ?? 'true').toLowerCase() === 'true';
  return {
    transforms: () => [withCertificates, withoutUsers],
    async preReconcile({ client, component, namespace, ensureSet }) {
      const state = await ensureSet('pre', Manifest.of(bundleMaps(namespace) as readonly DynamicObject[], 'cabundles'));
      if (state.state !== 'ready') return 'later';
      const metadata = { labels: { [labels.monitoring]: String(wantsMetrics(component)) } };
      return ensureTargetNamespace(client, component, namespace, metadata);
    },
    async postReconcile({ component, namespace, services, ensureSet, removeSet }) {
      const monitors = wantsMetrics(component) ? await services.payload.extra('openshift-monitoring') : undefined;
      if (!monitors) {
        await removeSet('post');
        return 'done';
      }
      const moved = monitors.transform(moveMonitors(namespace), function intoNamespace(draft) {
        if (draft.metadata.namespace) draft.metadata.namespace = namespace;
      });
      return (await ensureSet('post', moved)).state === 'ready' ? 'done' : 'later';
    },
  };
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
