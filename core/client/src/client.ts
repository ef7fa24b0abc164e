import {
  type Clock,
  type DynamicObject,
  formatApiVersion,
  type KubeList,
  type KubeObject,
  type Random,
  type Status,
  systemClock,
  systemRandom,
} from '@tektite/meta';
import type { Scale } from '@tektite/schema/kubernetes';
import { ClientError } from './client-error.ts';
import type { Interceptor } from './interceptor.ts';
import { Discovery } from './discovery/discovery.ts';
import {
  type Configuration,
  isKind,
  keyOf,
  type KindReference,
  type NewObject,
  type ObjectKey,
  type ResolvedKind,
} from './kind-reference.ts';
import { ignoreNotFound } from './ignore-not-found.ts';
import { kinds } from './kinds.ts';
import { listAll, type ListAllOptions } from './list-pages.ts';
import { asKind, eventsAsKind, itemsAsKind, metadataForm, metadataListForm } from './metadata-form.ts';
import { collectionPath, creationPath, objectPath } from './object-path.ts';
import { applyPatch, mergePatch, type Patch } from './patch.ts';
import { deleteBody, getQuery, listQuery, logQuery, watchQuery, writeQuery } from './request-query.ts';
import { statusErrorOf } from './transport/response-status.ts';
import { retryingTransport, type RetryOptions } from './transport/retrying-transport.ts';
import type {
  Transport,
  TransportRequest,
  TransportResponse,
  TransportStream,
  WireEvent,
} from './transport/transport.ts';
import type {
  ApplyOptions,
  CallOptions,
  DeleteCollectionOptions,
  DeleteOptions,
  GetOptions,
  ListOptions,
  LogOptions,
  WatchOptions,
  WriteOptions,
} from './verb-options.ts';

export interface ClientOptions extends Omit<RetryOptions, 'clock' | 'random'> {
  readonly clock?: Clock;
  readonly random?: Random;
  /** Called with warnings of the server, such as deprecated versions and unknown fields. */
  readonly onWarning?: (warning: string, request: TransportRequest) => void;
  /** The owner of applied fields, when an apply names none. Default `tektite`. */
  readonly fieldManager?: string;
}

/** An event of a watch. The object of a BOOKMARK has a resourceVersion and nothing else. */
export type WatchEvent<T extends KubeObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'; readonly object: T }
  | { readonly type: 'ERROR'; readonly object: Status };

type KindOrObject = KindReference<KubeObject> | KubeObject;

/**
 * The verbs of the Kubernetes API. A `Kind` gives typed objects; `{ apiVersion, kind }`, or any object, works for kinds
 * that are only known by name. The client keeps nothing but discovery: it is no cache.
 *
 * Error answers of the API are `StatusError`s, all other failures `ClientError`s. Objects are read-only: in process
 * they are shared. Namespaces are never assumed.
 *
 * @example const client = new Client(httpTransport(await loadConfig())); for await (const pod of
 * client.listAll(kinds.Pod, { labelSelector: 'app=web' })) console.log(pod.status?.phase); await
 * client.apply(kinds.ConfigMap, { metadata: { namespace: 'default', name: 'settings' }, data: { a: '1' } }); await
 * client.close();
 */
export class Client {
  readonly discovery: Discovery;
  readonly clock: Clock;
  readonly random: Random;
  private readonly transport: Transport;
  private readonly options: ClientOptions;
  /** The client that requests of this one go through, and who stands in between. */
  private readonly next: Client | undefined;
  private readonly interceptor: Interceptor | undefined;

  constructor(transport: Transport, options: ClientOptions = {}) {
    this.clock = options.clock ?? systemClock;
    this.random = options.random ?? systemRandom;
    this.options = options;
    this.transport = retryingTransport(transport, { ...options, clock: this.clock, random: this.random });
    this.discovery = new Discovery(this.transport, this.clock);
    this.next = undefined;
    this.interceptor = undefined;
  }

  /** The same client, with an interceptor. */
  intercepted(interceptor: Interceptor): Client {
    // Not by the constructor: this happens in each reconcile, and all that it would make exists already. And not as an
    // object that inherits from this one: each of those would have a separate shape in V8, which slows down all code
    // that meets them.
    const { clock, random, options, transport, discovery } = this;
    const parts = { clock, random, options, transport, discovery, next: this, interceptor };
    return Object.assign(Object.create(Client.prototype) as Client, parts);
  }

  async get<T extends KubeObject = DynamicObject>(
    kind: KindReference<T>,
    key: ObjectKey,
    options: GetOptions = {},
  ): Promise<T> {
    const resolved = await this.resolve(kind);
    const path = objectPath(resolved, key, options.subresource);
    const request: TransportRequest = { method: 'GET', path, query: getQuery(options), ...call(options) };
    if (!options.metadataOnly) return (await this.request(request)).body as T;
    const { body } = await this.request({ ...request, accept: metadataForm });
    return asKind(body as KubeObject, resolved) as T;
  }

  /** As `get`, but an object that does not exist is `undefined`. */
  getOrUndefined<T extends KubeObject = DynamicObject>(
    kind: KindReference<T>,
    key: ObjectKey,
    options: GetOptions = {},
  ): Promise<T | undefined> {
    return this.get(kind, key, options).catch(ignoreNotFound);
  }

  async list<T extends KubeObject = DynamicObject>(
    kind: KindReference<T>,
    options: ListOptions = {},
  ): Promise<KubeList<T>> {
    const resolved = await this.resolve(kind);
    const path = collectionPath(resolved, options.namespace);
    const request: TransportRequest = { method: 'GET', path, query: listQuery(options), ...call(options) };
    if (!options.metadataOnly) return withKinds((await this.request(request)).body as KubeList<T>, resolved);
    const { body } = await this.request({ ...request, accept: metadataListForm });
    return itemsAsKind(body as KubeList<T>, resolved);
  }

  /** All objects, a page at a time. */
  listAll<T extends KubeObject = DynamicObject>(
    kind: KindReference<T>,
    options: ListAllOptions = {},
  ): AsyncGenerator<T, void> {
    return listAll((page) => this.list(kind, page), options);
  }

  /** One watch, as the server gives it: it ends when the server or the network ends it. See also `resilientWatch`. */
  async watch<T extends KubeObject = DynamicObject>(
    kind: KindReference<T>,
    options: WatchOptions = {},
  ): Promise<TransportStream<WatchEvent<T>>> {
    const resolved = await this.resolve(kind);
    const { idleTimeoutMs, metadataOnly = false } = options;
    const request: TransportRequest = {
      method: 'GET',
      path: collectionPath(resolved, options.namespace),
      query: watchQuery(options),
      ...(metadataOnly ? { accept: metadataForm } : {}),
      ...(idleTimeoutMs === undefined ? {} : { idleTimeoutMs }),
      ...call(options),
    };
    const stream: TransportStream<WireEvent> = await this.transport.watch(request);
    this.warn(stream.warnings, request);
    this.notifyWatching();
    return (metadataOnly ? eventsAsKind(stream, resolved) : stream) as TransportStream<WatchEvent<T>>;
  }

  create<T extends KubeObject = DynamicObject>(
    kind: KindReference<T>,
    object: NewObject<T>,
    options?: WriteOptions,
  ): Promise<T>;
  create<T extends KubeObject>(object: T, options?: WriteOptions): Promise<T>;
  async create(first: KindOrObject, ...rest: unknown[]): Promise<KubeObject> {
    const { kind, object, options } = this.writing<WriteOptions>(first, rest);
    const resolved = await this.resolve(kind);
    const path = creationPath(resolved, object.metadata.namespace);
    return this.write('POST', path, withKind(object, resolved), options);
  }

  /** Replaces an object. With a resourceVersion, only if it has not changed since: 409 otherwise. */
  update<T extends KubeObject = DynamicObject>(
    kind: KindReference<T>,
    object: NewObject<T>,
    options?: WriteOptions,
  ): Promise<T>;
  update<T extends KubeObject>(object: T, options?: WriteOptions): Promise<T>;
  async update(first: KindOrObject, ...rest: unknown[]): Promise<KubeObject> {
    const { kind, object, options } = this.writing<WriteOptions>(first, rest);
    const resolved = await this.resolve(kind);
    const body = withKind(object, resolved);
    return this.write('PUT', objectPath(resolved, keyOf(body), options.subresource), body, options);
  }

  updateStatus<T extends KubeObject = DynamicObject>(
    kind: KindReference<T>,
    object: NewObject<T>,
    options: WriteOptions = {},
  ): Promise<T> {
    return this.update(kind, object, { ...options, subresource: 'status' });
  }

  async patch<T extends KubeObject = DynamicObject>(
    kind: KindReference<T>,
    key: ObjectKey,
    patch: Patch,
    options: WriteOptions = {},
  ): Promise<T> {
    const path = objectPath(await this.resolve(kind), key, options.subresource);
    return (await this.write('PATCH', path, patch.body, options, patch.contentType)) as T;
  }

  patchStatus<T extends KubeObject = DynamicObject>(
    kind: KindReference<T>,
    key: ObjectKey,
    patch: Patch,
    options: WriteOptions = {},
  ): Promise<T> {
    return this.patch(kind, key, patch, { ...options, subresource: 'status' });
  }

  /** Server-side apply: creates or changes the object so that it has these fields, and owns them. */
  apply<T extends KubeObject = DynamicObject>(
    kind: KindReference<T>,
    object: Configuration<T>,
    options?: ApplyOptions,
  ): Promise<T>;
  apply<T extends KubeObject>(object: T, options?: ApplyOptions): Promise<T>;
  async apply(first: KindOrObject, ...rest: unknown[]): Promise<KubeObject> {
    const { kind, object, options } = this.writing<ApplyOptions>(first, rest);
    const resolved = await this.resolve(kind);
    const { contentType, body } = applyPatch(withKind(object, resolved));
    const path = objectPath(resolved, keyOf(body as KubeObject), options.subresource);
    const fieldManager = options.fieldManager ?? this.options.fieldManager ?? 'tektite';
    const answer = await this.write('PATCH', path, body, { ...options, fieldManager }, contentType);
    return options.metadataOnly ? asKind(answer, resolved) : answer;
  }

  applyStatus<T extends KubeObject = DynamicObject>(
    kind: KindReference<T>,
    object: Configuration<T>,
    options: ApplyOptions = {},
  ): Promise<T> {
    return this.apply(kind, object, { ...options, subresource: 'status' });
  }

  /** Returns the object while its deletion is pending (finalizers, grace period), a Status when it is deleted. */
  async delete<T extends KubeObject = DynamicObject>(
    kind: KindReference<T>,
    key: ObjectKey,
    options: DeleteOptions = {},
  ): Promise<T | Status> {
    const path = objectPath(await this.resolve(kind), key);
    const { body } = await this.request({ method: 'DELETE', path, body: deleteBody(options), ...call(options) });
    const answer = body as T | Status;
    this.notifyDeleted(kind, key, answer, options);
    return answer;
  }

  async deleteCollection<T extends KubeObject = DynamicObject>(
    kind: KindReference<T>,
    options: DeleteCollectionOptions = {},
  ): Promise<void> {
    const path = collectionPath(await this.resolve(kind), options.namespace);
    await this.request({
      method: 'DELETE',
      path,
      query: listQuery(options),
      body: deleteBody(options),
      ...call(options),
    });
  }

  async getScale(kind: KindReference<KubeObject>, key: ObjectKey, options: CallOptions = {}): Promise<Scale> {
    return (await this.get(kind, key, { ...options, subresource: 'scale' })) as Scale;
  }

  /** Sets how many replicas are wanted. */
  async scale(
    kind: KindReference<KubeObject>,
    key: ObjectKey,
    replicas: number,
    options: WriteOptions = {},
  ): Promise<Scale> {
    const patch = mergePatch({ spec: { replicas } });
    return (await this.patch(kind, key, patch, { ...options, subresource: 'scale' })) as Scale;
  }

  /** Creates a subresource with a different kind, such as `token` of a ServiceAccount or `binding` of a Pod. */
  async createSubresource<T extends KubeObject>(
    kind: KindReference<KubeObject>,
    key: ObjectKey,
    subresource: string,
    body: T,
    options: WriteOptions = {},
  ): Promise<T> {
    const path = objectPath(await this.resolve(kind), key, subresource);
    return (await this.write('POST', path, body, options)) as T;
  }

  /** Deletes a pod unless that would break a disruption budget, which is a 429 without Retry-After. */
  async evict(key: ObjectKey, options: DeleteOptions = {}): Promise<void> {
    const { dryRun, ...deletion } = options;
    await this.createSubresource(
      kinds.Pod,
      key,
      'eviction',
      {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { ...key },
        deleteOptions: deleteBody(deletion),
      } as KubeObject,
      { ...(dryRun ? { dryRun } : {}), ...call(options) },
    );
  }

  /** The logs of a container. `linesOf` splits them into lines. */
  async log(key: ObjectKey, options: LogOptions = {}): Promise<TransportStream<Uint8Array>> {
    const path = objectPath(kinds.Pod, key, 'log');
    return this.transport.stream({ method: 'GET', path, query: logQuery(options), ...call(options) });
  }

  /** Any request, with the client's retries and warnings. Rejects with a StatusError when the answer is a failure. */
  async request(request: TransportRequest): Promise<TransportResponse> {
    const { next, interceptor } = this;
    if (next) return interceptor?.request ? interceptor.request(request, next) : next.request(request);
    const response = await this.transport.request(request);
    this.warn(response.warnings, request);
    if (response.status >= 300) throw statusErrorOf(response);
    return response;
  }

  /** Ends everything that is open. */
  close(): Promise<void> {
    return this.transport.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  private notifyWatching(): void {
    this.interceptor?.watching?.();
    this.next?.notifyWatching();
  }

  private notifyDeleted(...deletion: Parameters<NonNullable<Interceptor['deleted']>>): void {
    this.interceptor?.deleted?.(...deletion);
    this.next?.notifyDeleted(...deletion);
  }

  private async resolve(kind: KindReference<KubeObject>): Promise<ResolvedKind> {
    return isKind(kind) ? kind : this.discovery.find(kind);
  }

  /** Sorts out `(kind, object, options)` and `(object, options)`: only an object has metadata. */
  private writing<O>(
    first: KindOrObject,
    rest: readonly unknown[],
  ): { kind: KindReference<KubeObject>; object: NewObject<KubeObject>; options: O } {
    if ('metadata' in first) {
      const object = first as KubeObject;
      // Two objects: the first one is only there to name the kind.
      if (isObjectWithMetadata(rest[0])) return { kind: object, object: rest[0], options: (rest[1] ?? {}) as O };
      return { kind: object, object, options: (rest[0] ?? {}) as O };
    }
    if (!isObjectWithMetadata(rest[0])) throw new ClientError('INVALID_REQUEST', 'the object to write has no metadata');
    return { kind: first, object: rest[0], options: (rest[1] ?? {}) as O };
  }

  private async write(
    method: 'POST' | 'PUT' | 'PATCH',
    path: string,
    body: object,
    options: ApplyOptions,
    contentType?: string,
  ): Promise<KubeObject> {
    const fieldManager = options.fieldManager ?? this.options.fieldManager;
    const query = writeQuery({ ...options, ...(fieldManager === undefined ? {} : { fieldManager }) });
    const request = {
      method,
      path,
      query,
      body,
      ...(contentType === undefined ? {} : { contentType }),
      ...(options.metadataOnly ? { accept: metadataForm } : {}),
      ...call(options),
    };
    return (await this.request(request)).body as KubeObject;
  }

  private warn(warnings: readonly string[], request: TransportRequest): void {
    for (const warning of warnings) this.options.onWarning?.(warning, request);
  }
}

function call({ signal, timeoutMs }: CallOptions): CallOptions {
  return { ...(signal ? { signal } : {}), ...(timeoutMs === undefined ? {} : { timeoutMs }) };
}

function isObjectWithMetadata(value: unknown): value is NewObject<KubeObject> {
  return typeof value === 'object' && value !== null && 'metadata' in value;
}

function withKind(object: NewObject<KubeObject>, kind: ResolvedKind): KubeObject {
  const apiVersion = formatApiVersion(kind);
  if (object.apiVersion === apiVersion && object.kind === kind.kind) return object as KubeObject;
  if ((object.apiVersion ?? apiVersion) !== apiVersion || (object.kind ?? kind.kind) !== kind.kind) {
    throw new ClientError(
      'INVALID_REQUEST',
      `the object says it is a ${object.apiVersion} ${object.kind}, but is to be written as a ${apiVersion} ${kind.kind}`,
    );
  }
  return { ...object, apiVersion, kind: kind.kind };
}

/** The items of built-in lists do not say what they are; here every object does. */
function withKinds<T extends KubeObject>(list: KubeList<T>, kind: ResolvedKind): KubeList<T> {
  const first = list.items?.[0];
  if (!first || (first.kind !== undefined && first.apiVersion !== undefined))
    return { ...list, items: list.items ?? [] };
  const apiVersion = formatApiVersion(kind);
  const items = list.items.map((item) => {
    const whole = { apiVersion, kind: kind.kind, ...(item as object) } as T;
    return Object.isFrozen(item) ? Object.freeze(whole) : whole;
  });
  return { ...list, items };
}
