import { type DynamicObject, type KubeObject, sleep, StatusError, type Status } from '@tektite/meta';
import type { Client } from '../client.ts';
import { ClientError } from '../client-error.ts';
import type { KindReference } from '../kind-reference.ts';
import { snapshotPages } from '../list-pages.ts';
import type { CallOptions, Selection } from '../verb-options.ts';
import { Backoff } from './backoff.ts';
import { keyText, KnownObjects, type VanishedObject } from './known-objects.ts';
import { recoverFrom } from './watch-failure.ts';

/** An event of {@link resilientWatch}. */
export type ResilientEvent<T extends KubeObject> =
  | { readonly type: 'added' | 'modified' | 'deleted'; readonly object: T }
  /** Deleted while the watch was interrupted: its last state is not known. */
  | { readonly type: 'vanished'; readonly object: VanishedObject }
  /** Everything up to this resourceVersion was delivered, and nothing of the selection changed lately. */
  | { readonly type: 'bookmark'; readonly resourceVersion: string }
  /** A list was delivered completely. */
  | { readonly type: 'synced'; readonly resourceVersion: string }
  /** The server compacted the history; events up to the next `synced` are the difference to the delivered state. */
  | { readonly type: 'restarted'; readonly reason: Error }
  /** Something is wrong, and will be tried again. For logs and metrics: nothing has to be done. */
  | { readonly type: 'error'; readonly error: Error; readonly retryInMs: number };

export interface ResilientWatchOptions extends Selection, Pick<CallOptions, 'signal'> {
  /** Give nothing but the metadata of objects, with their kind. */
  readonly metadataOnly?: boolean;
  /** Objects per request of the list. Default 100. */
  readonly pageSize?: number;
  /** Give up a silent connection after so long; the transport has a default. */
  readonly idleTimeoutMs?: number;
  /** The wait after the first failure, and the longest. Default half a second and 30 seconds. */
  readonly firstBackoffMs?: number;
  readonly maxBackoffMs?: number;
}

/**
 * Of larger pages the garbage is old before it is collected: with ten thousand Pods and pages of 500 the process needs at
 * its peak 1.7 times what it keeps, with pages of 100 no tenth more, and is no slower.
 */
const defaultPageSize = 100;
/** Watches are asked to end after a random time between one and two of these, so that they spread over replicas. */
const minWatchSeconds = 300;
/** A watch that ended sooner, without a single event, counts as a failure: reopening it at once would be a busy loop. */
const shortestWatchMs = 1_000;
/** A watch that lived so long proves that all is well again. */
const healthyMs = 60_000;

/**
 * Lists, then watches, and goes on for ever: through the normal end of watches, cut streams, dead peers, refused
 * connections, expired credentials, overload (429 with Retry-After), failing servers, and compacted history (410).
 *
 * Let known(k) be the latest state delivered of the object with key k: after `added` and `modified` that object, after
 * `deleted` and `vanished` nothing.
 *
 * Guarantees
 * - After `synced` with resourceVersion R, known(k) for all k is the state of the selection at R.
 * - If no failure comes between, every state of every object after R is delivered, once, in the order of the server.
 * - If failures come between, known(k) for each k still goes forward only, and states may be skipped only when the
 *   server itself compacted them (`restarted`). Once an object stops changing and the server answers, known(k) becomes
 *   its last state.
 * - No resourceVersion of an object is delivered twice, whatever happens between. `added` comes for keys that known(k)
 *   is nothing for, `modified` for those it is something for.
 * - Memory: names and versions of the objects there are; not the objects.
 *
 * Not guaranteed: that an object's `deleted` comes with its last state (it may be `vanished`), that a short-lived
 * object is seen at all after `restarted`, and anything about a server whose history was replaced by another one with
 * higher revisions.
 *
 * Ends only by leaving the loop, or by the signal, whose reason it then throws. Events wait for the reader: one that is
 * too slow is cut off by the server and resumes.
 *
 * @example for await (const event of resilientWatch(client, kinds.Pod, { namespace: 'default', signal })) { if
 * (event.type === 'added' || event.type === 'modified') pods.set(event.object.metadata.name, event.object); }
 */
export async function* resilientWatch<T extends KubeObject = DynamicObject>(
  client: Client,
  kind: KindReference<T>,
  options: ResilientWatchOptions = {},
): AsyncGenerator<ResilientEvent<T>, never> {
  const { firstBackoffMs: firstMs = 500, maxBackoffMs: maxMs = 30_000, signal } = options;
  const { clock } = client;
  const backoff = new Backoff(client.random, { firstMs, maxMs });
  const session = new WatchSession(client, kind, options);
  for (;;) {
    signal?.throwIfAborted();
    const started = clock.monotonic();
    try {
      if (session.resourceVersion === undefined) yield* session.list();
      const delivered = yield* session.watch();
      if (delivered > 0 || clock.monotonic() - started >= shortestWatchMs) {
        backoff.reset();
        continue;
      }
      await sleep(clock, backoff.next(), signal);
    } catch (error) {
      signal?.throwIfAborted();
      if (clock.monotonic() - started >= healthyMs) backoff.reset();
      const failure = error instanceof Error ? error : new Error(String(error));
      const { action, waitMs } = recoverFrom(error);
      if (action === 'resume') continue;
      if (action === 'relist' && session.resourceVersion !== undefined) {
        session.resourceVersion = undefined;
        yield { type: 'restarted', reason: failure };
        continue;
      }
      const retryInMs = Math.max(waitMs ?? 0, backoff.next());
      yield { type: 'error', error: failure, retryInMs };
      await sleep(clock, retryInMs, signal);
    }
  }
}

/** The position of a resilient watch in the history, and the objects that it delivered. */
class WatchSession<T extends KubeObject> {
  /** The last that was delivered; undefined when a list is needed. */
  resourceVersion: string | undefined;
  private readonly client: Client;
  private readonly kind: KindReference<T>;
  private readonly options: ResilientWatchOptions;
  private readonly known = new KnownObjects();

  constructor(client: Client, kind: KindReference<T>, options: ResilientWatchOptions) {
    this.client = client;
    this.kind = kind;
    this.options = options;
  }

  /** Delivers the difference between the current and the delivered state. */
  async *list(): AsyncGenerator<ResilientEvent<T>, void> {
    const { pageSize: limit = defaultPageSize } = this.options;
    const pages = snapshotPages<T>((page) => this.client.list(this.kind, page), {
      ...this.selection(),
      limit,
    });
    let present = new Set<string>();
    let version = '';
    for await (const { items, first, resourceVersion } of pages) {
      if (first) present = new Set();
      version = resourceVersion;
      for (const object of items) {
        present.add(keyText(object));
        yield* this.deliver(object);
      }
    }
    for (const object of this.known.retain(present)) yield { type: 'vanished', object };
    this.resourceVersion = version;
    yield { type: 'synced', resourceVersion: version };
  }

  /** Delivers events until the watch ends. Returns how many events the server sent. */
  async *watch(): AsyncGenerator<ResilientEvent<T>, number> {
    const { idleTimeoutMs } = this.options;
    const stream = await this.client.watch<T>(this.kind, {
      ...this.selection(),
      resourceVersion: this.resourceVersion ?? '',
      bookmarks: true,
      timeoutSeconds: Math.ceil(minWatchSeconds * (1 + this.client.random.next())),
      ...(idleTimeoutMs === undefined ? {} : { idleTimeoutMs }),
    });
    let count = 0;
    try {
      for await (const event of stream) {
        count++;
        if (event.type === 'ERROR') throw errorOf(event.object);
        const { resourceVersion } = event.object.metadata;
        if (!resourceVersion) throw new ClientError('INVALID_RESPONSE', 'an event of the watch has no resourceVersion');
        if (event.type === 'DELETED') {
          if (this.known.deleted(event.object)) yield { type: 'deleted', object: event.object };
        } else if (event.type !== 'BOOKMARK') yield* this.deliver(event.object);
        // Only now: a reader that stops in between has not received the event.
        this.resourceVersion = resourceVersion;
        if (event.type === 'BOOKMARK') yield { type: 'bookmark', resourceVersion };
      }
    } finally {
      stream.close();
    }
    return count;
  }

  private *deliver(object: T): Generator<ResilientEvent<T>> {
    for (const news of this.known.seen(object)) yield news.type === 'vanished' ? news : { type: news.type, object };
  }

  private selection(): Selection & Pick<CallOptions, 'signal'> & { readonly metadataOnly?: boolean } {
    const { namespace, labelSelector, fieldSelector, metadataOnly, signal } = this.options;
    return {
      ...(metadataOnly ? { metadataOnly } : {}),
      ...(namespace === undefined ? {} : { namespace }),
      ...(labelSelector === undefined ? {} : { labelSelector }),
      ...(fieldSelector === undefined ? {} : { fieldSelector }),
      ...(signal ? { signal } : {}),
    };
  }
}

function errorOf(status: Status): StatusError {
  const { kind: _, apiVersion: __, status: ___, ...rest } = status;
  return new StatusError(rest);
}
