import { findCondition, type KnativeCondition, type KnativeConditionSet } from '@tektite/meta';

/** A change of a condition, as decided. */
export type ConditionMark =
  | { readonly isTrue: string }
  | { readonly isFalse: string; readonly message: string; readonly reason?: string }
  | { readonly notReady: string };

/** The conditions of one component during a reconcile. */
export class ComponentConditions {
  private readonly set: KnativeConditionSet;
  private readonly now: string;
  private conditions: readonly KnativeCondition[];

  constructor(set: KnativeConditionSet, conditions: readonly KnativeCondition[] | undefined, now: string) {
    this.set = set;
    this.now = now;
    this.conditions = set.initialize(conditions ?? [], now);
  }

  get list(): readonly KnativeCondition[] {
    return this.conditions;
  }

  get isReady(): boolean {
    return this.set.isHappy(this.conditions);
  }

  apply(marks: readonly ConditionMark[]): void {
    for (const mark of marks) {
      if ('isTrue' in mark) this.markTrue(mark.isTrue);
      else if ('isFalse' in mark) this.markFalse(mark.isFalse, mark.message, mark.reason);
      else this.markNotReady(mark.notReady);
    }
  }

  markTrue(type: string): void {
    this.conditions = this.set.markTrue(this.conditions, type, this.now);
  }

  /** A false part makes the whole false. */
  markFalse(type: string, message: string, reason = 'Error'): void {
    this.conditions = this.set.markFalse(this.conditions, type, this.now, { reason, message });
  }

  markNotReady(message: string): void {
    this.conditions = this.set.markFalse(this.conditions, 'Ready', this.now, {
      reason: 'Error',
      message: `Ready: ${message}`,
    });
  }

  /** Forgets all of them. */
  clear(): void {
    this.conditions = [];
  }

  statusOf(type: string): string | undefined {
    return findCondition(this.conditions, type)?.status;
  }
}
