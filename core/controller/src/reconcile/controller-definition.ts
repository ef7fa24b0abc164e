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

/** What makes the state of the world what an object says. */
export interface Reconciler<Out> {
  /**
   * Looks at one object and does what is needed. Level-triggered: it is told which object, and not what happened; it must
   * do the right thing from whatever state it finds, also when it is called twice, or died in the middle last time.
   *
   * Guarantees
   * - For one object, one call at a time. For different objects, as many as `concurrency` says.
   * - The caches show at least what the last call for this object wrote.
   * - After the last change that a source tells of, there is a call that sees it.
   */
  reconcile(object: Out, context: ReconcileContext): Promise<Result | undefined | void> | Result | undefined | void;
  /** The object is gone. Only for what the process itself holds: when it was down, nobody tells. */
  gone?(key: string, context: ReconcileContext): Promise<Result | undefined | void> | Result | undefined | void;
}

/** What has to be done outside before an object may go. */
export interface FinalizerDefinition<Out> {
  /** `example.com/cleanup`. Written before the first reconcile, taken away when `cleanup` is done. */
  readonly name: string;
  /** Has to succeed when there is nothing (left) to do. `requeueAfter` means: not yet. */
  cleanup(object: Out, context: ReconcileContext): Promise<Result | undefined | void> | Result | undefined | void;
}

/**
 * A controller: which objects it looks at, when, and what it does. A value, without any state: a `Manager` runs it.
 *
 * @example
 * const deployments = owned(kinds.Deployment);
 * export const memcachedController = defineController({
 *   name: 'memcached',
 *   kind: Memcached,
 *   sources: [deployments],
 *   async reconcile(memcached, { client, cache, writeStatus }) {
 *     await client.apply(kinds.Deployment, deploymentFor(memcached));
 *     const [deployment] = cache(deployments).ownedBy(memcached);
 *     await writeStatus(memcached, statusOf(deployment));
 *   },
 * });
 */
export interface ControllerDefinition<T extends KubeObject = KubeObject, Out extends CachedObject = CachedObject>
  extends Selection,
    ReactOptions<T, Out>,
    Reconciler<Out> {
  /** For logs, metrics and leases; unique in a manager. */
  readonly name: string;
  readonly kind: Kind<T>;
  /** What else has objects looked at. */
  readonly sources?: readonly Source[];
  readonly finalizer?: FinalizerDefinition<Out>;
  /** The trace that an object belongs to, if it says so: looks at it are then parts of that. */
  traceOf?(object: Out): TraceContext | undefined;
  /** How many objects are worked on at a time. Default 4, or the manager's. */
  readonly concurrency?: number;
  /** How long a reconcile may take. Default five minutes, or the manager's. */
  readonly timeoutMs?: number;
  /** Look at all objects each time so long has passed. Default never: nothing is lost here that this would find. */
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
