import type { KubeObject } from '@tektite/meta';
import { ManifestError } from '../manifest-error.ts';
import { describeObject, groupOf } from '../object-identity.ts';

/** A step of an installation. Objects of a phase do not wait for each other. */
export interface Phase {
  readonly number: number;
  readonly name: string;
}

const names: readonly (readonly [name: string, kinds: readonly string[]])[] = [
  ['namespaces', ['Namespace', 'ResourceQuota', 'LimitRange']],
  ['definitions', ['CustomResourceDefinition']],
  ['classes', ['StorageClass', 'PriorityClass', 'RuntimeClass', 'IngressClass']],
  ['accounts', ['ServiceAccount']],
  ['roles', ['Role', 'ClusterRole']],
  ['bindings', ['RoleBinding', 'ClusterRoleBinding']],
  ['configuration', ['ConfigMap', 'Secret']],
  ['storage', ['PersistentVolumeClaim', 'PersistentVolume']],
  ['services', ['Service', 'APIService']],
  [
    'workloads',
    [
      'Deployment',
      'StatefulSet',
      'DaemonSet',
      'ReplicaSet',
      'Job',
      'CronJob',
      'Pod',
      'HorizontalPodAutoscaler',
      'PodDisruptionBudget',
      'Ingress',
      'NetworkPolicy',
    ],
  ],
  ['custom resources', []],
  ['mutating webhooks', ['MutatingWebhookConfiguration']],
  ['validating webhooks', ['ValidatingWebhookConfiguration']],
];

/** In the order of installation. Kinds that are named nowhere are of the phase for custom resources. */
export const phases: readonly Phase[] = names.map(([name], index) => ({ number: index + 1, name }));

const numbers = new Map(names.flatMap(([, kinds], index) => kinds.map((kind) => [kind, index + 1] as const)));
const otherPhase = 11;

/** Puts an object into a phase of one's choice, as `manifests.dev/phase: "7"`. */
export const phaseAnnotation = 'manifests.dev/phase';

export function phaseNumber(object: KubeObject): number {
  const wanted = object.metadata.annotations?.[phaseAnnotation];
  if (wanted === undefined)
    return isBuiltinGroup(groupOf(object)) ? (numbers.get(object.kind) ?? otherPhase) : otherPhase;
  const number = Number(wanted);
  if (Number.isInteger(number) && number >= 1 && number <= phases.length) return number;
  throw new ManifestError(
    'INVALID_OPTION',
    `${describeObject(object)}: the annotation ${phaseAnnotation} is a number from 1 to ${phases.length}, not ${JSON.stringify(wanted)}`,
  );
}

/** Groups of Kubernetes itself have no dots, or end in k8s.io; a Service of Knative is no Service. */
function isBuiltinGroup(group: string): boolean {
  return !group.includes('.') || group.endsWith('.k8s.io');
}
