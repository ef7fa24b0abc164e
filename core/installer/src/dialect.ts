import type { ObjectReference } from '@tektite/manifest';
import type { DynamicObject, KubeObject } from '@tektite/meta';
import type { ConditionStyle } from './condition-style.ts';
import type { InstallMethod } from './method/install-method.ts';
import type { OwnerRule } from './owner-rule.ts';
import type { PhaseFailure } from './phase-failure.ts';
import type { ReadinessCheck } from './readiness/readiness-check.ts';

export type ObjectScope = 'Namespaced' | 'Cluster';

/** Selects objects. The scope is undefined for kinds that are not served (yet). */
export type ObjectTest = (object: DynamicObject, scope: ObjectScope | undefined) => boolean;

export type Propagation = 'Background' | 'Foreground' | 'Orphan';

/**
 * The message of a phase that did not succeed, and its retry:
 * - `soon`: after the dialect's `requeueMs`;
 * - `backoff`: with the backoff of errors;
 * - `never`: when a watched object changes.
 */
export interface PhaseReport {
  /** Default `False`. */
  readonly status?: 'False' | 'Unknown';
  readonly reason?: string;
  readonly message: string;
  readonly retry: 'soon' | 'backoff' | 'never';
}

/** A step of an installation: objects are made, or have to be ready, or both. */
export interface InstallPhase {
  readonly name: string;
  readonly accepts: ObjectTest;
  /** Parts of a phase, done one after the other; within a part the order of the set holds. Default: one part. */
  readonly rank?: (object: DynamicObject) => number;
  /** How objects are made and kept. An object is made by the first phase that accepts it and makes objects. */
  readonly install?: InstallMethod | ((object: DynamicObject) => InstallMethod);
  /** When objects count as ready; checked when all objects of the phase exist. */
  readonly check?: ReadinessCheck;
  /** How long `check` may take within one reconcile before it counts as not ready. Default 0: it is checked once. */
  readonly patienceMs?: number;
  /** The condition that reports the phase; a phase without one reports only its failure. */
  readonly condition?: string;
  /** Said when it succeeded, and when the set has nothing for it. Default: nothing but `True`. */
  readonly succeeded?: Explained;
  readonly nothingToDo?: Explained;
  readonly failed: (failure: PhaseFailure) => PhaseReport;
}

export interface Explained {
  readonly reason?: string;
  readonly message?: string;
}

/** The action for a desired object that is being deleted. */
export type TerminatingAction =
  /** The phase waits for it. */
  | 'wait'
  /** As if it were not in the set, this time. */
  | 'skip'
  /** Its finalizers are taken off; then the phase waits. The rest of the phase goes on. */
  | 'release';

/** Why an object that is there may not be taken over. */
export interface AdoptionDenial {
  readonly reason: string;
  readonly message: string;
}

/** One step of a removal. Steps are done in order, the objects of each in the reverse of the set's order. */
export interface RemovalStep {
  readonly accepts: ObjectTest;
  readonly propagation?: Propagation;
  /** Default: reversed. */
  readonly order?: 'reversed' | 'as written';
}

export interface RemovalRule {
  readonly steps: readonly RemovalStep[];
  /** Which live objects are ours to delete. Default: all that the set names. */
  readonly mayDelete?: (live: DynamicObject, self: KubeObject) => boolean;
  /** Whether the set stays until its objects are deleted. */
  readonly waitUntilDeleted: boolean;
  /** The requeue delay while objects are being deleted. Default: the dialect's `requeueMs`. */
  readonly requeueMs?: number;
  /** The effect of a failure to read an object. Default `fail`; `skip` leaves the object to the garbage collector. */
  readonly onReadFailure?: 'fail' | 'skip';
}

/** Whether and how objects that left a set are deleted. */
export interface PruneRule {
  /** Default: those that the set controls. */
  readonly mayDelete?: (live: DynamicObject, self: KubeObject) => boolean;
  readonly propagation?: (object: DynamicObject) => Propagation;
}

/**
 * All that differs between the operators that install by sets: names, orders, words. A plain value; {@link installSet} and
 * {@link removeSet} do the rest.
 */
export interface InstallerDialect {
  /** Who owns the fields that are written. */
  readonly fieldManager: string;
  /** Managers whose fields are taken over before the first change of an object: who installed it before us. */
  readonly migrateFrom?: readonly string[];
  readonly phases: readonly InstallPhase[];
  readonly owners: OwnerRule;
  /** Whether the object of another set will do as it is: then it is left to that set. Default: none is. */
  readonly shares?: (live: DynamicObject, wanted: DynamicObject, self: KubeObject) => boolean;
  /** Whether an object that is there, and that the set did not make, may be taken over. Default: always. */
  readonly adopt?: (live: DynamicObject, wanted: DynamicObject, self: KubeObject) => AdoptionDenial | undefined;
  /** Default: `wait`. */
  readonly terminating?: (live: DynamicObject, self: KubeObject, now: number) => TerminatingAction;
  /**
   * Whether and how an object may be deleted and recreated when the server rejects a change of an immutable field.
   * Default: never.
   */
  readonly recreate?: (wanted: DynamicObject, live: DynamicObject, reason: string) => Propagation | undefined;
  /** Kinds that are never deleted, whatever happens: what is in them cannot be made again. */
  readonly keptKinds: readonly string[];
  /** Default: what leaves a set stays, until the garbage collector finds its owner gone. */
  readonly prune?: PruneRule;
  readonly removal: RemovalRule;
  readonly conditions: ConditionStyle;
  /** The conditions of later phases after a failure. Default: unchanged. */
  readonly blocked?: Explained;
  /**
   * Said of an object that was deleted by others and is recreated. The condition of its phase is False until the next
   * reconcile, a second later, finds everything in place. Default: nothing is said.
   */
  readonly restored?: (object: ObjectReference) => Explained;
  /** Default ten seconds. */
  readonly requeueMs?: number;
  /** How many objects are written at a time. Default 4. */
  readonly concurrency?: number;
}
