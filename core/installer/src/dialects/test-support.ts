import { controllerOf, type DynamicObject, hasOwner, isControlledBy, knativeConditionSet } from '@tektite/meta';
import {
  contentHash,
  definitionEstablished,
  deploymentAvailable,
  deploymentRolledOut,
  hashMethod,
  type InstallerDialect,
  type InstallPhase,
  jobComplete,
  knativeStyle,
  type ManagedPaths,
  ownedBySet,
  pathMethod,
  type PhaseFailure,
  type PhaseReport,
  statefulSetReplicasReady,
  statefulSetRolledOut,
  summaryStyle,
} from '../index.ts';

const isKind =
  (...kinds: readonly string[]) =>
  ({ kind }: DynamicObject) =>
    kinds.includes(kind);

const webhookKinds = ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'];

// ---- As the Tekton operator installs

const tektonHash = hashMethod({ annotation: 'operator.tekton.dev/last-applied-hash' });
const tektonPaths = pathMethod({
  kinds: { Deployment: { managed: ['spec'], immutable: ['spec.selector'] }, '*': { managed: ['spec'] } },
});
const tektonCluster = isKind(
  'Namespace',
  'PersistentVolume',
  ...webhookKinds,
  'APIService',
  'ClusterRole',
  'PriorityClass',
  'StorageClass',
);

function tektonInstall(name: string, condition: string): Omit<InstallPhase, 'accepts'> {
  return {
    name,
    condition,
    failed: ({ cause, message }) => ({
      reason: 'Error',
      message: `Install failed with message: ${cause === 'waiting' ? 'reconcile again and proceed' : message}`,
      retry: cause === 'waiting' ? 'soon' : 'backoff',
    }),
  };
}

function tektonCheck(word: string) {
  return ({ message }: PhaseFailure): PhaseReport => ({
    reason: 'Error',
    message: `${word}: ${message}`,
    retry: 'never',
  });
}

const named =
  (part: string) =>
  ({ kind, metadata }: DynamicObject) =>
    kind === 'Deployment' && (metadata.name ?? '').includes(part);
const isWebhook = named('webhook');
const isController = named('controller');

export const tektonConditions = [
  'CrdsInstalled',
  'ClusterScopedResourcesInstalled',
  'NamespaceScopedResourcesInstalled',
  'DeploymentsAvailable',
  'StatefulSetReady',
  'WebhooksReady',
  'ControllersReady',
  'AllDeploymentsReady',
  'JobsInstalled',
];

export const tektonDialect: InstallerDialect = {
  fieldManager: 'tekton-operator',
  migrateFrom: ['manifestival', 'operator'],
  keptKinds: ['Namespace', 'PersistentVolumeClaim', 'CustomResourceDefinition'],
  owners: ownedBySet({ setOwner: ['CustomResourceDefinition', 'Namespace'], asWritten: webhookKinds }),
  terminating: (live, self, now) => {
    if (hasOwner(live, self)) return 'wait';
    if (live.kind !== 'CustomResourceDefinition') return 'skip';
    return now - Date.parse(live.metadata.deletionTimestamp ?? '') < 30_000 ? 'skip' : 'release';
  },
  recreate: ({ kind }) => (['Job', 'Deployment'].includes(kind) ? 'Background' : undefined),
  conditions: knativeStyle(knativeConditionSet('Ready', tektonConditions)),
  phases: [
    {
      ...tektonInstall('CRDs', 'CrdsInstalled'),
      accepts: isKind('CustomResourceDefinition'),
      install: tektonHash,
      check: definitionEstablished,
      patienceMs: 5_000,
    },
    {
      ...tektonInstall('cluster scoped', 'ClusterScopedResourcesInstalled'),
      accepts: tektonCluster,
      install: tektonHash,
    },
    {
      ...tektonInstall('namespace scoped', 'NamespaceScopedResourcesInstalled'),
      accepts: ({ kind }) => !['Job', 'Deployment', 'StatefulSet'].includes(kind),
      install: tektonHash,
    },
    { ...tektonInstall('jobs', 'JobsInstalled'), accepts: isKind('Job'), install: tektonHash },
    { ...tektonInstall('deployments', 'DeploymentsAvailable'), accepts: isKind('Deployment'), install: tektonPaths },
    {
      name: 'statefulsets',
      accepts: isKind('StatefulSet'),
      install: tektonPaths,
      check: statefulSetReplicasReady,
      condition: 'StatefulSetReady',
      failed: ({ message }) => ({ reason: 'Error', message: `Install failed with message: ${message}`, retry: 'soon' }),
    },
    {
      name: 'webhook ready',
      accepts: isWebhook,
      check: deploymentAvailable,
      condition: 'WebhooksReady',
      failed: tektonCheck('Webhook'),
    },
    {
      name: 'controller ready',
      accepts: isController,
      check: deploymentAvailable,
      condition: 'ControllersReady',
      failed: tektonCheck('Controller'),
    },
    {
      name: 'jobs complete',
      accepts: isKind('Job'),
      check: jobComplete,
      failed: () => ({ message: 'Job not successful', retry: 'backoff' }),
    },
    {
      name: 'remaining deployments',
      accepts: (object) => object.kind === 'Deployment' && !isWebhook(object) && !isController(object),
      check: deploymentAvailable,
      condition: 'AllDeploymentsReady',
      failed: tektonCheck('Deployment'),
    },
  ],
  removal: {
    steps: [
      { accepts: tektonCluster, order: 'as written' },
      { accepts: ({ kind }) => !['Job', 'Deployment', 'StatefulSet'].includes(kind), order: 'as written' },
      { accepts: isKind('Job'), propagation: 'Foreground', order: 'as written' },
      { accepts: isKind('Deployment'), order: 'as written' },
    ],
    waitUntilDeleted: false,
    onReadFailure: 'skip',
  },
};

// ---- As the Connectors operator installs

export const connectorsHash = 'cpaas.io/last-applied-hash';
const managedBy = 'cpaas.io/managed-by';
const kept = ['CustomResourceDefinition', 'Namespace', 'PersistentVolumeClaim'];
const workloadPaths = (...more: readonly string[]): ManagedPaths => ({
  managed: [
    'spec.replicas',
    'spec.template',
    'spec.minReadySeconds',
    'spec.revisionHistoryLimit',
    ...more.map((field) => `spec.${field}`),
  ],
  immutable: ['spec.selector'],
});
const one = hashMethod({ annotation: connectorsHash, hash: contentHash(connectorsHash), repairOwner: true });
const two = pathMethod({
  kinds: {
    Deployment: workloadPaths('strategy', 'progressDeadlineSeconds', 'paused'),
    StatefulSet: {
      ...workloadPaths('updateStrategy', 'persistentVolumeClaimRetentionPolicy', 'ordinals'),
      immutable: ['spec.selector', 'spec.serviceName', 'spec.podManagementPolicy', 'spec.volumeClaimTemplates'],
    },
    DaemonSet: { managed: ['spec.template', 'spec.updateStrategy'], immutable: ['spec.selector'] },
  },
});

function installing(
  condition: string,
  installFailed: string,
  notReady = installFailed,
): Pick<InstallPhase, 'condition' | 'succeeded' | 'nothingToDo' | 'failed'> {
  return {
    condition,
    succeeded: { reason: 'Installed' },
    nothingToDo: { reason: 'NotApplicable' },
    failed: ({ cause, object, reason, message }) => {
      const name = `${object.kind} ${object.namespace ? `${object.namespace}/` : ''}${object.name}`;
      const soon = cause === 'waiting' || cause === 'notReady' || cause === 'broken' || cause === 'refused';
      const word =
        cause === 'refused' || cause === 'broken'
          ? (reason ?? installFailed)
          : cause === 'immutable'
            ? 'ImmutableField'
            : cause === 'notReady'
              ? notReady
              : installFailed;
      return { reason: word, message: `${name}: ${message}`, retry: soon ? 'soon' : 'backoff' };
    },
  };
}

const order = ['ClusterRoleBinding', 'Job', ...webhookKinds];

export const connectorsDialect: InstallerDialect = {
  fieldManager: 'connectors-operator',
  keptKinds: kept,
  owners: ownedBySet({ none: kept }),
  adopt: (live, _wanted, self) => {
    if (kept.includes(live.kind) || isControlledBy(live, self)) return undefined;
    const controller = controllerOf(live);
    if (controller)
      return {
        reason: 'OwnershipConflict',
        message: `${live.kind} ${live.metadata.name} is controlled by ${controller.kind} ${controller.name}`,
      };
    if (live.metadata.labels?.[managedBy] === 'connectors-operator') return undefined;
    return {
      reason: 'OwnershipConflict',
      message: `exists and is not managed by connectors-operator; add label ${managedBy}=connectors-operator to adopt`,
    };
  },
  recreate: ({ kind, immutable }, _live) => {
    if (kind === 'Job' || kind === 'RoleBinding' || kind === 'ClusterRoleBinding') return 'Background';
    if ((kind === 'ConfigMap' || kind === 'Secret') && immutable !== undefined) return 'Background';
    return ['Deployment', 'StatefulSet', 'DaemonSet'].includes(kind) ? 'Foreground' : undefined;
  },
  blocked: { reason: 'Blocked', message: 'a phase before it did not succeed' },
  conditions: summaryStyle({
    summary: 'Ready',
    types: ['CrdInstalled', 'ClustersScoped', 'NamespaceScoped', 'DeploymentsAvailable', 'StatefulSetReady'],
    ready: { reason: 'Ready' },
    unknown: { reason: 'Pending' },
  }),
  phases: [
    {
      name: 'I1',
      accepts: isKind('CustomResourceDefinition'),
      install: one,
      check: definitionEstablished,
      patienceMs: 30_000,
      ...installing('CrdInstalled', 'CrdInstallFailed', 'CrdNotEstablished'),
    },
    {
      name: 'I2',
      accepts: ({ kind }, scope) => scope === 'Cluster' && !['ClusterRoleBinding', ...webhookKinds].includes(kind),
      install: one,
      ...installing('ClustersScoped', 'ClusterScopedInstallFailed'),
    },
    {
      name: 'I3',
      accepts: ({ kind }) => !['Deployment', 'StatefulSet'].includes(kind),
      rank: ({ kind }) => order.indexOf(kind) + 1,
      install: ({ kind }) => (kind === 'DaemonSet' ? two : one),
      ...installing('NamespaceScoped', 'NamespaceScopedInstallFailed'),
    },
    {
      name: 'I4',
      accepts: isKind('Deployment'),
      install: two,
      check: deploymentRolledOut,
      ...installing('DeploymentsAvailable', 'DeploymentInstallFailed', 'DeploymentNotReady'),
    },
    {
      name: 'I5',
      accepts: isKind('StatefulSet'),
      install: two,
      check: statefulSetRolledOut,
      ...installing('StatefulSetReady', 'StatefulSetInstallFailed', 'StatefulSetNotReady'),
    },
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
      isControlledBy(live, self) || live.metadata.labels?.[managedBy] === 'connectors-operator',
    waitUntilDeleted: true,
    requeueMs: 5_000,
  },
};
