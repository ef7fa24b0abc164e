import { formatTime } from '@tektite/meta';
import { type InferType, s } from '@tektite/schema';

/** A condition as Cluster API has it: with a severity, which conditions of Kubernetes do not have. */
export const clusterCondition = s.object({
  lastTransitionTime: s.time(),
  message: s.string().optional(),
  reason: s.string().optional(),
  severity: s.string().optional(),
  status: s.string(),
  type: s.string(),
});

export type ClusterCondition = InferType<typeof clusterCondition>;

/** A condition without its time. */
export type ConditionText =
  | { readonly type: string; readonly status: 'True' }
  | {
      readonly type: string;
      readonly status: 'False';
      readonly reason: string;
      readonly severity: 'Info' | 'Warning' | 'Error';
      readonly message?: string;
    };

type Conditions = readonly ClusterCondition[] | undefined;

/**
 * The conditions with this one set. The time changes when anything else of the condition does. `Ready` comes first, the
 * others follow by type. The same list comes back when there is nothing to change.
 */
export function withCondition(conditions: Conditions, text: ConditionText, now: number): readonly ClusterCondition[] {
  const old = conditionOf(conditions, text.type);
  const wanted = { reason: '', severity: '', message: '', ...text };
  const isSame =
    old !== undefined &&
    old.status === wanted.status &&
    (old.reason ?? '') === wanted.reason &&
    (old.severity ?? '') === wanted.severity &&
    (old.message ?? '') === wanted.message;
  if (isSame && conditions) return conditions;
  const { message, ...rest } = { message: undefined, ...text };
  const next = { ...rest, ...(message ? { message } : {}), lastTransitionTime: formatTime(now) };
  return [...(conditions ?? []).filter(({ type }) => type !== text.type), next].sort(byType);
}

export function conditionOf(conditions: Conditions, type: string): ClusterCondition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

export function isTrue(conditions: Conditions, type: string): boolean {
  return conditionOf(conditions, type)?.status === 'True';
}

function byType(a: ClusterCondition, b: ClusterCondition): number {
  if ((a.type === 'Ready') !== (b.type === 'Ready')) return a.type === 'Ready' ? -1 : 1;
  return a.type < b.type ? -1 : a.type > b.type ? 1 : 0;
}
