/** Installer sets: ordered phases, ownership, hashes, readiness, upgrade, removal. */

// Dialect of a system
export type {
  AdoptionDenial,
  Explained,
  InstallerDialect,
  InstallPhase,
  ObjectScope,
  ObjectTest,
  PhaseReport,
  Propagation,
  PruneRule,
  RemovalRule,
  RemovalStep,
  TerminatingAction,
} from './dialect.ts';
export type { InstallerSet, InventoryEntry } from './installer-set.ts';
export { type OwnerChoices, ownedBySet, type OwnerRule } from './owner-rule.ts';
export type { FailureCause, PhaseFailure } from './phase-failure.ts';
export {
  type AnyCondition,
  type ConditionStyle,
  knativeStyle,
  type PhaseResult,
  summaryStyle,
  type SummaryStyleOptions,
} from './condition-style.ts';

export { phaseOf } from './phase-of.ts';
export { setScopes } from './set-scopes.ts';

// How objects are kept
export type { Difference, InstallMethod, Surroundings } from './method/install-method.ts';
export { contentHash, hashMethod, type HashMethodOptions, wholeObjectHash } from './method/hash-method.ts';

export { hasFields, type ManagedPaths, pathMethod, type PathMethodOptions } from './method/path-method.ts';

// When they are ready
export type { ObjectReadiness, ReadinessCheck } from './readiness/readiness-check.ts';
export { webhookServing } from './readiness/webhook-serving.ts';
export {
  definitionEstablished,
  deploymentAvailable,
  deploymentRolledOut,
  jobComplete,
  statefulSetReplicasReady,
  statefulSetRolledOut,
} from './readiness/workload-checks.ts';

// The engine
export type { ChangeAction, ObjectChange } from './act-on-object.ts';
export { describeLeft, removeSet, type RemovalReport } from './remove-set.ts';
export type { InstallOptions } from './install-options.ts';
export { installSet, type InstallReport } from './install-set.ts';
export { InstalledObjects, type InstalledObjectsOptions } from './installed-objects.ts';

// Sets that are too large for one object
export { splitObjects } from './parts/split-objects.ts';
export {
  ensureParts,
  isPart,
  type PackedSet,
  packSet,
  type PartsRule,
  readParts,
  type SetPart,
  sweepParts,
} from './parts/set-parts.ts';

// Errors
export { InstallerError, type InstallerErrorCode, installerErrors, isInstallerError } from './installer-error.ts';
