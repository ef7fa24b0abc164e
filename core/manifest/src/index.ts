/** Kubernetes manifests: load, filter, transform, plan, apply, prune, wait, delete. */

// Objects and where they come from
export { Manifest, type DraftObject, type Predicate, type Transform } from './manifest.ts';
export { formatOrigin, type ManifestItem, type Origin } from './origin.ts';
export { describeObject, groupKindOf, identityText, type ObjectReference, referenceTo } from './object-identity.ts';
export { discoveredScopes, knownScopes, type Scopes } from './scopes.ts';

// Sources
export { loadManifest, type LoadOptions, type Source, sourceOf } from './source/source.ts';
export type { ReadText } from './source/read-path.ts';
export { readTexts } from './source/read-texts.ts';
export { type ProgramRunner, systemPrograms } from './source/program.ts';
export { parseObjects } from './source/parse-objects.ts';

// Which objects
export {
  allOf,
  anyOf,
  byAnnotation,
  byAnyLabel,
  byField,
  byGroup,
  byGroupVersionKind,
  byKind,
  byLabel,
  byName,
  byNameGlob,
  byNamespace,
  bySelector,
  everything,
  isClusterScoped,
  isDefinition,
  isIn,
  isNamespaced,
  not,
  nothing,
} from './predicate.ts';

// Transforms
export { imagesOf, replaceImages, rewriteImages } from './transform/images.ts';
export { injectNamespace, type InjectNamespaceOptions } from './transform/inject-namespace.ts';
export { injectOwner, type InjectOwnerOptions } from './transform/inject-owner.ts';
export { type ObjectPatch, patchObjects, setReplicas } from './transform/patch-objects.ts';
export { type MetadataOptions, setAnnotations, setLabels } from './transform/set-metadata.ts';

// Into the cluster, and out of it
export { applyManifest, type ApplyManifestOptions, attemptApply } from './apply/apply-manifest.ts';
export type { ApplyAction, ApplyReport, ObjectResult, ProgressEvent } from './apply/apply-result.ts';
export { type ApplySet, applySetId } from './set/apply-set.ts';
export { conflictsOf, type FieldConflict, recreateReason } from './apply/explain-failure.ts';
export { completeKeys } from './apply/complete-keys.ts';
export { inParallel } from './in-parallel.ts';
export { migrateFields } from './apply/migrate-fields.ts';
export { type Dependency, orderObjects } from './apply/order-objects.ts';
export { type Phase, phaseNumber, phases } from './apply/phase.ts';
export {
  deleteManifest,
  type DeleteManifestOptions,
  type DeleteReport,
  type DeleteResult,
} from './delete/delete-manifest.ts';

// As Manifestival does it
export {
  legacyApply,
  type LegacyApplyOptions,
  legacyDelete,
  type LegacyDeleteOptions,
  legacyDryRun,
} from './manifestival/manifestival.ts';

// Plans
export { diffLines, type DiffLine } from './plan/diff-lines.ts';
export {
  hasChanges,
  type Plan,
  type PlanChoices,
  type PlannedAction,
  type PlannedChange,
  type PlannedObject,
  planProblems,
} from './plan/plan.ts';
export { checkPlan, type PlanFile, readPlanFile, writePlanFile } from './plan/plan-file.ts';
export { planByDryRun, planManifest, type PlanOptions } from './plan/plan-manifest.ts';
export type { OpenPlanServer, PlanServer } from './plan/plan-server.ts';

// History
export {
  listRevisions,
  readRevision,
  recordRevision,
  type RecordOptions,
  type Revision,
  revisionManifest,
} from './history/history.ts';

// Readiness
export { objectStatus, type ReadinessOptions } from './wait/object-status.ts';
export type { Readiness, ReadinessStatus } from './wait/readiness.ts';
export { waitForObjects, type WaitOptions, type WaitReport, type WaitState } from './wait/wait-for-objects.ts';

// Hashes
export { dirHash } from './hash/dir-hash.ts';
export { canonicalHash, sha256Hex } from './hash/canonical-hash.ts';

// Errors
export { isManifestError, ManifestError, type ManifestErrorCode, manifestErrors } from './manifest-error.ts';
