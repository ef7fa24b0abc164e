import { type Client, isClientError, mergePatch, ignoreNotFound } from '@tektite/client';
import { type Logger, silentLogger } from '@tektite/controller';
import { controllerQueue, type RateLimitingQueue } from '@tektite/controller/queue';
import { isStatusError, type OwnerReference } from '@tektite/meta';
import type { RecordEvent } from '../component-events.ts';
import { awaitDependents, collect, type OwnerState, referencesWithout, unblockedReferences } from './decide.ts';
import {
  foregroundFinalizer,
  type GraphNode,
  type Identity,
  isDeletingDependents,
  isOrphaning,
  type ObjectMetadata,
  orphanFinalizer,
} from './graph-node.ts';
import { ObjectGraph } from './object-graph.ts';
import { ResourceMonitors } from './resource-monitors.ts';

export interface GarbageCollectorOptions {
  /** Writes. */
  readonly client: Client;
  /** Reads and watches; over HTTP a client with a `metadataTransport` saves most of the traffic. Default `client`. */
  readonly metadataClient?: Client;
  readonly record: RecordEvent;
  readonly log?: Logger;
  readonly concurrency?: number;
}

const defaultConcurrency = 20;
const notReadyMs = 200;

/**
 * Deletes what has lost its last owner, has owners wait for the dependents that block them, and has dependents forget
 * owners that go without them.
 *
 * Guarantees
 * - Nothing is deleted on the word of a cache: that an owner is absent was asked of the server (or its deletion was seen),
 *   by name and uid, and the deletion is bound to the uid of what is deleted.
 * - An owner of a kind that the server does not know keeps its dependents.
 * - Whatever fails is tried again.
 */
export class GarbageCollector implements AsyncDisposable {
  private readonly options: GarbageCollectorOptions;
  private readonly reader: Client;
  private readonly queue: RateLimitingQueue;
  private readonly graph: ObjectGraph;
  private readonly monitors: ResourceMonitors;
  private readonly log: Logger;
  private workers: Promise<unknown> | undefined;

  constructor(options: GarbageCollectorOptions) {
    this.options = options;
    this.log = options.log ?? silentLogger;
    this.reader = options.metadataClient ?? options.client;
    const { clock, random } = options.client;
    this.queue = controllerQueue({ clock, random });
    this.graph = new ObjectGraph({
      enqueue: (uid) => this.queue.add(uid),
      strangeOwner: (dependent, reference) => this.reportStrangeOwner(dependent, reference),
    });
    this.monitors = new ResourceMonitors(
      this.reader,
      {
        observed: (object) => this.graph.observe(object),
        gone: ({ metadata }) => this.graph.deleted(metadata.uid ?? ''),
      },
      this.log,
    );
  }

  start(): this {
    this.monitors.start();
    const { concurrency = defaultConcurrency } = this.options;
    this.workers ??= Promise.all(Array.from({ length: concurrency }, () => this.work()));
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.queue.shutdown();
    await this.monitors[Symbol.asyncDispose]();
    await this.workers;
  }

  /**
   * An owner that exists and was not observed yet is read again: it may be deleted before its watch reports it, as after a gap of the
   * watch, and no event would come for its dependents.
   */
  private async work(): Promise<void> {
    for (let item = await this.queue.get(); item; item = await this.queue.get()) {
      const { key } = item;
      try {
        // Waiting for the first lists is no failure: it must not lengthen the back-off.
        if (!this.monitors.ready) this.queue.addAfter(key, notReadyMs);
        else {
          await this.reconcile(key);
          if (this.graph.get(key)?.virtual) this.queue.addRateLimited(key);
          else this.queue.forget(key);
        }
      } catch (error) {
        const expected = isStatusError(error, 'Conflict') || isClientError(error, 'UNKNOWN_KIND');
        if (!expected) this.log.warn('garbage collection of an object failed; it is tried again', { uid: key, error });
        this.queue.addRateLimited(key);
      } finally {
        this.queue.done(key);
      }
    }
  }

  private async reconcile(uid: string): Promise<void> {
    const node = this.graph.get(uid);
    if (!node) return;
    const live = await this.find(node.identity);
    // The reference named another namespace than the object's own. The watch of its kind reports its deletion.
    if (live === 'elsewhere') return;
    if (live?.metadata.uid !== uid) return node.virtual ? this.graph.forget(uid) : this.graph.deleted(uid);
    if (isOrphaning(live)) return this.orphan(node, live);
    if (isDeletingDependents(live)) return this.awaitDependents(node, live);
    if (live.metadata.deletionTimestamp !== undefined) return;
    await this.collect(node, live);
  }

  private async collect(node: GraphNode, live: ObjectMetadata): Promise<void> {
    const references = live.metadata.ownerReferences ?? [];
    if (references.length === 0) return;
    const states = new Map<OwnerReference, OwnerState>();
    for (const reference of references) {
      const state = await this.stateOf(node, reference);
      // The namespaced owner of a cluster-scoped object cannot be resolved. Upstream leaves such an object alone.
      if (state === 'impossible') return this.reportStrangeOwner(node, reference);
      states.set(reference, state);
    }
    const decision = collect(node, live, (reference) => states.get(reference) ?? 'solid');
    switch (decision.type) {
      case 'keep':
        return;
      case 'forgetOwners':
        return this.patch(live, { ownerReferences: referencesWithout(live, decision.uids) });
      case 'delete': {
        if (decision.unblock) await this.patch(live, { ownerReferences: unblockedReferences(live) }, false);
        await this.delete(live, decision.propagationPolicy, decision.unblock);
      }
    }
  }

  private async stateOf(node: GraphNode, reference: OwnerReference): Promise<OwnerState | 'impossible'> {
    if (this.graph.isDeleted(reference.uid)) return 'absent';
    const { apiVersion, kind, name, uid } = reference;
    const owner = await this.find({ apiVersion, kind, name, uid, namespace: node.identity.namespace });
    if (owner === 'elsewhere') return 'impossible';
    if (owner?.metadata.uid !== uid) return 'absent';
    return isDeletingDependents(owner) ? 'waiting' : 'solid';
  }

  private async awaitDependents(node: GraphNode, live: ObjectMetadata): Promise<void> {
    const { free, enqueue } = awaitDependents(node);
    for (const uid of enqueue) this.queue.add(uid);
    if (free) await this.removeFinalizer(live, foregroundFinalizer);
  }

  private async orphan(node: GraphNode, live: ObjectMetadata): Promise<void> {
    const { uid } = node.identity;
    for (const { identity } of node.dependents) {
      const dependent = await this.find(identity);
      if (!dependent || dependent === 'elsewhere' || dependent.metadata.uid !== identity.uid) continue;
      if (!dependent.metadata.ownerReferences?.some((reference) => reference.uid === uid)) continue;
      await this.patch(dependent, { ownerReferences: referencesWithout(dependent, new Set([uid])) });
    }
    await this.removeFinalizer(live, orphanFinalizer);
  }

  private removeFinalizer(live: ObjectMetadata, finalizer: string): Promise<void> {
    return this.patch(live, { finalizers: (live.metadata.finalizers ?? []).filter((each) => each !== finalizer) });
  }

  /** Returns the object, `undefined`, or `elsewhere` when the namespace of the reference is missing. */
  private async find(identity: Identity): Promise<ObjectMetadata | 'elsewhere' | undefined> {
    const { apiVersion, kind, namespace, name } = identity;
    const resource = await this.reader.discovery.find({ apiVersion, kind });
    if (resource.scope === 'Namespaced' && !namespace) return 'elsewhere';
    const key = resource.scope === 'Namespaced' && namespace ? { namespace, name } : { name };
    const found = await this.reader.getOrUndefined({ apiVersion, kind }, key);
    return found && { apiVersion, kind, metadata: found.metadata };
  }

  /** Conditional on the observed resourceVersion, unless the change is right in any state. */
  private async patch({ apiVersion, kind, metadata }: ObjectMetadata, change: object, bound = true): Promise<void> {
    const { uid, resourceVersion } = metadata;
    const patch = mergePatch({ metadata: { uid, ...(bound ? { resourceVersion } : {}), ...change } });
    await this.unlessDeleted(this.options.client.patch({ apiVersion, kind }, keyOf(metadata), patch));
  }

  private async delete(
    { apiVersion, kind, metadata }: ObjectMetadata,
    propagationPolicy: 'Orphan' | 'Background' | 'Foreground',
    changed: boolean,
  ): Promise<void> {
    const { uid, resourceVersion } = metadata;
    const preconditions = {
      ...(uid ? { uid } : {}),
      ...(resourceVersion && !changed ? { resourceVersion } : {}),
    };
    const { client } = this.options;
    await this.unlessDeleted(
      client.delete({ apiVersion, kind }, keyOf(metadata), { propagationPolicy, preconditions }),
    );
  }

  private async unlessDeleted(write: Promise<unknown>): Promise<void> {
    await write.catch(ignoreNotFound);
  }

  private reportStrangeOwner({ identity }: GraphNode, { apiVersion, kind, name, uid }: OwnerReference): void {
    const { namespace = '' } = identity;
    const owner = `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`;
    const about = {
      apiVersion: identity.apiVersion,
      kind: identity.kind,
      metadata: { name: identity.name, uid: identity.uid, ...(namespace ? { namespace } : {}) },
    };
    this.options.record(about, {
      type: 'Warning',
      reason: 'OwnerRefInvalidNamespace',
      message: `ownerRef ${owner} does not exist in namespace "${namespace}"`,
    });
  }
}

function keyOf({ namespace, name = '' }: ObjectMetadata['metadata']): { namespace?: string; name: string } {
  return namespace ? { namespace, name } : { name };
}
