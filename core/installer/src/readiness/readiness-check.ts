import type { ObjectReference } from '@tektite/manifest';
import type { DynamicObject } from '@tektite/meta';

/** Whether an object does what it is there for. */
export type ObjectReadiness =
  | { readonly ready: true }
  | {
      readonly ready: false;
      readonly reason: string;
      readonly message: string;
      /** It will not become ready without an intervention. */
      readonly broken?: boolean;
      /** Deleting it may help: the next reconcile recreates it. */
      readonly remove?: boolean;
    };

/** When an object counts as ready. Pure: what else has to be read for that, it says. */
export interface ReadinessCheck {
  /** Other objects that decide about it. */
  readonly alsoRead?: (live: DynamicObject) => readonly ObjectReference[];
  /** `others` in the order of {@link alsoRead}, undefined for what is not there. */
  decide(
    live: DynamicObject,
    context: { readonly now: number; readonly others: readonly (DynamicObject | undefined)[] },
  ): ObjectReadiness;
}

export const ready: ObjectReadiness = { ready: true };

export function notReady(reason: string, message: string): ObjectReadiness {
  return { ready: false, reason, message };
}

export function broken(reason: string, message: string): ObjectReadiness {
  return { ready: false, reason, message, broken: true };
}
