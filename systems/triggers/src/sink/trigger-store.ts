import type { Client } from '@tektite/client';
import { cacheKey, Informer } from '@tektite/controller/cache';
import { type Clock, type KubeObject, notFoundError } from '@tektite/meta';
import type { Kind } from '@tektite/schema';
import { ClusterTriggerBinding, TriggerBinding, type TriggerBindingObject } from '../kinds/binding.ts';
import { EventListener, type EventListenerObject } from '../kinds/event-listener.ts';
import {
  ClusterInterceptor,
  type ClusterInterceptorObject,
  Interceptor,
  type InterceptorObject,
} from '../kinds/interceptor.ts';
import { TriggerTemplate, type TriggerTemplateObject } from '../kinds/template.ts';
import { Trigger, type TriggerObject } from '../kinds/trigger.ts';

/** The objects of one kind, from memory. */
export interface ObjectStore<T> {
  get(key: string): T | undefined;
  list(namespace?: string): readonly T[];
}

/** The objects that processing an event needs. */
export interface TriggerStore {
  readonly eventListeners: ObjectStore<EventListenerObject>;
  readonly triggers: ObjectStore<TriggerObject>;
  readonly bindings: ObjectStore<TriggerBindingObject>;
  readonly clusterBindings: ObjectStore<TriggerBindingObject>;
  readonly templates: ObjectStore<TriggerTemplateObject>;
  readonly interceptors: ObjectStore<InterceptorObject>;
  readonly clusterInterceptors: ObjectStore<ClusterInterceptorObject>;
}

/** The kinds of a store. */
const storeKinds = {
  eventListeners: EventListener,
  triggers: Trigger,
  bindings: TriggerBinding,
  clusterBindings: ClusterTriggerBinding,
  templates: TriggerTemplate,
  interceptors: Interceptor,
  clusterInterceptors: ClusterInterceptor,
} as const;

/** A store shows a listener after so long, or its server does not answer. */
const maxWaitMs = 10_000;

/** A store that follows the API. */
export class WatchedTriggerStore implements AsyncDisposable {
  readonly store: TriggerStore;
  private readonly clock: Clock;
  private readonly informers: Readonly<Record<keyof TriggerStore, Informer>>;

  constructor(client: Client, onError: (error: Error) => void) {
    this.clock = client.clock;
    const entries = Object.entries(storeKinds).map(
      ([name, kind]) => [name, new Informer(client, kind as Kind, { onError })] as const,
    );
    this.informers = Object.fromEntries(entries) as Record<keyof TriggerStore, Informer>;
    this.store = Object.fromEntries(entries.map(([name, { store }]) => [name, store])) as unknown as TriggerStore;
  }

  /** Resolves when all kinds are listed. */
  async start(signal?: AbortSignal): Promise<void> {
    await Promise.all(Object.values(this.informers).map((informer) => informer.start().synced(signal)));
  }

  /** Resolves when the store has this state of a listener, or a later one. Rejects when that takes too long. */
  async shows({ metadata }: EventListenerObject): Promise<void> {
    const late = new AbortController();
    using _timer = this.clock.setTimer(maxWaitMs, () => late.abort(new Error('the listener is not received yet')));
    const { resourceVersion = '' } = metadata;
    const { eventListeners } = this.informers;
    const isShown = () => eventListeners.shows(cacheKey(metadata), resourceVersion);
    await eventListeners.waitFor(isShown, late.signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(Object.values(this.informers).map((informer) => informer.stop()));
  }
}

/** A store of given objects, which must have been defaulted. */
export function fixedTriggerStore(objects: readonly KubeObject[]): TriggerStore {
  const ofKind = (kind: Kind): ObjectStore<KubeObject> => {
    const own = objects.filter((object) => object.kind === kind.kind && object.apiVersion.startsWith(`${kind.group}/`));
    const keyOf = ({ metadata }: KubeObject) =>
      (kind.scope === 'Cluster' ? '' : `${metadata.namespace}/`) + metadata.name;
    const byKey = new Map(own.map((object) => [keyOf(object), object]));
    return {
      get: (key) => byKey.get(key),
      list: (namespace) => own.filter(({ metadata }) => namespace === undefined || metadata.namespace === namespace),
    };
  };
  const entries = Object.entries(storeKinds).map(([name, kind]) => [name, ofKind(kind)] as const);
  return Object.fromEntries(entries) as unknown as TriggerStore;
}

/** The object, or the error that a lister of client-go returns. */
export function getObject<T>(store: ObjectStore<T>, resource: string, name: string, namespace?: string): T {
  const found = store.get(namespace === undefined ? name : `${namespace}/${name}`);
  if (found === undefined) throw notFoundError({ group: 'triggers.tekton.dev', resource }, name);
  return found;
}
