import {
  definitionEstablished,
  deploymentAvailable,
  deploymentRolledOut,
  hashMethod,
  type InstallerDialect,
  type InstallPhase,
  jobComplete,
  knativeStyle,
  ownedBySet,
  pathMethod,
  type PhaseFailure,
  type PhaseReport,
  type ReadinessCheck,
  statefulSetReplicasReady,
} from '@tektite/installer';
import { cloneJson, type DynamicObject, hasOwner, knativeConditionSet } from '@tektite/meta';
import type { DraftObject, ObjectReference } from '@tektite/manifest';
import type { OperatorEnvironment } from '../platform/operator-environment.ts';
import { proxyVariables } from '../transform/environment-variables.ts';
import { keys } from './set-keys.ts';

const isKind =
  (...kinds: readonly string[]) =>
  ({ kind }: DynamicObject) =>
    kinds.some((name) => name.toLowerCase() === kind.toLowerCase());

const webhookKinds = ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'];

/**
 * The kinds that upstream counts as cluster-scoped. ClusterRoleBindings are not among them: they follow with the rest.
 */
const isClusterScoped = isKind(
  'ComponentStatus',
  'Namespace',
  'Node',
  'PersistentVolume',
  ...webhookKinds,
  'APIService',
  'MeshPolicy',
  'TokenReview',
  'SelfSubjectAccessReview',
  'SelfSubjectRulesReview',
  'SubjectAccessReview',
  'CertificateSigningRequest',
  'ClusterRole',
  'PriorityClass',
  'StorageClass',
  'VolumeAttachment',
);
const isWorkload = isKind('Job', 'Deployment', 'StatefulSet');
const named = (part: string) => (object: DynamicObject) =>
  isKind('Deployment')(object) && (object.metadata.name ?? '').includes(part);
const isWebhook = named('webhook');
const isController = named('controller');

/** The conditions of an installer set besides Ready. */
export const setConditions = [
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

function installing(name: string, condition: string): Pick<InstallPhase, 'name' | 'condition' | 'failed'> {
  return {
    name,
    condition,
    failed: (failure) => ({
      reason: 'Error',
      message: `Install failed with message: ${wordsFor(failure)}`,
      retry: failure.cause === 'waiting' ? 'soon' : 'backoff',
    }),
  };
}

const wordsFor = ({ cause, message }: PhaseFailure) => (cause === 'waiting' ? 'reconcile again and proceed' : message);

/** Deployments are watched, so no requeue is needed for them; only a removed one has to be recreated. */
function waitingFor(word: string) {
  return ({ message, reason }: PhaseFailure): PhaseReport => ({
    reason: 'Error',
    message: `${word}: ${message}`,
    retry: reason === 'FailedCreate' ? 'soon' : 'never',
  });
}

/**
 * A Deployment that is replaced in place is available all the time, by its old Pods: it is ready when the new ones are there. Upstream,
 * which deletes it first, need not look so closely.
 */
const deploymentReplaced: ReadinessCheck = {
  decide(live, context) {
    const isAvailable = deploymentAvailable.decide(live, context);
    if (!isAvailable.ready) return isAvailable;
    const replaced = deploymentRolledOut.decide(live, context);
    const name = `${live.metadata.name} deployment not ready`;
    if (!replaced.ready) return { ...replaced, message: `${name}: ${replaced.message}` };
    const { replicas = 0, updatedReplicas = 0 } = (live.status ?? {}) as {
      replicas?: number;
      updatedReplicas?: number;
    };
    if (replicas <= updatedReplicas) return replaced;
    return { ready: false, reason: 'DeploymentNotReady', message: `${name}: Pods of the former release are left` };
  },
};

/**
 * How sets of the Tekton Operator are installed: upstream's phases, in their order and in their words. Objects are written when
 * their hash changes, so what users change in between stays; workloads are compared field by field.
 */
export function tektonDialect(environment: OperatorEnvironment, { isRolling = false } = {}): InstallerDialect {
  const available = isRolling ? deploymentReplaced : deploymentAvailable;
  const byHash = hashMethod({ annotation: keys.lastAppliedHash });
  const proxy = proxyVariables(environment);
  const byFields = pathMethod({
    kinds: { Deployment: { managed: ['spec'], immutable: ['spec.selector'] }, '*': { managed: ['spec'] } },
    adjust: (wanted) => {
      const draft = cloneJson(wanted) as DraftObject;
      proxy(draft, { source: 'set', index: 0 });
      return draft;
    },
  });
  return {
    fieldManager: 'tekton-operator',
    migrateFrom: ['manifestival', 'operator'],
    keptKinds: ['Namespace', 'PersistentVolumeClaim', 'CustomResourceDefinition'],
    owners: ownedBySet({ setOwner: ['CustomResourceDefinition', 'Namespace'], asWritten: webhookKinds }),
    terminating: (live, self, now) => {
      if (hasOwner(live, self)) return 'wait';
      if (live.kind !== 'CustomResourceDefinition') return 'skip';
      return now - Date.parse(live.metadata.deletionTimestamp ?? '') < 30_000 ? 'skip' : 'release';
    },
    // Objects with immutable changes are recreated, but never those with data.
    recreate: ({ kind }) =>
      ['Job', 'Deployment', 'Role', 'RoleBinding', 'ClusterRoleBinding'].includes(kind) ? 'Background' : undefined,
    conditions: knativeStyle(knativeConditionSet('Ready', setConditions)),
    prune: {},
    restored: (object) => ({ reason: objectRecreated, message: recreatedText(object) }),
    phases: [
      {
        ...installing('CRDs', 'CrdsInstalled'),
        accepts: isKind('CustomResourceDefinition'),
        install: byHash,
        check: definitionEstablished,
        patienceMs: 5_000,
      },
      {
        ...installing('cluster scoped', 'ClusterScopedResourcesInstalled'),
        accepts: isClusterScoped,
        install: byHash,
      },
      {
        ...installing('namespace scoped', 'NamespaceScopedResourcesInstalled'),
        accepts: (object) => !isWorkload(object),
        install: byHash,
      },
      { ...installing('jobs', 'JobsInstalled'), accepts: isKind('Job'), install: byHash },
      { ...installing('deployments', 'DeploymentsAvailable'), accepts: isKind('Deployment'), install: byFields },
      {
        ...installing('statefulsets', 'StatefulSetReady'),
        accepts: isKind('StatefulSet'),
        install: byFields,
        check: statefulSetReplicasReady,
        failed: (failure) => ({
          reason: 'Error',
          message: `Install failed with message: ${wordsFor(failure)}`,
          retry: 'soon',
        }),
      },
      {
        name: 'webhook ready',
        accepts: isWebhook,
        check: available,
        condition: 'WebhooksReady',
        failed: waitingFor('Webhook'),
      },
      {
        name: 'controller ready',
        accepts: isController,
        check: available,
        condition: 'ControllersReady',
        failed: waitingFor('Controller'),
      },
      {
        // Upstream has no condition for it, and a Job that failed is in the way for ever; here it is said why.
        name: 'jobs complete',
        accepts: isKind('Job'),
        check: jobComplete,
        condition: 'JobsInstalled',
        failed: ({ cause, object, message }) => ({
          reason: 'Error',
          message: `Install failed with message: Job not successful${cause === 'broken' ? `: ${object.name}: ${message}` : ''}`,
          retry: 'backoff',
        }),
      },
      {
        name: 'remaining deployments',
        accepts: (object) => isKind('Deployment')(object) && !isWebhook(object) && !isController(object),
        check: available,
        condition: 'AllDeploymentsReady',
        failed: waitingFor('Deployment'),
      },
    ],
    removal: {
      steps: [
        { accepts: isClusterScoped, order: 'as written' },
        { accepts: (object) => !isWorkload(object), order: 'as written' },
        { accepts: isKind('Job'), propagation: 'Foreground', order: 'as written' },
        { accepts: isKind('Deployment'), order: 'as written' },
      ],
      waitUntilDeleted: false,
      onReadFailure: 'skip',
      // Between deletion and this, another set may have taken it over.
      mayDelete: (live, self) => live.metadata.ownerReferences === undefined || !isAnothers(live, self),
    },
  };
}

/** The reason of a set that recreates what others deleted. */
export const objectRecreated = 'ObjectRecreated';

/** Says which object of a set was deleted. */
export function recreatedText({ kind, namespace, name }: ObjectReference): string {
  return `${kind} ${namespace ? `${namespace}/` : ''}${name} was deleted; it is recreated`;
}

function isAnothers({ metadata }: DynamicObject, self: { readonly metadata: { readonly uid?: string } }): boolean {
  return (metadata.ownerReferences ?? []).some(
    ({ kind, uid }) => kind === 'TektonInstallerSet' && uid !== self.metadata.uid,
  );
}
