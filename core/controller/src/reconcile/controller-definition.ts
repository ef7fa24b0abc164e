import type { Selection } from '@tektite/client';
import type { KubeObject } from '@tektite/meta';
import type { Kind } from '@tektite/schema';
import type { CachedObject } from '../cache/cached-object.ts';
import type { ExponentialOptions, TokenBucketOptions } from '../queue/rate-limiter.ts';
import type { TraceContext } from './trace-context.ts';
import type { ReconcileContext } from './reconcile-context.ts';
import type { Result } from './result.ts';
import type { Source } from './source.ts';
import type { ReactOptions } from './watch-source.ts';

/** Brings the actual state in line with the desired state of an object. */
export interface Reconciler<Out> {
  /**
   * Reconciles one object. Level-triggered: it receives the object, and not the event; it must reach the desired state
   * from whatever state it observes, also when it is called twice, or was interrupted last time.
   *
   * Guarantees
   * - For one object, one call at a time. For different objects, as many as `concurrency` says.
   * - The caches show at least the writes of the last call for this object.
   * - After the last change that a source reports, there is a call that observes it.
   */
  reconcile(object: Out, context: ReconcileContext): Promise<Result | undefined | void> | Result | undefined | void;
  /** The object is deleted. Only for state of the process itself: deletions while it was down are not reported. */
  gone?(key: string, context: ReconcileContext): Promise<Result | undefined | void> | Result | undefined | void;
}

/** External cleanup before an object may be deleted. */
export interface FinalizerDefinition<Out> {
  /** `example.com/cleanup`. Written before the first reconcile, taken away when `cleanup` is done. */
  readonly name: string;
  /** Has to succeed when there is nothing (left) to do. `requeueAfter` means: not yet. */
  cleanup(object: Out, context: ReconcileContext): Promise<Result | undefined | void> | Result | undefined | void;
}

/**
 * A controller: its kind, its sources and its reconciler. A value without state: a `Manager` runs it.
 *
 * @example const deployments = owned(kinds.Deployment); export const memcachedController = defineController({ name:
 * 'memcached', kind: Memcached, sources: [deployments], async reconcile(memcached, { client, cache, writeStatus }) {
 *     await client.apply(kinds.Deployment, deploymentFor(memcached));
 *     const [deployment] = cache(deployments).ownedBy(memcached);
 *     await writeStatus(memcached, statusOf(deployment)); }, });
 */
export interface ControllerDefinition<T extends KubeObject = KubeObject, Out extends CachedObject = CachedObject>
  extends Selection,
    ReactOptions<T, Out>,
    Reconciler<Out> {
  /** For logs, metrics and leases; unique in a manager. */
  readonly name: string;
  /** Its name in Leases, where controllers of other programs compete for the same. Default its name. */
  readonly queue?: string;
  readonly kind: Kind<T>;
  /** Additional watches that enqueue objects of this kind. */
  readonly sources?: readonly Source[];
  readonly finalizer?: FinalizerDefinition<Out>;
  /** The trace of an object, if it names one: its reconciles are then spans of it. */
  traceOf?(object: Out): TraceContext | undefined;
  /** How many objects are worked on at a time. Default 4, or the manager's. */
  readonly concurrency?: number;
  /** How long a reconcile may take. Default five minutes, or the manager's. */
  readonly timeoutMs?: number;
  /** The resync period. Default never: no event is lost that a resync would find. */
  readonly resyncMs?: number;
  /** The waits of objects that fail. */
  readonly backoff?: ExponentialOptions;
  /** The rate of retries over all objects. */
  readonly bucket?: TokenBucketOptions;
}

/** Checks a definition's types and forgets them, so that it fits in lists with others. */
export function defineController<T extends KubeObject, Out extends CachedObject = T>(
  definition: ControllerDefinition<T, Out>,
): ControllerDefinition {
  return definition as unknown as ControllerDefinition;
}
