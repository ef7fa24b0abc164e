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
