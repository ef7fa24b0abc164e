/**
 * The controller runtime: watches the API and schedules reconciles. Here is what an operator needs; each part has its entry:
 * `/cache`, `/queue`, `/election`, `/events`, `/config`, `/field-errors`, `/webhook`, `/observe`.
 */

// Systems: kinds, controllers and webhooks that start together
export {
  type RunningSystems,
  startSystems,
  type SystemsElection,
  type SystemsHealth,
  type SystemsOptions,
  type SystemsWebhooks,
} from './system/start-systems.ts';
export type { ConfiguredSystem, System, SystemServices } from './system/system.ts';
export { type DefineKind, definitionsOf, installKinds } from './system/definitions.ts';
export { migrateStorage, type StorageMigration, storeVersion } from './system/migrate-storage.ts';
export { clusterRoleFor } from './system/cluster-role.ts';
export { namespaceRoleFor, type NamespaceRoleOptions } from './system/namespace-role.ts';

// Controllers
export {
  type ControllerDefinition,
  defineController,
  type FinalizerDefinition,
  type Reconciler,
} from './reconcile/controller-definition.ts';
export type { ReconcileContext } from './reconcile/reconcile-context.ts';
// Named by the inferred type of every controller, so a definition needs no annotation.
export type { CachedObject } from './cache/cached-object.ts';
export { done, failed, requeueAfter, type Result, terminallyFailed } from './reconcile/result.ts';
export { releaseObject } from './reconcile/finalize.ts';
export { mergeDifference, type StatusOf, writeStatus } from './reconcile/write-status.ts';

// Sources: which changes enqueue an object
export { cached, type KeysOf, mapped, owned, type ReactOptions, type SourceCache } from './reconcile/watch-source.ts';
export { Channel } from './reconcile/channel.ts';
export { every } from './reconcile/every.ts';
export type { CachedSource, RunningSource, Source, SourceTarget, WatchOptions } from './reconcile/source.ts';
export {
  allOf,
  annotationsChanged,
  anyOf,
  type Change,
  generationChanged,
  labelsChanged,
  not,
  type Predicate,
} from './reconcile/predicate.ts';

// The manager: runs controllers
export { Manager, type ManagerHealth, type ManagerOptions } from './reconcile/manager.ts';
export type { ControllerHealth } from './reconcile/controller.ts';
export { describeCauses, type ReconcileRecord } from './reconcile/history.ts';

// Logs and errors
export { type LogFields, type Logger, silentLogger } from './logger.ts';
export {
  ControllerError,
  type ControllerErrorCode,
  controllerErrors,
  isControllerError,
} from './controller-error.ts';
