import { Backoff, type Client, isClientError, type KindReference, resilientWatch } from '@tektite/client';
import type { ResilientEvent, ResilientWatchOptions } from '@tektite/client';
import { isStatusError, type KubeObject, sleep } from '@tektite/meta';
import { ControllerError } from '../controller-error.ts';
import { type CachedObject, cacheKey, isAtLeast } from './cached-object.ts';
import type { HandlerOptions, InformerHandler } from './handler-set.ts';
import { InformerContent } from './informer-content.ts';
import { HealthRecord, type InformerHealth } from './informer-health.ts';
import type { IndexFunction } from './store-index.ts';
import type { ReadonlyStore } from './store.ts';
import type { Transform } from './transform.ts';
import { WaitList } from './wait-list.ts';

export interface InformerOptions<T extends KubeObject, Out> extends Omit<ResilientWatchOptions, 'signal'> {
  /** The part of each object to keep. Default: all of it. */
  readonly transform?: Transform<T, Out>;
  /** How long it may fail to reach the server and still count as healthy. Default one minute. */
  readonly unhealthyAfterMs?: number;
  /** How long a kind has to be unknown to the server before its objects count as gone. Default ten seconds. */
  readonly unservedAfterMs?: number;
  /** Called with every error, for logs. No action is required: the informer retries. */
  readonly onError?: (error: Error) => void;
}

const defaultUnhealthyAfterMs = 60_000;
const defaultUnservedAfterMs = 10_000;

/**
 * A cache of the objects of a selection, kept up to date by one list and watch, and shared by any number of readers and
 * handlers.
 *
 * Let server(k, r) be the object with key k at resourceVersion r, transformed, or nothing; and cache(k) the object in
 * the store.
 *
 * Guarantees
 * - For each k, cache(k) is server(k, r) for some r, and that r only grows. All k share one r while no list is being
 *   read, that is when `health().state` is `watching`.
 * - If the server goes on answering and k stops changing, cache(k) becomes and stays its last state, whatever failed
 *   before.
 * - A handler is notified of every change of the cache, and of nothing else, from a snapshot that is complete at the
 *   moment it is added: if it keeps a map by these calls, the map equals the store whenever it is called and
 *   afterwards. While it is called for k, the store has exactly the delivered object. `added` and `deleted` of a key
 *   alternate.
 * - Another object by the same name (another uid) is delivered as `deleted`, then `added`.
 * - Objects are frozen, all the way down.
 * - It never ends but by `stop`. Failures are reported to `onError` and shown by `health()`; so does silence.
 * - A kind that the server does not serve (any longer) has no objects, and is polled until it is served (again).
 * - After `stop` no handler is called, no timer and no connection is left. The store keeps its objects.
 *
 * Not guaranteed: that a handler sees every state an object had, or objects that lived shortly while the watch was
 * down; any relation between the caches of different kinds; and that `r` grows on a server that was itself set back in
 * time.
 *
 * @example await using pods = new Informer(client, kinds.Pod, { transform: project(kinds.Pod, { spec: { nodeName: true
 * } }) }); pods.addIndex('node', (pod) => (pod.spec?.nodeName ? [pod.spec.nodeName] : [])); pods.addHandler({ added:
 * (pod) => queue.add(cacheKey(pod.metadata)) }); await pods.start().synced(signal);
 */
export class Informer<T extends KubeObject = KubeObject, Out extends CachedObject = T> implements AsyncDisposable {
  readonly kind: KindReference<T>;
  readonly options: InformerOptions<T, Out>;
  readonly store: ReadonlyStore<Out>;
  private readonly client: Client;
  private readonly content: InformerContent<T, Out>;
  private readonly record: HealthRecord;
  private readonly waiting = new WaitList();
  private readonly controller = new AbortController();
  private running: Promise<void> | undefined;
  /** Whether a list is being read, so that parts of the cache are older than others. */
  private listing = true;
  private unservedSince: number | undefined;
  private latest: string | undefined;

  constructor(client: Client, kind: KindReference<T>, options: InformerOptions<T, Out> = {}) {
    this.client = this.observing(client);
    this.kind = kind;
    this.options = options;
    this.content = new InformerContent(client.clock, options.transform, (error) => this.report(error));
    this.store = this.content.store;
    this.record = new HealthRecord(
      client.clock,
      options.unhealthyAfterMs ?? defaultUnhealthyAfterMs,
      this.content.failedObjects,
    );
  }

  /** Everything up to here is in the cache; undefined before the first complete list. */
  get resourceVersion(): string | undefined {
    return this.latest;
  }

  /** Starts to list and watch, once; what was stopped stays stopped. */
  start(): this {
    if (this.running || this.controller.signal.aborted) return this;
    this.record.state = 'listing';
    this.running = this.run(this.controller.signal);
    return this;
  }

  /** Resolves when the first list is complete. Rejects with the signal's reason, or `INFORMER_STOPPED`. */
  synced(signal?: AbortSignal): Promise<void> {
    return this.waitFor(() => this.record.synced, signal);
  }

  /** Resolves when the condition holds; it is asked now and after each event. Rejects as `synced` does. */
  waitFor(condition: () => boolean, signal?: AbortSignal): Promise<void> {
    return this.waiting.until(condition, signal);
  }

  /** Whether the cache shows what the server had by this key at this version, or later. */
  shows(key: string, resourceVersion: string): boolean {
    const own = this.store.get(key)?.metadata.resourceVersion;
    return [own, this.latest].some((version) => version !== undefined && isAtLeast(version, resourceVersion));
  }

  addHandler(handler: InformerHandler<Out>, options?: HandlerOptions): Disposable {
    if (this.controller.signal.aborted) throw stoppedError();
    return this.content.handlers.add(handler, options);
  }

  addIndex(name: string, valuesOf: IndexFunction<Out>): void {
    this.content.store.addIndex(name, valuesOf);
  }

  removeIndex(name: string): void {
    this.content.store.removeIndex(name);
  }

  health(): InformerHealth {
    return this.record.report();
  }

  async stop(): Promise<void> {
    this.record.state = 'stopped';
    this.controller.abort(stoppedError());
    this.content.handlers.clear();
    this.waiting.close(stoppedError());
    await this.running;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  private async run(signal: AbortSignal): Promise<void> {
    const { firstBackoffMs: firstMs = 500, maxBackoffMs: maxMs = 30_000 } = this.options;
    const backoff = new Backoff(this.client.random, { firstMs, maxMs });
    while (!signal.aborted) {
      try {
        await this.session(signal);
        await sleep(this.client.clock, backoff.next(), signal);
      } catch (error) {
        if (signal.aborted) return;
        // Nothing is known to come here. If something does, the cache lives on.
        this.fail(error instanceof Error ? error : new Error(String(error)));
        await sleep(this.client.clock, backoff.next(), signal).catch(() => undefined);
      }
    }
  }

  /** The same client, but every watch that the server accepts counts as a word from it. */
  private observing(client: Client): Client {
    return client.intercepted({ watching: () => this.heard() });
  }

  private heard(): void {
    this.record.heard(this.listing ? 'listing' : 'watching');
  }

  /** Follows one resilient watch, until the kind is no longer served. */
  private async session(signal: AbortSignal): Promise<void> {
    const { transform: _, unhealthyAfterMs: __, unservedAfterMs: ___, onError: ____, ...options } = this.options;
    this.listing = true;
    this.content.startOver();
    for await (const event of resilientWatch(this.client, this.kind, { ...options, signal })) {
      if (signal.aborted) return;
      const gone = event.type === 'error' ? this.failed(event.error) : this.apply(event);
      this.waiting.check();
      if (gone) return;
    }
  }

  private apply(event: Exclude<ResilientEvent<T>, { readonly type: 'error' }>): false {
    this.unservedSince = undefined;
    switch (event.type) {
      case 'added':
      case 'modified':
        this.content.put(event.object, !this.record.synced);
        break;
      case 'deleted':
        this.content.remove(cacheKey(event.object.metadata), event.object);
        break;
      case 'vanished':
        this.content.vanish(event.object);
        break;
      case 'restarted':
        this.record.restarts++;
        this.listing = true;
        this.report(event.reason);
        break;
      case 'synced':
        this.content.complete();
        this.listing = false;
        this.record.synced = true;
    }
    // The versions of a list's objects come in no order; only its own says how far it goes.
    if (!this.listing) this.latest = versionOf(event) ?? this.latest;
    this.heard();
    return false;
  }

  private fail(error: Error): void {
    this.record.failed(error);
    this.report(error);
  }

  /**
   * Whether a failure means that the kind, and so all its objects, are deleted. Servers that have just started may not
   * serve their kinds for a moment, and an empty cache would be taken for deletions; so the failure has to persist.
   */
  private failed(error: Error): boolean {
    this.fail(error);
    if (!isStatusError(error, 'NotFound') && !isClientError(error, 'UNKNOWN_KIND')) {
      this.unservedSince = undefined;
      return false;
    }
    const now = this.client.clock.monotonic();
    this.unservedSince ??= now;
    if (now - this.unservedSince < (this.options.unservedAfterMs ?? defaultUnservedAfterMs)) return false;
    if (this.store.size === 0) return false;
    this.content.clear();
    return true;
  }

  private report(error: Error): void {
    try {
      this.options.onError?.(error);
    } catch (failure) {
      // A throwing error handler must not end the watch.
      this.record.lastError = new ControllerError('HANDLER_FAILED', 'onError threw', { cause: failure });
    }
  }
}

/** How far the watch has come by this event. */
function versionOf<T extends KubeObject>(event: ResilientEvent<T>): string | undefined {
  if (event.type === 'bookmark' || event.type === 'synced') return event.resourceVersion;
  const delivered = event.type === 'added' || event.type === 'modified' || event.type === 'deleted';
  return delivered ? event.object.metadata.resourceVersion : undefined;
}

function stoppedError(): ControllerError {
  return new ControllerError('INFORMER_STOPPED', 'the informer was stopped');
}
