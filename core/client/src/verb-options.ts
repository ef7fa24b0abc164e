/** Options of every verb. */
export interface CallOptions {
  readonly signal?: AbortSignal;
  /** How long the answer may take; the transport has a default. */
  readonly timeoutMs?: number;
}

export interface GetOptions extends CallOptions {
  /** `0`: any state will do, from a cache too. */
  readonly resourceVersion?: string;
  /** Read `status` or another subresource of the same kind instead of the object. */
  readonly subresource?: string;
  /** Give nothing but the metadata, with the kind of the object: for who has to know who wrote it, and not what. */
  readonly metadataOnly?: boolean;
}

/** Which objects of a kind. */
export interface Selection {
  /** Default: all namespaces. */
  readonly namespace?: string;
  /** `app=web,tier in (a,b)`. */
  readonly labelSelector?: string;
  /** `status.phase=Running`. */
  readonly fieldSelector?: string;
}

export interface ListOptions extends Selection, CallOptions {
  /** At most so many; the rest follows with `continue`. */
  readonly limit?: number;
  readonly continue?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
  /** Give nothing but the metadata of objects, with their kind. */
  readonly metadataOnly?: boolean;
}

export interface WatchOptions extends Selection {
  /** Events after this one. Without it, the watch starts with an `ADDED` for all there is. */
  readonly resourceVersion?: string;
  /** Ask for `BOOKMARK` events, which move the resourceVersion on without an object. */
  readonly bookmarks?: boolean;
  /** Ask the server to end the watch then. */
  readonly timeoutSeconds?: number;
  /** Give nothing but the metadata of objects, with their kind. */
  readonly metadataOnly?: boolean;
  /** Give up after so much silence; the transport has a default. */
  readonly idleTimeoutMs?: number;
  readonly signal?: AbortSignal;
}

export interface WriteOptions extends CallOptions {
  /** Do everything but keep the result. */
  readonly dryRun?: boolean;
  /** Who owns the fields that are written. */
  readonly fieldManager?: string;
  /** The handling of unknown and duplicate fields. The server warns by default. */
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict';
  /** Write `status` or another subresource of the same kind instead of the object. */
  readonly subresource?: string;
}

export interface ApplyOptions extends WriteOptions {
  /** Take over fields that others own, instead of failing with a conflict. */
  readonly force?: boolean;
  /** Answer nothing but the metadata, with the kind of the object: what was sent need not come back. */
  readonly metadataOnly?: boolean;
}

export interface DeleteOptions extends CallOptions {
  readonly dryRun?: boolean;
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
  /** Delete only if the object is still this one. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

export interface DeleteCollectionOptions extends DeleteOptions, Selection {}

export interface LogOptions {
  readonly container?: string;
  /** Go on as the container writes. */
  readonly follow?: boolean;
  /** The container before the last restart. */
  readonly previous?: boolean;
  readonly timestamps?: boolean;
  readonly tailLines?: number;
  readonly sinceSeconds?: number;
  /** RFC 3339. */
  readonly sinceTime?: string;
  readonly limitBytes?: number;
  readonly signal?: AbortSignal;
}
