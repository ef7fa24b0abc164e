import { type Client, kinds } from '@tektite/client';
import { Informer } from '@tektite/controller/cache';
import type { ConfigMap, Secret } from '@tektite/schema/kubernetes';

/** An object that Pods refer to. */
export interface ObjectReferenceKey {
  readonly kind: 'ConfigMap' | 'Secret';
  readonly namespace: string;
  readonly name: string;
}

interface Followed {
  readonly informer: Informer<ConfigMap> | Informer<Secret>;
  readonly listeners: Set<() => void>;
}

/** Follows the objects that Pods refer to: each by one watch, however many Pods there are, and only while there are any. */
export class ReferencedObjects implements AsyncDisposable {
  private readonly client: Client;
  private readonly onError: (error: Error) => void;
  private readonly followed = new Map<string, Followed>();
  private readonly stopping = new Set<Promise<void>>();

  constructor(client: Client, onError: (error: Error) => void) {
    this.client = client;
    this.onError = onError;
  }

  /** Calls `changed` when the object is first seen, and when it changes. */
  follow(key: ObjectReferenceKey, changed: () => void): Disposable {
    const id = JSON.stringify([key.kind, key.namespace, key.name]);
    const entry = this.followed.get(id) ?? this.begin(id, key);
    entry.listeners.add(changed);
    return {
      [Symbol.dispose]: () => {
        entry.listeners.delete(changed);
        if (entry.listeners.size > 0 || this.followed.get(id) !== entry) return;
        this.followed.delete(id);
        const stopped = entry.informer.stop().finally(() => this.stopping.delete(stopped));
        this.stopping.add(stopped);
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.followed.values()].map(({ informer }) => informer.stop()));
    this.followed.clear();
    await Promise.all(this.stopping);
  }

  private begin(id: string, { kind, namespace, name }: ObjectReferenceKey): Followed {
    const options = { namespace, fieldSelector: `metadata.name=${name}`, onError: this.onError };
    const informer =
      kind === 'ConfigMap'
        ? new Informer(this.client, kinds.ConfigMap, options)
        : new Informer(this.client, kinds.Secret, options);
    const listeners = new Set<() => void>();
    const notify = () => {
      for (const listener of listeners) listener();
    };
    informer.addHandler({ added: notify, modified: notify });
    informer.start();
    const entry = { informer, listeners };
    this.followed.set(id, entry);
    return entry;
  }
}
