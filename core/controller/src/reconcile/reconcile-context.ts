import type { Client } from '@tektite/client';
import type { Clock, KubeObject, Random } from '@tektite/meta';
import type { CachedObject } from '../cache/cached-object.ts';
import type { EventText } from '../events/event-text.ts';
import type { Logger } from '../logger.ts';
import type { MergedCauses } from '../queue/causes.ts';
import type { CachedSource } from './source.ts';
import type { StatusOf } from './write-status.ts';
import type { SourceCache } from './watch-source.ts';

/** The context of a reconcile. Its functions may be destructured: `{ client, cache, log }`. */
export interface ReconcileContext {
  /** `namespace/name`, or `name`. */
  readonly key: string;
  readonly namespace: string | undefined;
  readonly name: string;
  /**
   * The API. Writes through it are visible to the next reconcile of this object. It refuses to write once `signal` is
   * aborted, so that a reconcile that was too slow or lost its lease cannot write.
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
  /** Records an Event about the object. Repeated ones are counted, not repeated. */
  event(event: EventText): void;
  /**
   * Writes the object's status through the status subresource, if it differs. The object has to be the given one: a
   * concurrent change is a conflict, and the reconcile runs again. Returns whether something was written.
   */
  writeStatus<T extends KubeObject>(object: T, status: StatusOf<T>): Promise<boolean>;
  /** Resolves when the caches show everything that was written so far. Seldom needed: each reconcile begins so. */
  caughtUp(): Promise<void>;
}
