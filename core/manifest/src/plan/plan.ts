import type { FieldConflict } from '../apply/explain-failure.ts';
import type { ApplyManifestOptions } from '../apply/apply-manifest.ts';
import type { ObjectReference } from '../object-identity.ts';

/** The planned action for an object. */
export type PlannedAction = 'create' | 'update' | 'recreate' | 'prune' | 'keep' | 'none' | 'conflict' | 'failed';

/** A field that changes. Values of Secrets are not included. */
export interface PlannedChange {
  /** A JSON pointer. */
  readonly path: string;
  /** Absent for what is new. */
  readonly old?: unknown;
  /** Absent for what goes. */
  readonly new?: unknown;
}

export interface PlannedObject {
  readonly reference: ObjectReference;
  readonly action: PlannedAction;
  /** Why it is recreated, pruned, kept, or cannot be applied. */
  readonly reason?: string;
  readonly conflicts?: readonly FieldConflict[];
  readonly changes: readonly PlannedChange[];
  /** As YAML, before and after, for display; values of Secrets are not included. */
  readonly before?: string;
  readonly after?: string;
  /** The state of the live object when the plan was made; `absent` when there was none. */
  readonly fingerprint: string;
}

/** The options of a plan, which its apply has to use. */
export type PlanChoices = Pick<
  ApplyManifestOptions,
  'fieldManager' | 'namespace' | 'force' | 'forceFields' | 'recreate' | 'prune' | 'pruneKinds' | 'set'
>;

/** The form of plans that programs read; it grows, and nothing in it changes its meaning. */
export interface Plan {
  readonly apiVersion: 'tektite.dev/v1';
  readonly kind: 'Plan';
  readonly createdAt: string;
  /** `fork`: applied to a copy. `dryRun`: asked the cluster, object by object. */
  readonly method: 'fork' | 'dryRun';
  readonly options: PlanChoices;
  readonly objects: readonly PlannedObject[];
  /** The limits of the plan. */
  readonly notes: readonly string[];
}

/** Whether an apply would change anything, or fail. */
export function hasChanges(plan: Plan): boolean {
  return plan.objects.some(({ action }) => action !== 'none' && action !== 'keep');
}

/** Objects that an apply would fail on. */
export function planProblems(plan: Plan): readonly PlannedObject[] {
  return plan.objects.filter(({ action }) => action === 'conflict' || action === 'failed');
}
