/** The queue of a controller: one worker per key, fair lanes, delays, rate limits. */
export type { Cause, CountedCause, MergedCauses } from './causes.ts';
export type { Lane } from './fair-lanes.ts';
export type { QueueGauges, QueueMetrics } from './queue-metrics.ts';
export type { AddOptions, Queue, WorkItem } from './queue.ts';
export type { ExponentialOptions, TokenBucketOptions } from './rate-limiter.ts';
export { controllerQueue, type ControllerQueueOptions, type RateLimitingQueue } from './rate-limiting-queue.ts';
