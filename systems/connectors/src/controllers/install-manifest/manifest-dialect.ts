import {
  definitionEstablished,
  deploymentRolledOut,
  hasFields,
  hashMethod,
  type InstallerDialect,
  type InstallPhase,
  type ManagedPaths,
  ownedBySet,
  pathMethod,
  type PhaseFailure,
  type PhaseReport,
  type AdoptionDenial,
  statefulSetRolledOut,
  summaryStyle,
} from '@tektite/installer';
import { controllerOf, type DynamicObject, isControlledBy, isStatusError, type KubeObject } from '@tektite/meta';
import { keys, operatorName } from '../../connector-keys.ts';
import { objectHash } from '../../render/object-hash.ts';
import { objectRecreated } from './decide.ts';

/** Their content cannot be made again: they have no owner, and are never deleted. */
const keptKinds = ['CustomResourceDefinition', 'Namespace', 'PersistentVolumeClaim'];
const webhookKinds = ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'];
/** Namespaced objects come first in their phase, then these, one after the other. */
const lastOnes = ['ClusterRoleBinding', 'Job', ...webhookKinds];

const isKind =
  (...kinds: readonly string[]) =>
  ({ kind }: DynamicObject) =>
    kinds.includes(kind);

const workloadFields = ['spec.replicas', 'spec.template', 'spec.minReadySeconds', 'spec.revisionHistoryLimit'];
const workload = (fields: readonly string[], immutable: readonly string[]): ManagedPaths => ({
  managed: [...workloadFields, ...fields],
  immutable: ['spec.selector', ...immutable],
});

const byHash = hashMethod({ annotation: keys.hash, hash: objectHash, repairOwner: true });
const byPaths = pathMethod({
  kinds: {
    Deployment: workload(['spec.strategy', 'spec.progressDeadlineSeconds', 'spec.paused'], []),
    StatefulSet: workload(
      ['spec.updateStrategy', 'spec.persistentVolumeClaimRetentionPolicy', 'spec.ordinals'],
      ['spec.serviceName', 'spec.podManagementPolicy', 'spec.volumeClaimTemplates'],
    ),
    DaemonSet: {
      managed: ['spec.template', 'spec.updateStrategy', 'spec.minReadySeconds', 'spec.revisionHistoryLimit'],
      immutable: ['spec.selector'],
    },
  },
});

/** Whether a Connector, by its labels, is still installed by an InstallManifest. */
export type InUse = (namespace: string, name: string) => boolean;

/** Conditions of an InstallManifest: the first that is False, then the first that is Unknown, is what `Ready` says. */
export const manifestConditions = summaryStyle({
  summary: 'Ready',
  types: ['CrdInstalled', 'ClustersScoped', 'NamespaceScoped', 'DeploymentsAvailable', 'StatefulSetReady'],
  ready: { reason: 'Ready', message: 'everything is installed and available' },
  unknown: { reason: 'Pending', message: 'not reconciled yet' },
});

/** How InstallManifests are installed, kept and removed. */
export function manifestDialect(inUse: InUse): InstallerDialect {
  return {
    ...dialect,
    adopt: (live, _wanted, self) => denial(live, self, inUse),
    shares: (live, wanted, self) => isShared(live, wanted, self, inUse),
  };
}

function labelsOf({ metadata }: KubeObject): { readonly namespace: string; readonly name: string } {
  return {
    namespace: metadata.labels?.[keys.connectorNamespace] ?? '',
    name: metadata.labels?.[keys.connectorName] ?? '',
  };
}

function isManaged({ metadata }: KubeObject): boolean {
  return metadata.labels?.[keys.managedBy] === operatorName;
}

function ofSameConnector(live: KubeObject, self: KubeObject): boolean {
  const [one, other] = [labelsOf(live), labelsOf(self)];
  return one.namespace === other.namespace && one.name === other.name;
}

/** Connectors of one payload share its definitions, as long as they want the same. The holder keeps them; when it goes, the next takes over. */
function isShared(live: DynamicObject, wanted: DynamicObject, self: KubeObject, inUse: InUse): boolean {
  if (live.kind !== 'CustomResourceDefinition' || !isManaged(live) || ofSameConnector(live, self)) return false;
  const holder = labelsOf(live);
  return inUse(holder.namespace, holder.name) && hasFields(wanted, live, 'spec');
}

/** Objects of other owners are never touched. */
function denial(live: DynamicObject, self: KubeObject, inUse: InUse): AdoptionDenial | undefined {
  if (isControlledBy(live, self)) return undefined;
  const conflict = (message: string): AdoptionDenial => ({ reason: 'OwnershipConflict', message });
  const name = `${live.kind} ${live.metadata.namespace ? `${live.metadata.namespace}/` : ''}${live.metadata.name}`;
  const controller = controllerOf(live);
  if (controller && !keptKinds.includes(live.kind))
    return conflict(`${name} is controlled by ${controller.kind} ${controller.name}`);
  if (!isManaged(live))
    return conflict(
      `${name} exists and is not managed by ${operatorName}; add label ${keys.managedBy}=${operatorName} to adopt`,
    );
  if (ofSameConnector(live, self)) return undefined;
  const holder = labelsOf(live);
  if (holder.name === '' || !inUse(holder.namespace, holder.name)) return undefined;
  return conflict(`${name} belongs to Connector ${holder.namespace}/${holder.name}`);
}

function reportedAs(
  condition: string,
  installFailed: string,
  notReady: string = installFailed,
): Pick<InstallPhase, 'condition' | 'succeeded' | 'nothingToDo' | 'failed'> {
  return {
    condition,
    succeeded: { reason: 'Installed', message: 'all objects are as they should be' },
    nothingToDo: { reason: 'NotApplicable', message: 'there are no such objects' },
    failed: (failure) => report(failure, installFailed, notReady),
  };
}

function nameOf({ kind, namespace, name }: PhaseFailure['object']): string {
  return `${kind} ${namespace ? `${namespace}/` : ''}${name}`;
}

/** Says which object was deleted. */
export function recreatedText(object: PhaseFailure['object']): string {
  return `${nameOf(object)} was deleted; it is recreated`;
}

function report(
  { cause, object, reason, message, error }: PhaseFailure,
  installFailed: string,
  notReady: string,
): PhaseReport {
  const name = nameOf(object);
  const words: Readonly<Record<PhaseFailure['cause'], string>> = {
    error: installFailed,
    waiting: installFailed,
    refused: reason ?? installFailed,
    immutable: 'ImmutableField',
    notReady,
    broken: reason ?? notReady,
  };
  // An administrator has to grant rights first; a quick retry does not help.
  const patient = cause !== 'error' && cause !== 'immutable' ? true : isStatusError(error, 'Forbidden');
  return {
    reason: words[cause],
    message: message.startsWith(name) ? message : `${name}: ${message}`,
    retry: patient ? 'soon' : 'backoff',
  };
}

const deployments = reportedAs('DeploymentsAvailable', 'DeploymentInstallFailed', 'DeploymentNotReady');
const statefulSets = reportedAs('StatefulSetReady', 'StatefulSetInstallFailed', 'StatefulSetNotReady');

const dialect: InstallerDialect = {
  fieldManager: operatorName,
  keptKinds,
  owners: ownedBySet({ none: keptKinds }),
  recreate: ({ kind, immutable }, live) => {
    if (['Job', 'RoleBinding', 'ClusterRoleBinding'].includes(kind)) return 'Background';
    if ((kind === 'ConfigMap' || kind === 'Secret') && (immutable ?? live.immutable) === true) return 'Background';
    return ['Deployment', 'StatefulSet', 'DaemonSet'].includes(kind) ? 'Foreground' : undefined;
  },
  blocked: { reason: 'Blocked', message: 'a phase before it did not succeed' },
  conditions: manifestConditions,
  restored: (object) => ({ reason: objectRecreated, message: recreatedText(object) }),
  phases: [
    {
      name: 'definitions',
      accepts: isKind('CustomResourceDefinition'),
      install: byHash,
      check: definitionEstablished,
      patienceMs: 30_000,
      ...reportedAs('CrdInstalled', 'CrdInstallFailed', 'CrdNotEstablished'),
    },
    {
      name: 'cluster-scoped',
      accepts: ({ kind }, scope) => scope === 'Cluster' && !['ClusterRoleBinding', ...webhookKinds].includes(kind),
      install: byHash,
      ...reportedAs('ClustersScoped', 'ClusterScopedInstallFailed'),
    },
    {
      name: 'namespaced',
      accepts: ({ kind }) => !['Deployment', 'StatefulSet'].includes(kind),
      rank: ({ kind }) => lastOnes.indexOf(kind) + 1,
      install: ({ kind }) => (kind === 'DaemonSet' ? byPaths : byHash),
      ...reportedAs('NamespaceScoped', 'NamespaceScopedInstallFailed'),
    },
    // Both kinds are made before one is waited for: a Deployment that is ready only with its database would wait for ever.
    { name: 'Deployments', accepts: isKind('Deployment'), install: byPaths, ...deployments },
    { name: 'StatefulSets', accepts: isKind('StatefulSet'), install: byPaths, ...statefulSets },
    { name: 'Deployments ready', accepts: isKind('Deployment'), check: deploymentRolledOut, ...deployments },
    { name: 'StatefulSets ready', accepts: isKind('StatefulSet'), check: statefulSetRolledOut, ...statefulSets },
  ],
  prune: {},
  removal: {
    steps: [
      { accepts: isKind(...webhookKinds) },
      { accepts: isKind('Deployment', 'StatefulSet', 'DaemonSet') },
      { accepts: isKind('Job'), propagation: 'Foreground' },
      { accepts: (_object, scope) => scope !== 'Cluster' },
      { accepts: () => true },
    ],
    mayDelete: (live, self) =>
      isControlledBy(live, self) || (!controllerOf(live) && isManaged(live) && ofSameConnector(live, self)),
    waitUntilDeleted: true,
    requeueMs: 5_000,
  },
};
