import type { Client, KindReference } from '@tektite/client';
import { formatApiVersion, type KubeObject } from '@tektite/meta';
import type { CachedObject } from './cached-object.ts';
import { Informer, type InformerOptions } from './informer.ts';
import type { InformerHealth } from './informer-health.ts';

/** The use of a shared informer. Releasing the last one stops it; releasing twice changes nothing. */
export interface InformerLease<T extends KubeObject, Out extends CachedObject> extends AsyncDisposable {
  readonly informer: Informer<T, Out>;
  release(): Promise<void>;
}

/** The identity of a shared informer. Other options are those of the first caller. */
interface Entry {
  readonly kindText: string;
  readonly informer: Informer<KubeObject, CachedObject>;
  uses: number;
}

/**
 * Informers that are shared by equal requests: kind and version, namespace, selectors, form, and transform (the
 * same function). They start with the first lease and stop with the last.
 *
 * Guarantees
 * - At most one informer, and so one watch, runs for equal requests.
 * - A kind may be requested before the server serves it: the informer syncs once it does, and is empty when it no
 *   longer does, until it does again.
 * - After `close` nothing runs, even if a lease is still held.
 *
 * @example await using set = new InformerSet(client); await using pods = set.acquire(kinds.Pod, { labelSelector:
 * 'app=web' }); await pods.informer.synced(signal);
 */
export class InformerSet implements AsyncDisposable {
  private readonly client: Client;
  private readonly defaults: Pick<InformerOptions<KubeObject, CachedObject>, 'onError' | 'maxBackoffMs'>;
  private readonly entries = new Map<string, Entry>();
  private readonly transformIds = new WeakMap<object, number>();
  private transforms = 0;
  private closed = false;

  constructor(
    client: Client,
    defaults: Pick<InformerOptions<KubeObject, CachedObject>, 'onError' | 'maxBackoffMs'> = {},
  ) {
    this.client = client;
    this.defaults = defaults;
  }

  /** Returns the started informer for this request. */
  acquire<T extends KubeObject, Out extends CachedObject = T>(
    kind: KindReference<T>,
    options: InformerOptions<T, Out> = {},
  ): InformerLease<T, Out> {
    if (this.closed) throw new Error('the set of informers was closed');
    const kindText = textOf(kind);
    const id = this.idOf(kindText, options);
    let entry = this.entries.get(id);
    if (!entry) {
      const informer = new Informer<T, Out>(this.client, kind, { ...this.defaults, ...options });
      entry = { kindText, informer: informer.start() as unknown as Entry['informer'], uses: 0 };
      this.entries.set(id, entry);
    }
    entry.uses++;
    return this.lease<T, Out>(id, entry);
  }

  /** All that run for a kind, whatever their selection. */
  of(kind: KindReference<KubeObject>): readonly Informer<KubeObject, CachedObject>[] {
    const wanted = textOf(kind);
    return [...this.entries.values()].filter(({ kindText }) => kindText === wanted).map(({ informer }) => informer);
  }

  /** How all are doing, by what they watch. */
  health(): ReadonlyMap<string, InformerHealth> {
    return new Map([...this.entries].map(([id, { informer }]) => [id, informer.health()]));
  }

  async close(): Promise<void> {
    this.closed = true;
    const informers = [...this.entries.values()].map(({ informer }) => informer);
    this.entries.clear();
    await Promise.all(informers.map((informer) => informer.stop()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  private lease<T extends KubeObject, Out extends CachedObject>(id: string, entry: Entry): InformerLease<T, Out> {
    let released = false;
    const release = async (): Promise<void> => {
      if (released) return;
      released = true;
      entry.uses--;
      if (entry.uses > 0 || this.entries.get(id) !== entry) return;
      this.entries.delete(id);
      await entry.informer.stop();
    };
    return { informer: entry.informer as unknown as Informer<T, Out>, release, [Symbol.asyncDispose]: release };
  }

  private idOf<T extends KubeObject, Out>(kindText: string, options: InformerOptions<T, Out>): string {
    const { namespace, labelSelector, fieldSelector, metadataOnly, transform } = options;
    const parts = [kindText];
    if (namespace !== undefined) parts.push(`namespace ${namespace}`);
    if (labelSelector) parts.push(`labels ${labelSelector}`);
    if (fieldSelector) parts.push(`fields ${fieldSelector}`);
    if (metadataOnly) parts.push('metadata');
    if (transform) parts.push(`transform ${this.transformId(transform)}`);
    return parts.join(', ');
  }

  private transformId(transform: object): number {
    const id = this.transformIds.get(transform) ?? ++this.transforms;
    this.transformIds.set(transform, id);
    return id;
  }
}

function textOf(kind: KindReference<KubeObject>): string {
  const apiVersion = 'apiVersion' in kind ? kind.apiVersion : formatApiVersion(kind);
  return `${apiVersion} ${kind.kind}`;
}
