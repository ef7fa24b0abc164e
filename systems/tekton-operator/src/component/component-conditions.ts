import type { KnativeCondition, KnativeConditionSet } from '@tektite/meta';

/** A change of a condition, as decided. */
export type ConditionMark =
  | { readonly isTrue: string }
  | { readonly isFalse: string; readonly message: string; readonly reason?: string }
  | { readonly notReady: string }
  /** Drops all conditions, before those of an upgrade are set. */
  | { readonly isReset: true };

/** The conditions of a component after a reconcile: those of its status, with these marks in order. A false part makes the whole false. */
export function markConditions(
  set: KnativeConditionSet,
  conditions: readonly KnativeCondition[] | undefined,
  marks: readonly ConditionMark[],
  now: string,
): readonly KnativeCondition[] {
  return marks.reduce((before, mark) => markCondition(set, before, mark, now), set.initialize(conditions ?? [], now));
}

function markCondition(
  set: KnativeConditionSet,
  before: readonly KnativeCondition[],
  mark: ConditionMark,
  now: string,
): readonly KnativeCondition[] {
  if ('isTrue' in mark) return set.markTrue(before, mark.isTrue, now);
  if ('isReset' in mark) return [];
  if ('notReady' in mark)
    return set.markFalse(before, 'Ready', now, { reason: 'Error', message: `Ready: ${mark.notReady}` });
  const { isFalse, message, reason = 'Error' } = mark;
  return set.markFalse(before, isFalse, now, { reason, message });
}
