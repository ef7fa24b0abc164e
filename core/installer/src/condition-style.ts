import {
  type Condition,
  type ConditionStatus,
  type KnativeCondition,
  type KnativeConditionSet,
  setCondition,
} from '@tektite/meta';

/** The result of one phase. */
export interface PhaseResult {
  readonly condition: string;
  readonly status: ConditionStatus;
  readonly reason?: string;
  readonly message?: string;
}

/** A condition of either family. */
export type AnyCondition = Condition & KnativeCondition;

/** How what phases found becomes the conditions of the set. */
export interface ConditionStyle {
  /** `phases` in the order of execution; conditions of phases without a result keep their state. */
  update(
    conditions: readonly AnyCondition[],
    results: readonly PhaseResult[],
    context: { readonly now: string; readonly generation?: number },
  ): readonly AnyCondition[];
}

/** Conditions that Knative keeps: one that is False is copied to the happy one. */
export function knativeStyle(set: KnativeConditionSet): ConditionStyle {
  return {
    update(conditions, results, { now }) {
      let result: readonly KnativeCondition[] = set.initialize(conditions, now);
      for (const { condition, status, reason, message } of results) {
        const why = { ...(reason ? { reason } : {}), ...(message ? { message } : {}) };
        if (status === 'True') result = set.markTrue(result, condition, now, why);
        else if (status === 'False') result = set.markFalse(result, condition, now, why);
        else result = set.markUnknown(result, condition, now, why);
      }
      return result as readonly AnyCondition[];
    },
  };
}

export interface SummaryStyleOptions {
  /** The condition that sums up. */
  readonly summary: string;
  /** All conditions that it summarizes; those never set are Unknown. */
  readonly types: readonly string[];
  readonly ready: { readonly reason: string; readonly message?: string };
  /** For types of which nothing is known yet. */
  readonly unknown: { readonly reason: string; readonly message?: string };
}

/** Kubernetes' own conditions, and one that sums up: the first that is False wins, then the first that is Unknown. */
export function summaryStyle({ summary, types, ready, unknown }: SummaryStyleOptions): ConditionStyle {
  return {
    update(conditions, results, { now, generation }) {
      const observed = generation === undefined ? {} : { observedGeneration: generation };
      let result: readonly Condition[] = conditions;
      const put = (type: string, status: ConditionStatus, reason: string, message = '') =>
        void (result = setCondition(result, { type, status, reason, message, ...observed }, now));
      const found = new Map(results.map((phase) => [phase.condition, phase]));
      for (const type of types) {
        const phase = found.get(type);
        if (phase) put(type, phase.status, phase.reason ?? phase.status, phase.message);
        else if (!result.some((condition) => condition.type === type))
          put(type, 'Unknown', unknown.reason, unknown.message);
      }
      const all = types.flatMap((type) => result.filter((condition) => condition.type === type));
      const worst = all.find(({ status }) => status === 'False') ?? all.find(({ status }) => status === 'Unknown');
      if (worst) put(summary, worst.status, worst.reason ?? '', worst.message);
      else put(summary, 'True', ready.reason, ready.message);
      return result as readonly AnyCondition[];
    },
  };
}
