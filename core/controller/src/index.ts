/** The controller runtime: what watches the API and decides what to look at next. */

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
} from './cache/transform.ts';

// Election: which keys are this process's
export { everything, type Ownership } from './election/ownership.ts';

// Mistakes
export {
  ControllerError,
  type ControllerErrorCode,
  controllerErrorCodes,
  isControllerError,
} from './controller-error.ts';
