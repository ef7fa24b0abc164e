/** The controller runtime: watches the API and schedules reconciles. */

// The queue: which key next, and when
export type { Cause, CountedCause, MergedCauses } from './queue/causes.ts';
export { DelayingQueue } from './queue/delaying-queue.ts';
export type { Lane } from './queue/fair-lanes.ts';
export type { QueueGauges, QueueMetrics } from './queue/queue-metrics.ts';
export type { AddOptions, Queue, WorkItem } from './queue/queue.ts';
export {
  exponentialLimiter,
  type ExponentialOptions,
  maxOfLimiters,
  type RateLimiter,
  tokenBucketLimiter,
  type TokenBucketOptions,
} from './queue/rate-limiter.ts';
export { controllerQueue, type ControllerQueueOptions, RateLimitingQueue } from './queue/rate-limiting-queue.ts';
export { WorkQueue, type WorkQueueOptions } from './queue/work-queue.ts';

// The cache: what the API holds, close at hand
export { cacheKey, type CachedObject } from './cache/cached-object.ts';
export type { HandlerOptions, InformerHandler } from './cache/handler-set.ts';
export type { InformerHealth } from './cache/informer-health.ts';
export { type InformerLease, InformerSet } from './cache/informer-set.ts';
export { Informer, type InformerOptions } from './cache/informer.ts';
export { metadataTransport } from './cache/metadata-transport.ts';
export { type InformerSource, ReadYourWrites } from './cache/read-your-writes.ts';
export type { IndexFunction } from './cache/store-index.ts';
export { type ReadonlyStore, Store } from './cache/store.ts';
export {
  type Fields,
  metadataOnly,
  type ObjectMetadata,
  project,
  type ProjectedObject,
  strip,
  type Stripped,
  type Transform,
  withoutManagedFields,
} from './cache/transform.ts';

// Election: which keys are this process's
export { BucketElection, type BucketElectionOptions } from './election/bucket-election.ts';
export { type BucketNaming, bucketNames } from './election/bucket-names.ts';
export { BucketSet } from './election/bucket-set.ts';
export { defaultElectionConfig, type ElectionConfig, readElectionConfig } from './election/election-config.ts';
export { coreTiming, type ElectionTiming } from './election/election-timing.ts';
export { type Claim, fencedClient } from './election/fenced-client.ts';
export { uniqueIdentity } from './election/identity.ts';
export { type ElectionTransition, LeaderElector, type LeaderElectorOptions } from './election/leader-elector.ts';
export { ordinalOwnership, type OrdinalPlace, ordinalPlace } from './election/ordinal-ownership.ts';
export { everything, type Ownership } from './election/ownership.ts';

// Reconcilers: what is done about it
export { Channel } from './reconcile/channel.ts';
export {
  type ControllerDefinition,
  defineController,
  type FinalizerDefinition,
  type Reconciler,
} from './reconcile/controller-definition.ts';
export { Controller, type ControllerHealth, type ControllerParts } from './reconcile/controller.ts';
export { every } from './reconcile/every.ts';
export { finalizerStep, holdObject, releaseObject } from './reconcile/finalize.ts';
export { describeCauses, type ReconcileRecord } from './reconcile/history.ts';
export { Manager, type ManagerHealth, type ManagerOptions } from './reconcile/manager.ts';
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
export type { ReconcileContext } from './reconcile/reconcile-context.ts';
export type { Outcome, ReconcileMetrics } from './reconcile/reconcile-metrics.ts';
export { done, failed, permanentlyFailed, PermanentError, requeueAfter, type Result } from './reconcile/result.ts';
export type { CachedSource, RunningSource, Source, SourceTarget, WatchOptions } from './reconcile/source.ts';
export { cached, type KeysOf, mapped, owned, type ReactOptions, type SourceCache } from './reconcile/watch-source.ts';
export { mergeDifference, type StatusOf, writeStatus } from './reconcile/write-status.ts';

// Systems: all of it together
export { clusterRoleFor } from './system/cluster-role.ts';
export { type DefineKind, definitionsOf, installKinds } from './system/definitions.ts';
export { namespaceRoleFor, type NamespaceRoleOptions } from './system/namespace-role.ts';
export {
  type RunningSystems,
  startSystems,
  type SystemsElection,
  type SystemsHealth,
  type SystemsOptions,
  type SystemsWebhooks,
} from './system/start-systems.ts';
export type { ConfiguredSystem, System, SystemServices } from './system/system.ts';

// Events
export { EventRecorder, type EventRecorderOptions } from './events/event-recorder.ts';
export type { EventReporter } from './events/event-object.ts';
export type { EventText } from './events/event-text.ts';

// Logs, metrics, traces, health
export { controllerMetrics, observeInformers } from './observe/controller-metrics.ts';
export { globalMeter } from './observe/global-meter.ts';
export type { Attributes, Counter, Gauge, Histogram, Meter } from '@opentelemetry/api';
export { currentTrace, type TraceContext } from './reconcile/trace-context.ts';
export { observedTransport, type Observers } from './observe/observed-transport.ts';
export { type StatusPage, statusPage, type StatusRequest, type StatusSubject } from './observe/status-pages.ts';
export { type LogFields, type Logger, silentLogger } from './logger.ts';

// Webhooks: what the API asks before it stores or shows something
export type {
  AdmissionOperation,
  AdmissionRequest,
  AdmissionResponse,
  ReviewUser,
} from './webhook/admission-review.ts';
export type {
  AdmissionContext,
  AdmissionOptions,
  AdmissionRule,
  AdmissionWebhook,
} from './webhook/admission-webhook.ts';
export type { WebhookCertificate } from './webhook/certificate-data.ts';
export { type CertificateSecretOptions, ensureCertificate } from './webhook/certificate-secret.ts';
export { configMapWebhook, type ConfigMapWebhookOptions } from './webhook/config-map-webhook.ts';
export { conversion, type ConversionOptions, type Spoke, spoke } from './webhook/conversion.ts';
export {
  type ConversionRule,
  conversionWebhook,
  type ConversionWebhook,
  type ConversionWebhookOptions,
} from './webhook/conversion-webhook.ts';
export { createJsonPatch } from './webhook/create-json-patch.ts';
export type { GoFieldNames } from './webhook/decode-error.ts';
export {
  defaulting,
  type DefaultingRule,
  defaultingWebhook,
  type DefaultingWebhookOptions,
} from './webhook/defaulting-webhook.ts';
export {
  detailedError,
  disallowedField,
  disallowedUpdateOfDeprecatedField,
  genericError,
  invalidArrayValue,
  invalidKeyName,
  invalidValue,
  missingField,
  missingOneOf,
  multipleOneOf,
  noFieldErrors,
  outOfBounds,
} from './webhook/field-error-kinds.ts';
export { FieldErrors } from './webhook/field-errors.ts';
export type { KnativeFieldError, DiagnosticLevel } from './webhook/knative-field-error.ts';
export {
  type LocalWebhookHost,
  LocalWebhookService,
  type LocalWebhookServiceOptions,
} from './webhook/local-webhook-service.ts';
export { retireWebhooks } from './webhook/retire-webhooks.ts';
export type { Webhook } from './webhook/review-handler.ts';
export {
  validating,
  type ValidatingRule,
  validatingWebhook,
  type ValidatingWebhookOptions,
  type ValidationResult,
} from './webhook/validating-webhook.ts';
export { type WebhookAddress, webhookConfigurations } from './webhook/webhook-configurations.ts';
export { type RegistrationOptions, registerWebhooks } from './webhook/webhook-registration.ts';
export { type ServingCertificate, WebhookServer, type WebhookServerOptions } from './webhook/webhook-server.ts';
export { type WebhookHealth, WebhookService, type WebhookServiceOptions } from './webhook/webhook-service.ts';

// Configuration: ConfigMaps with a type
export { ConfigError, isConfigError } from './config/config-error.ts';
export {
  booleanField,
  type ConfigField,
  durationField,
  enumField,
  integerField,
  listField,
  numberField,
  quantityField,
  stringField,
  yamlField,
} from './config/config-fields.ts';
export { ConfigStore, type ConfigStoreOptions } from './config/config-store.ts';
export {
  type ConfigData,
  type ConfigDefinition,
  configKey,
  type ConfigOf,
  customConfig,
  defineConfig,
} from './config/define-config.ts';
export type { ConfigEvents, ConfigHealth } from './config/watched-config.ts';

// Errors
export {
  ControllerError,
  type ControllerErrorCode,
  controllerErrors,
  isControllerError,
} from './controller-error.ts';
