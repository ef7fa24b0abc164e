import type { Condition, DynamicObject } from '@tektite/meta';
import { isMapping, listAt } from '../field-value.ts';

/** How far an object is on its way to what its spec says: the words of kstatus. */
export type ReadinessStatus = 'Current' | 'InProgress' | 'Failed' | 'Terminating' | 'NotFound' | 'Unknown';

export interface Readiness {
  readonly status: ReadinessStatus;
  /** A word, as `LessReplicas`. */
  readonly reason: string;
  readonly message: string;
}

export const current = (message = 'it is as it should be'): Readiness => ({ status: 'Current', reason: '', message });
export const inProgress = (reason: string, message: string): Readiness => ({ status: 'InProgress', reason, message });
export const failed = (reason: string, message: string): Readiness => ({ status: 'Failed', reason, message });

/** A rule for a kind. */
export type ReadinessRule = (
  object: DynamicObject,
  options: { readonly now: number; readonly strict: boolean },
) => Readiness;

export function findCondition(object: DynamicObject, type: string): Condition | undefined {
  return listAt(object, 'status', 'conditions').find((condition) => isMapping(condition) && condition.type === type) as
    | Condition
    | undefined;
}
