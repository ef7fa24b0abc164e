import type { Client } from '@tektite/client';
import type { Clock, KubeObject, Random } from '@tektite/meta';
import type { CachedObject } from '../cache/cached-object.ts';
import type { EventText } from '../events/event-text.ts';
import type { Logger } from '../logger.ts';
import type { MergedCauses } from '../queue/causes.ts';
import type { CachedSource } from './source.ts';
import type { StatusOf } from './write-status.ts';
import type { SourceCache } from './watch-source.ts';

/** What a reconciler is given besides the object. Its functions may be taken out of it: `{ client, cache, log }`. */
export interface ReconcileContext {
  /** `namespace/name`, or `name`. */
  readonly key: string;
  readonly namespace: string | undefined;
  readonly name: string;
  /**
   * The API. What is written through it is seen by the next reconcile of this object. It refuses to write once `signal` is
   * aborted, so that nobody writes who was too slow or is no longer in charge.
   */
  readonly client: Client;
  /** Aborted when the process stops, when this takes too long, and when the object becomes another process's. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly random: Random;
  /** Why this happens: all reasons that were merged into it. For logs and explanations, never for decisions. */
  readonly causes: MergedCauses;
  /** How often it failed in a row before. */
  readonly attempt: number;
  readonly log: Logger;
  /** The cache of one of the controller's sources. */
  cache<Out extends CachedObject>(source: CachedSource<Out>): SourceCache<Out>;
  /** Tells the users of the object what happened, as an Event. Repeated ones are counted, not repeated. */
  event(event: EventText): void;
  /**
   * Writes the object's status through the status subresource, if it is another one than the object has. The object has
   * to be the one that was given: when somebody changed it since, this is a conflict, and the reconcile runs again.
   * Returns whether something was written.
   */
  writeStatus<T extends KubeObject>(object: T, status: StatusOf<T>): Promise<boolean>;
  /** Resolves when the caches show everything that was written so far. Seldom needed: each reconcile begins so. */
  caughtUp(): Promise<void>;
}
