import type {
  Client,
  DeleteOptions,
  Interceptor,
  KindReference,
  ObjectKey,
  RequestHandler,
  TransportRequest,
  TransportResponse,
} from '@tektite/client';
import { formatApiVersion, isStatusError, type KubeObject, parseLabelSelector, type Status } from '@tektite/meta';
import { type CachedObject, cacheKey } from './cached-object.ts';
import type { Informer } from './informer.ts';

/** Where to find the caches that a write has to reach. `InformerSet` is one. */
export interface InformerSource {
  of(kind: { readonly apiVersion: string; readonly kind: string }): readonly Informer<KubeObject, CachedObject>[];
}

interface Write {
  readonly apiVersion: string;
  readonly kind: string;
  readonly key: ObjectKey;
  readonly labels: Readonly<Record<string, string>> | undefined;
  readonly mark: Mark;
}

/**
 * The state that a cache has to reach.
 * - `version`: the object at this resourceVersion, or any later state.
 * - `gone`: no longer the object with this uid.
 * - `changed`: no longer this resourceVersion, which the server rejected as outdated.
 */
type Mark =
  | { readonly type: 'version'; readonly resourceVersion: string }
  | { readonly type: 'gone'; readonly uid: string }
  | { readonly type: 'changed'; readonly resourceVersion: string };

/**
 * Waits until the caches show the writes of its client. Waiting, not overlaying: lists, indexes and handlers then agree
 * with single reads, and in process the wait is shorter than a millisecond.
 *
 * Let w be a write through `client` that the server confirmed before `caughtUp` was called.
 *
 * Guarantees, once `caughtUp` resolved
 * - w created or changed an object: every informer of its kind and namespace has the object at w's resourceVersion or
 *   later, or has seen it go. An informer with selectors counts if it holds the object, or if its label selector
 *   matches what was written and it has no field selector.
 * - w deleted an object at once: no such informer has the object with that uid. If it lives on for its finalizers, that
 *   is a change as above.
 * - w was an update, or a patch that names kind, name and resourceVersion, and rejected with a conflict: the informers'
 *   object is no longer the one that was sent. So a retry reads something newer. Here alone the wait is limited, by
 *   `conflictWaitMs`, because a rejection can have other reasons.
 *
 * Not guaranteed: anything of writes whose answer was lost, of `deleteCollection`, of other subresources than `status`,
 * and of caches that start later. A cache that is cut off from the server is waited for as long as the signal allows.
 */
export class ReadYourWrites implements Interceptor {
  /** As the one it was made from, but what it writes is remembered. */
  readonly client: Client;
  private readonly informers: InformerSource;
  private readonly conflictWaitMs: number;
  /** The last write of each object. */
  private readonly writes = new Map<string, Write>();

  constructor(client: Client, informers: InformerSource, options: { readonly conflictWaitMs?: number } = {}) {
    this.informers = informers;
    this.conflictWaitMs = options.conflictWaitMs ?? 1000;
    this.client = client.intercepted(this);
  }

  /** How many objects were written and not yet waited for. */
  get outstanding(): number {
    return this.writes.size;
  }

  /** Resolves when the caches show all writes so far. Rejects with the signal's reason, or when an informer is stopped. */
  async caughtUp(signal?: AbortSignal): Promise<void> {
    const soFar = [...this.writes];
    for (const [id, write] of soFar) {
      for (const informer of this.informers.of(write))
        if (concerns(informer, write)) await this.wait(informer, write, signal);
      // Another write of the same object may have come meanwhile.
      if (this.writes.get(id) === write) this.writes.delete(id);
    }
  }

  private async wait(informer: Informer<KubeObject, CachedObject>, write: Write, signal?: AbortSignal): Promise<void> {
    const { mark, key } = write;
    const shown = () => shows(informer, cacheKey(key), mark);
    if (mark.type !== 'changed') {
      await informer.waitFor(shown, signal);
      return;
    }
    let late = false;
    const limit = new AbortController();
    using _timer = this.client.clock.setTimer(this.conflictWaitMs, () => {
      late = true;
      limit.abort();
    });
    const either = signal ? AbortSignal.any([signal, limit.signal]) : limit.signal;
    await informer.waitFor(shown, either).catch((error: unknown) => {
      if (!late || signal?.aborted) throw error;
    });
  }

  async request(request: TransportRequest, next: RequestHandler): Promise<TransportResponse> {
    try {
      const response = await next.request(request);
      this.written(request, response);
      return response;
    } catch (error) {
      if (isStatusError(error, 'Conflict')) this.refused(request);
      throw error;
    }
  }

  deleted(
    kind: KindReference<KubeObject>,
    key: ObjectKey,
    answer: KubeObject | Status,
    { dryRun }: DeleteOptions,
  ): void {
    if (!dryRun) this.gone(kind, key, answer);
  }

  private written(request: TransportRequest, { body }: TransportResponse): void {
    const isWrite = request.method === 'POST' || request.method === 'PUT' || request.method === 'PATCH';
    if (!isWrite || request.query?.has('dryRun') || !isStored(body)) return;
    const { uid, resourceVersion, deletionTimestamp } = body.metadata;
    // Taking away the last finalizer deletes, and is answered with the resourceVersion from before.
    const gone = uid !== undefined && deletionTimestamp !== undefined && !livesOn(body);
    this.remember(body, gone ? { type: 'gone', uid } : { type: 'version', resourceVersion });
  }

  private refused({ method, body }: TransportRequest): void {
    if ((method !== 'PUT' && method !== 'PATCH') || !isStored(body)) return;
    this.remember(body, { type: 'changed', resourceVersion: body.metadata.resourceVersion });
  }

  private gone(kind: KindReference<KubeObject>, key: ObjectKey, answer: KubeObject | Status): void {
    const apiVersion = 'apiVersion' in kind ? kind.apiVersion : formatApiVersion(kind);
    const metadata = { ...key };
    if (isStored(answer)) {
      const { uid, resourceVersion } = answer.metadata;
      const mark: Mark = uid && !livesOn(answer) ? { type: 'gone', uid } : { type: 'version', resourceVersion };
      this.remember({ ...answer, apiVersion, kind: kind.kind }, mark);
      return;
    }
    const uid = (answer as Status).details?.uid;
    if (uid) this.remember({ apiVersion, kind: kind.kind, metadata }, { type: 'gone', uid });
  }

  private remember({ apiVersion, kind, metadata }: KubeObject, mark: Mark): void {
    const { namespace, name = '', labels } = metadata;
    const key = namespace ? { namespace, name } : { name };
    this.writes.set(`${apiVersion} ${kind} ${cacheKey(key)}`, { apiVersion, kind, key, labels, mark });
  }
}

function concerns({ store, options }: Informer<KubeObject, CachedObject>, { key, labels }: Write): boolean {
  const { namespace, labelSelector = '', fieldSelector } = options;
  if (namespace !== undefined && namespace !== key.namespace) return false;
  if (store.get(cacheKey(key))) return true;
  return !fieldSelector && parseLabelSelector(labelSelector).matches(labels);
}

function shows(informer: Informer<KubeObject, CachedObject>, key: string, mark: Mark): boolean {
  if (mark.type === 'version') return informer.shows(key, mark.resourceVersion);
  const { uid, resourceVersion } = informer.store.get(key)?.metadata ?? {};
  return mark.type === 'gone' ? uid !== mark.uid : resourceVersion !== mark.resourceVersion;
}

/**
 * Whether a deleted object waits for finalizers. Some kinds answer with the object as it was, although it is deleted.
 */
function livesOn(object: KubeObject): boolean {
  const { deletionTimestamp, finalizers = [], deletionGracePeriodSeconds = 0 } = object.metadata;
  // Namespaces have further finalizers in their spec.
  const { spec } = object as { readonly spec?: { readonly finalizers?: readonly string[] } | null };
  const held = finalizers.length > 0 || (spec?.finalizers?.length ?? 0) > 0;
  return deletionTimestamp !== undefined && (held || deletionGracePeriodSeconds > 0);
}

function isStored(value: unknown): value is KubeObject & { readonly metadata: { readonly resourceVersion: string } } {
  const { apiVersion, kind, metadata } = (value ?? {}) as Partial<KubeObject>;
  return Boolean(apiVersion && kind && kind !== 'Status' && metadata?.name && metadata.resourceVersion);
}
