import { findCondition, type KnativeCondition, type KnativeConditionSet } from '@tektite/meta';

/** The conditions of one component while it is worked on. */
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
