import { labelSelectorOf } from '@tektite/meta';
import type { Pod, ReplicaSet } from '@tektite/schema/kubernetes';
import { byDispensability } from '../pods/deletion-order.ts';
import { omitZero } from '../pods/omit-zero.ts';
import { isActive, isAvailable, isReady, isTerminating } from '../pods/pod-state.ts';

type ReplicaSetStatus = NonNullable<ReplicaSet['status']>;
type ReplicaSetCondition = NonNullable<ReplicaSetStatus['conditions']>[number];

/** The maximum of creations in one reconcile. The rest follows with the next. */
const burst = 500;

export type Scaling =
  | { readonly type: 'none' }
  | { readonly type: 'create'; readonly count: number }
  | { readonly type: 'delete'; readonly pods: readonly Pod[] };

/** How many Pods are missing, or which are too many. */
export function scaling({ spec, metadata }: ReplicaSet, pods: readonly Pod[], now: number): Scaling {
  if (metadata.deletionTimestamp !== undefined) return { type: 'none' };
  const active = pods.filter(isActive);
  const difference = active.length - (spec?.replicas ?? 1);
  if (difference < 0) return { type: 'create', count: Math.min(-difference, burst) };
  if (difference === 0) return { type: 'none' };
  return { type: 'delete', pods: byDispensability(active, now).slice(0, Math.min(difference, burst)) };
}

/** The error of the last creation or deletion. */
export interface ScalingFailure {
  readonly reason: 'FailedCreate' | 'FailedDelete';
  readonly message: string;
}

/** Computes the status of a ReplicaSet from its Pods. */
export function replicaSetStatus(
  { spec, metadata, status }: ReplicaSet,
  pods: readonly Pod[],
  failure: ScalingFailure | undefined,
  now: { readonly milliseconds: number; readonly text: string },
): ReplicaSetStatus {
  const active = pods.filter(isActive);
  const template = labelSelectorOf({ matchLabels: spec?.template?.metadata?.labels ?? {} });
  const conditions = failureCondition(status?.conditions ?? [], failure, now.text);
  return {
    replicas: active.length,
    ...omitZero({
      fullyLabeledReplicas: active.filter((pod) => template.matches(pod.metadata.labels)).length,
      readyReplicas: active.filter(isReady).length,
      availableReplicas: active.filter((pod) => isAvailable(pod, spec?.minReadySeconds ?? 0, now.milliseconds)).length,
      observedGeneration: metadata.generation,
    }),
    terminatingReplicas: pods.filter(isTerminating).length,
    ...(conditions.length > 0 ? { conditions } : {}),
  };
}

function failureCondition(
  conditions: readonly ReplicaSetCondition[],
  failure: ScalingFailure | undefined,
  now: string,
): readonly ReplicaSetCondition[] {
  const old = conditions.find(({ type }) => type === 'ReplicaFailure');
  if (!failure) return old ? conditions.filter((condition) => condition !== old) : conditions;
  // An existing failure condition stays until it is resolved.
  if (old) return conditions;
  return [...conditions, { type: 'ReplicaFailure', status: 'True', lastTransitionTime: now, ...failure }];
}
