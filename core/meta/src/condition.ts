export type ConditionStatus = 'True' | 'False' | 'Unknown';

/** `metav1.Condition`: one observation about an object, and since when it holds. */
export interface Condition {
  readonly type: string;
  readonly status: ConditionStatus;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
  readonly observedGeneration?: number;
}

/** The condition of that type, if there is one. */
export function findCondition<T extends { readonly type: string }>(
  conditions: readonly T[] | undefined,
  type: string,
): T | undefined {
  return conditions?.find((condition) => condition.type === type);
}

export function isConditionTrue(conditions: readonly Condition[] | undefined, type: string): boolean {
  return findCondition(conditions, type)?.status === 'True';
}

export function isConditionFalse(conditions: readonly Condition[] | undefined, type: string): boolean {
  return findCondition(conditions, type)?.status === 'False';
}

/**
 * The conditions with this one set. `lastTransitionTime` is `now` when the status changes and stays otherwise; when
 * nothing changes at all the same list comes back, so `===` shows whether there is something to write.
 */
export function setCondition(
  conditions: readonly Condition[],
  condition: Omit<Condition, 'lastTransitionTime'>,
  now: string,
): readonly Condition[] {
  const index = conditions.findIndex(({ type }) => type === condition.type);
  const old = conditions[index];
  if (!old) return [...conditions, { ...condition, lastTransitionTime: now }];
  const unchanged =
    old.status === condition.status &&
    (old.reason ?? '') === (condition.reason ?? '') &&
    (old.message ?? '') === (condition.message ?? '') &&
    (old.observedGeneration ?? 0) === (condition.observedGeneration ?? 0);
  if (unchanged) return conditions;
  const since = old.status === condition.status ? (old.lastTransitionTime ?? now) : now;
  return conditions.with(index, { ...condition, lastTransitionTime: since });
}

/** The conditions without the one of that type; the same list when it was not there. */
export function removeCondition(conditions: readonly Condition[], type: string): readonly Condition[] {
  return conditions.some((condition) => condition.type === type)
    ? conditions.filter((condition) => condition.type !== type)
    : conditions;
}
