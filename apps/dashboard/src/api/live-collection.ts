import type { Clock, KubeObject, Status } from '@tektite/meta';
import { signal } from '@preact/signals-core';
import { ApiError, type KubeApi, type KubeList } from './kube-api.ts';
import { LineDecoder } from './line-decoder.ts';
import { withQuery } from './resource.ts';

export type LiveState = 'loading' | 'live' | 'reconnecting' | 'failed';

export interface LiveCollectionOptions<T> {
  readonly api: KubeApi;
  readonly clock: Clock;
  /** Of the collection, without a query. */
  readonly path: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** The part of an object that is kept. */
  readonly summarize: (object: KubeObject) => T;
  /** Called once for many changes, when the page can paint them. */
  readonly schedule: (flush: () => void) => void;
}

interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: KubeObject & Partial<Status>;
}

const pageSize = 500;
const firstDelayMs = 500;
const maxDelayMs = 15_000;

/**
 * The objects of a collection, kept up to date: lists in pages, then watches with bookmarks.
 *
 * Guarantees
 * - After a watch ends, the next one resumes where it ended. Where the server no longer has that revision, the collection is listed
 *   again; objects stay visible meanwhile, and those that were deleted leave with the end of the list.
 * - Readers see changes through `version`, at most once for each call of `schedule`.
 * - A denial (403, 404) ends it as `failed`; everything else is tried again, later and later up to 15 seconds.
 */
export class LiveCollection<T> {
  readonly state = signal<LiveState>('loading');
  readonly error = signal<ApiError | undefined>(undefined);
  /** Counts changes of `items`. */
  readonly version = signal(0);
  readonly items = new Map<string, T>();
  private readonly options: LiveCollectionOptions<T>;
  private readonly stopped = new AbortController();
  private closeStream: (() => void) | undefined;
  private timer: Disposable | undefined;
  private delayMs = firstDelayMs;
  private isScheduled = false;

  constructor(options: LiveCollectionOptions<T>) {
    this.options = options;
  }

  start(): this {
    void this.list();
    return this;
  }

  stop(): void {
    this.stopped.abort();
    this.closeStream?.();
    this.timer?.[Symbol.dispose]();
  }

  private async list(): Promise<void> {
    const { api, path, labelSelector, fieldSelector, summarize } = this.options;
    const { signal: abort } = this.stopped;
    const seen = new Set<string>();
    try {
      let next: string | undefined = '';
      let resourceVersion: string | undefined;
      while (next !== undefined) {
        const query = { limit: pageSize, continue: next, labelSelector, fieldSelector };
        const page: KubeList = await api.get(withQuery(path, query), { signal: abort });
        for (const item of page.items ?? []) {
          const { apiVersion: _, kind: __, ...rest } = item;
          const object = { apiVersion: page.apiVersion ?? '', kind: (page.kind ?? '').replace(/List$/, ''), ...rest };
          seen.add(keyOf(item));
          this.items.set(keyOf(item), summarize(object));
        }
        this.changed();
        resourceVersion = page.metadata.resourceVersion;
        next = page.metadata.continue || undefined;
      }
      for (const key of this.items.keys()) if (!seen.has(key)) this.items.delete(key);
      this.changed();
      this.delayMs = firstDelayMs;
      this.watch(resourceVersion ?? '');
    } catch (error) {
      if (!abort.aborted) this.retry(error, () => void this.list());
    }
  }

  private watch(from: string): void {
    const { api, path, labelSelector, fieldSelector } = this.options;
    const lines = new LineDecoder();
    let resourceVersion = from;
    let failure: ApiError | undefined;
    let hasReceived = false;
    this.state.value = 'live';
    this.error.value = undefined;
    const query = { watch: true, allowWatchBookmarks: true, resourceVersion, labelSelector, fieldSelector };
    const close = api.stream(withQuery(path, query), {
      onData: (bytes) => {
        hasReceived = true;
        for (const line of lines.decode(bytes)) {
          if (line === '') continue;
          const event = JSON.parse(line) as WatchEvent;
          if (event.type === 'ERROR') failure = new ApiError(event.object as unknown as Status);
          else {
            resourceVersion = event.object.metadata.resourceVersion ?? resourceVersion;
            this.delayMs = firstDelayMs;
            this.apply(event);
          }
        }
      },
      onEnd: (status) => {
        if (this.stopped.signal.aborted) return;
        const error = failure ?? (status ? new ApiError(status) : undefined);
        if (error?.code === 410) void this.list();
        else this.retry(error, () => this.watch(resourceVersion), hasReceived);
      },
    });
    this.closeStream = close;
  }

  private apply({ type, object }: WatchEvent): void {
    if (type === 'BOOKMARK') return;
    if (type === 'DELETED') this.items.delete(keyOf(object));
    else this.items.set(keyOf(object), this.options.summarize(object));
    this.changed();
  }

  private retry(error: unknown, again: () => void, hasReceived = false): void {
    const failure = error instanceof ApiError ? error : undefined;
    if (error && !failure) throw error;
    if (failure && (failure.code === 403 || failure.code === 404 || failure.code === 401)) {
      this.error.value = failure;
      this.state.value = 'failed';
      return;
    }
    if (failure) {
      this.error.value = failure;
      this.state.value = 'reconnecting';
    }
    // A watch that the server ended is opened again at once; one that brought nothing, later and later.
    this.timer = this.options.clock.setTimer(failure || !hasReceived ? this.delayMs : 0, again);
    this.delayMs = Math.min(this.delayMs * 2, maxDelayMs);
  }

  private changed(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    this.options.schedule(() => {
      this.isScheduled = false;
      this.version.value++;
    });
  }
}

function keyOf({ metadata }: KubeObject): string {
  return `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
}
