import { type OwnerReference, parseApiVersion } from '@tektite/meta';
import {
  type GraphNode,
  type Identity,
  identityOf,
  isDeletingDependents,
  isOrphaning,
  type ObjectMetadata,
} from './graph-node.ts';

/** Receives the consequences of a change of the graph. */
export interface GraphListener {
  /** Enqueues an object that may have lost its last owner, may be deleted, or may no longer wait for dependents. */
  enqueue(uid: string): void;
  /** The object says it is owned by one that lives in another namespace. */
  strangeOwner(dependent: GraphNode, reference: OwnerReference): void;
}

/** How many uids of deleted objects are remembered, so that their dependents need not ask for them one by one. */
const maxRemembered = 5000;

/**
 * The ownership graph over all kinds, by uid. Watch events of all kinds build it, in any order: an owner that is
 * referenced before it is observed becomes a virtual node, whose existence the collector checks.
 */
export class ObjectGraph {
  private readonly nodes = new Map<string, GraphNode>();
  private readonly gone = new Set<string>();
  private readonly listener: GraphListener;

  constructor(listener: GraphListener) {
    this.listener = listener;
  }

  get size(): number {
    return this.nodes.size;
  }

  get(uid: string): GraphNode | undefined {
    return this.nodes.get(uid);
  }

  /** Whether an object with this uid was seen to go. A uid never comes back. */
  isDeleted(uid: string): boolean {
    return this.gone.has(uid);
  }

  /** Records the observed state of an object. */
  observe(object: ObjectMetadata): void {
    const identity = identityOf(object);
    const owners = object.metadata.ownerReferences ?? [];
    const known = this.nodes.get(identity.uid);
    const node = known ?? this.add(identity, false);
    if (node.virtual) this.materialize(node, identity);
    const before = node.owners;
    node.owners = owners;
    this.connect(node, before, owners);
    const deletes = isDeletingDependents(object);
    if (deletes && !node.deletingDependents)
      for (const { identity: each } of node.dependents) this.listener.enqueue(each.uid);
    node.deletingDependents = deletes;
    // An object whose owners exist is not enqueued: the deletion of an owner enqueues its dependents.
    if (deletes || isOrphaning(object)) this.listener.enqueue(identity.uid);
  }

  /** The object was seen to go. */
  deleted(uid: string): void {
    this.remember(uid);
    this.forget(uid);
  }

  /** Removes an object that was not found. It may never have existed, or a reference was wrong. */
  forget(uid: string): void {
    const node = this.nodes.get(uid);
    if (!node) return;
    for (const { uid: owner } of node.owners) {
      const parent = this.nodes.get(owner);
      parent?.dependents.delete(node);
      if (parent?.deletingDependents) this.listener.enqueue(owner);
      this.dropUnused(parent);
    }
    node.owners = [];
    node.virtual = true;
    node.deletingDependents = false;
    for (const dependent of node.dependents) this.listener.enqueue(dependent.identity.uid);
    // Dependents still refer to the node; it is removed with the last of them.
    this.dropUnused(node);
  }

  private add(identity: Identity, virtual: boolean): GraphNode {
    const node: GraphNode = { identity, owners: [], dependents: new Set(), virtual, deletingDependents: false };
    this.nodes.set(identity.uid, node);
    return node;
  }

  /** References can be wrong, even on purpose: objects in other namespaces are not dependents of this one. */
  private materialize(node: GraphNode, identity: Identity): void {
    node.virtual = false;
    node.identity = identity;
    for (const dependent of node.dependents) this.checkReference(dependent, node);
  }

  private checkReference(dependent: GraphNode, owner: GraphNode): void {
    const reference = dependent.owners.find(({ uid }) => uid === owner.identity.uid);
    if (!reference) return;
    const { namespace } = owner.identity;
    const isStrange = namespace !== undefined && namespace !== dependent.identity.namespace;
    if (isStrange) this.listener.strangeOwner(dependent, reference);
    if (isStrange || !names(reference, owner.identity)) this.listener.enqueue(dependent.identity.uid);
  }

  private connect(node: GraphNode, before: readonly OwnerReference[], after: readonly OwnerReference[]): void {
    const kept = new Set(after.map(({ uid }) => uid));
    for (const old of before) {
      const parent = this.nodes.get(old.uid);
      if (!parent) continue;
      if (!kept.has(old.uid)) {
        parent.dependents.delete(node);
        this.dropUnused(parent);
      }
      // It may have been the last that blocked its owner.
      if (parent.deletingDependents) this.listener.enqueue(old.uid);
    }
    for (const reference of after) this.attach(node, reference);
  }

  private attach(node: GraphNode, reference: OwnerReference): void {
    const known = this.nodes.get(reference.uid);
    const { apiVersion, kind, name, uid } = reference;
    const parent = known ?? this.add({ apiVersion, kind, name, uid, namespace: node.identity.namespace }, true);
    const isNew = !parent.dependents.has(node);
    parent.dependents.add(node);
    // One that was seen to go may still be named by newcomers; any other may be there and only not seen yet.
    if (parent.virtual && isNew) this.listener.enqueue(this.gone.has(uid) ? node.identity.uid : uid);
    if (known && isNew && !parent.virtual) this.checkReference(node, parent);
    if (isNew && parent.deletingDependents) this.listener.enqueue(node.identity.uid);
  }

  private dropUnused(node: GraphNode | undefined): void {
    if (node?.virtual && node.dependents.size === 0) this.nodes.delete(node.identity.uid);
  }

  private remember(uid: string): void {
    this.gone.add(uid);
    for (const oldest of this.gone) {
      if (this.gone.size <= maxRemembered) return;
      this.gone.delete(oldest);
    }
  }
}

/** Whether a reference says what its owner is; the version does not matter. */
function names(reference: OwnerReference, { apiVersion, kind, name }: Identity): boolean {
  const group = (text: string) => parseApiVersion(text)?.group;
  return reference.kind === kind && reference.name === name && group(reference.apiVersion) === group(apiVersion);
}
