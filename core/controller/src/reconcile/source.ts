import type { Selection } from '@tektite/client';
import type { Clock, KubeObject } from '@tektite/meta';
import type { Kind } from '@tektite/schema';
import type { CachedObject } from '../cache/cached-object.ts';
import type { Informer } from '../cache/informer.ts';
import type { InformerSet } from '../cache/informer-set.ts';
import type { IndexFunction } from '../cache/store-index.ts';
import type { Transform } from '../cache/transform.ts';
import type { AddOptions } from '../queue/queue.ts';

/** The interface of a controller for its sources. */
export interface SourceTarget {
  /** Puts a key of the controller's own kind into its queue. */
  add(key: string, options: AddOptions): void;
  /** The keys of all objects of the controller's own kind that are cached. */
  keys(): Iterable<string>;
  readonly kind: Kind;
  readonly informers: InformerSet;
  readonly clock: Clock;
  readonly onError: (error: Error) => void;
}

/** A source at work. */
export interface RunningSource {
  /** Resolves when everything there was at the start has been added. */
  synced(signal?: AbortSignal): Promise<void>;
  stop(): Promise<void>;
  /** The cache behind it, of sources that have one. */
  readonly informer?: Informer<KubeObject, CachedObject>;
}

/** Where a controller's keys come from, besides its own kind. Describes only: one value may serve several controllers. */
export interface Source {
  /** For logs and explanations. */
  readonly describe: string;
  start(target: SourceTarget): RunningSource;
  /** The watched kind, for RBAC rules. */
  readonly watches?: Kind;
  /** Whether the controller's objects own the watched ones, for RBAC rules. */
  readonly owns?: boolean;
}

/** A source whose objects can be read from a cache: `context.cache(source)`. */
export interface CachedSource<Out extends CachedObject = CachedObject> extends Source {
  readonly watches: Kind;
  /** Only for the type system; there is no such property. */
  readonly '~cached'?: Out;
}

/** Which objects of a kind a source follows, and what it keeps of them. */
export interface WatchOptions<T extends KubeObject, Out extends CachedObject> extends Selection {
  /** The part of each object to keep. Default: all but `managedFields`. */
  readonly transform?: Transform<T, Out>;
  /** Ways to find objects: `context.cache(source).byIndex(name, value)`. Keep the functions, not copies of them. */
  readonly indexes?: Readonly<Record<string, IndexFunction<Out>>>;
}
