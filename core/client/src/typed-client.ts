import type { KubeList, KubeObject, ObjectMeta, Status } from '@tektite/meta';
import type { Kind } from '@tektite/schema';
import type { Client, WatchEvent } from './client.ts';
import { ClientError } from './client-error.ts';
import type { Configuration, NewObject, ObjectKey } from './kind-reference.ts';
import type { ListAllOptions } from './list-pages.ts';
import type { Patch } from './patch.ts';
import type { TransportStream } from './transport/transport.ts';
import type {
  ApplyOptions,
  DeleteCollectionOptions,
  DeleteOptions,
  GetOptions,
  ListOptions,
  WatchOptions,
  WriteOptions,
} from './verb-options.ts';
import { type ResilientEvent, resilientWatch, type ResilientWatchOptions } from './watch/resilient-watch.ts';

/** Which object: its name, in the namespace of the client or in none; or a whole key. */
export type NameOrKey = string | ObjectKey;

/** The verbs of a {@link Client} for one kind, and perhaps one namespace. Holds nothing: make as many as you like. */
export interface TypedClient<T extends KubeObject> {
  readonly kind: Kind<T>;
  /** Where names without a namespace belong; `undefined` for all namespaces, and for kinds that are in none. */
  readonly namespace: string | undefined;
  /** The same kind in another namespace. */
  in(namespace: string): TypedClient<T>;
  get(key: NameOrKey, options?: GetOptions): Promise<T>;
  list(options?: ListOptions): Promise<KubeList<T>>;
  listAll(options?: ListAllOptions): AsyncGenerator<T, void>;
  watch(options?: WatchOptions): Promise<TransportStream<WatchEvent<T>>>;
  /** A watch that goes on through every failure: see `resilientWatch`. */
  follow(options?: ResilientWatchOptions): AsyncGenerator<ResilientEvent<T>, void>;
  create(object: NewObject<T>, options?: WriteOptions): Promise<T>;
  update(object: NewObject<T>, options?: WriteOptions): Promise<T>;
  updateStatus(object: NewObject<T>, options?: WriteOptions): Promise<T>;
  patch(key: NameOrKey, patch: Patch, options?: WriteOptions): Promise<T>;
  patchStatus(key: NameOrKey, patch: Patch, options?: WriteOptions): Promise<T>;
  apply(object: Configuration<T>, options?: ApplyOptions): Promise<T>;
  applyStatus(object: Configuration<T>, options?: ApplyOptions): Promise<T>;
  delete(key: NameOrKey, options?: DeleteOptions): Promise<T | Status>;
  deleteCollection(options?: DeleteCollectionOptions): Promise<void>;
}

/**
 * A client for one kind. With a namespace, names are names in it, objects that are written get it, and lists and watches
 * stay in it; what says another namespace is refused, before anything is sent.
 *
 * @example
 * const caches = typedClient(client, Memcached, 'team-a');
 * await caches.create({ metadata: { name: 'sessions' }, spec: { size: 3 } });
 * const { spec } = await caches.get('sessions');
 */
export function typedClient<T extends KubeObject>(client: Client, kind: Kind<T>, namespace?: string): TypedClient<T> {
  if (namespace !== undefined && kind.scope === 'Cluster')
    throw new ClientError('INVALID_REQUEST', `${kind.kind} objects are in no namespace; leave ${namespace} out`);
  const key = (of: NameOrKey): ObjectKey => {
    const whole = typeof of === 'string' ? { name: of } : of;
    return { ...whole, ...place(whole.namespace) };
  };
  const placed = <O extends { readonly metadata: ObjectMeta }>(object: O): O =>
    namespace === undefined
      ? object
      : { ...object, metadata: { ...object.metadata, ...place(object.metadata.namespace) } };
  const within = <O extends { readonly namespace?: string }>(options: O | undefined): O =>
    ({ ...options, ...place(options?.namespace) }) as O;
  /** The client's namespace, unless something else was asked for where there is only one. */
  function place(asked: string | undefined): { readonly namespace?: string } {
    if (namespace === undefined) return asked === undefined ? {} : { namespace: asked };
    if (asked !== undefined && asked !== namespace)
      throw new ClientError('INVALID_REQUEST', `this client is for ${kind.kind} in ${namespace}, not in ${asked}`);
    return { namespace };
  }
  return {
    kind,
    namespace,
    in: (other) => typedClient(client, kind, other),
    get: async (of, options) => client.get(kind, key(of), options),
    list: async (options) => client.list(kind, within(options)),
    listAll: (options) => client.listAll(kind, within(options)),
    watch: async (options) => client.watch(kind, within(options)),
    follow: (options) => resilientWatch(client, kind, within(options)),
    create: async (object, options) => client.create(kind, placed(object), options),
    update: async (object, options) => client.update(kind, placed(object), options),
    updateStatus: async (object, options) => client.updateStatus(kind, placed(object), options),
    patch: async (of, patch, options) => client.patch(kind, key(of), patch, options),
    patchStatus: async (of, patch, options) => client.patchStatus(kind, key(of), patch, options),
    apply: async (object, options) => client.apply(kind, placed(object), options),
    applyStatus: async (object, options) => client.applyStatus(kind, placed(object), options),
    delete: async (of, options) => client.delete(kind, key(of), options),
    deleteCollection: async (options) => client.deleteCollection(kind, within(options)),
  };
}
