import { type ConditionStatus, findCondition } from './condition.ts';
import { equalJson } from './object.ts';

/** A condition as Knative and Tekton write it. No severity means that the condition decides about happiness. */
export interface KnativeCondition {
  readonly type: string;
  readonly status: ConditionStatus;
  readonly severity?: 'Warning' | 'Info';
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

type Conditions = readonly KnativeCondition[];

/** A reason in a word and the message that explains it. */
export interface Explanation {
  readonly reason?: string;
  readonly message?: string;
}

/**
 * A set of conditions in which one, the happy one, sums up the others.
 *
 * `Ready` for things that live, `Succeeded` for things that end. A dependent that is False makes the happy condition
 * False; one that is Unknown makes it Unknown unless another is False; all True make it True. All functions are pure:
 * conditions in, conditions out, sorted by type.
 */
export interface KnativeConditionSet {
  readonly happy: string;
  initialize(conditions: Conditions, now: string): Conditions;
  set(conditions: Conditions, condition: KnativeCondition, now: string): Conditions;
  markTrue(conditions: Conditions, type: string, now: string, why?: Explanation): Conditions;
  markFalse(conditions: Conditions, type: string, now: string, why?: Explanation): Conditions;
  markUnknown(conditions: Conditions, type: string, now: string, why?: Explanation): Conditions;
  isHappy(conditions: Conditions): boolean;
}

/** Set one condition. In Knative's style the time moves with any change, not only with a change of status. */
function put(conditions: Conditions, condition: KnativeCondition, now: string): Conditions {
  const old = findCondition(conditions, condition.type);
  if (old && equalJson({ ...condition, lastTransitionTime: old.lastTransitionTime }, old)) return conditions;
  const others = conditions.filter(({ type }) => type !== condition.type);
  const next = [...others, { ...condition, lastTransitionTime: now }];
  return next.sort((a, b) => (a.type < b.type ? -1 : a.type > b.type ? 1 : 0));
}

export function knativeConditionSet(happy: 'Ready' | 'Succeeded', dependents: readonly string[]): KnativeConditionSet {
  const terminal = new Set([happy, ...dependents]);

  function build(type: string, status: ConditionStatus, why: Explanation = {}): KnativeCondition {
    return {
      type,
      status,
      ...(terminal.has(type) ? {} : { severity: 'Info' as const }),
      ...(why.reason ? { reason: why.reason } : {}),
      ...(why.message ? { message: why.message } : {}),
    };
  }

  /** The dependent that spoils happiness: the latest False, else the latest Unknown, else one that is missing. */
  function unhappyDependent(conditions: Conditions): Pick<KnativeCondition, 'status' | keyof Explanation> | undefined {
    if (dependents.length === 0) return undefined;
    const latestFirst = conditions
      .filter(({ type }) => terminal.has(type) && type !== happy)
      .sort((a, b) => ((a.lastTransitionTime ?? '') > (b.lastTransitionTime ?? '') ? -1 : 1));
    const worst =
      latestFirst.find(({ status }) => status === 'False') ?? latestFirst.find(({ status }) => status === 'Unknown');
    return worst ?? (dependents.length > latestFirst.length ? { status: 'Unknown' } : undefined);
  }

  const set: KnativeConditionSet = {
    happy,
    set: put,
    initialize(conditions, now) {
      const known = findCondition(conditions, happy) ?? build(happy, 'Unknown');
      let result = findCondition(conditions, happy) ? conditions : put(conditions, known, now);
      const status = known.status === 'True' ? 'True' : 'Unknown';
      for (const type of dependents) if (!findCondition(result, type)) result = put(result, build(type, status), now);
      return result;
    },
    markTrue(conditions, type, now, why) {
      const marked = put(conditions, build(type, 'True', why), now);
      const worst = unhappyDependent(marked);
      if (worst) return put(marked, build(happy, worst.status, worst), now);
      return type === happy ? marked : put(marked, build(happy, 'True'), now);
    },
    markFalse(conditions, type, now, why) {
      const marked = put(conditions, build(type, 'False', why), now);
      return dependents.includes(type) ? put(marked, build(happy, 'False', why), now) : marked;
    },
    markUnknown(conditions, type, now, why) {
      const marked = put(conditions, build(type, 'Unknown', why), now);
      const failed = dependents.some((dependent) => findCondition(marked, dependent)?.status === 'False');
      if (failed) {
        const alreadyFalse = findCondition(marked, happy)?.status === 'False';
        return alreadyFalse ? marked : put(marked, build(happy, 'False', why), now);
      }
      return dependents.includes(type) ? put(marked, build(happy, 'Unknown', why), now) : marked;
    },
    isHappy: (conditions) => findCondition(conditions, happy)?.status === 'True',
  };
  return set;
}
