import { type OwnerReference, parseApiVersion } from '@tektite/meta';
import {
  type GraphNode,
  type Identity,
  identityOf,
  isDeletingDependents,
  isOrphaning,
  type ObjectMetadata,
} from './graph-node.ts';

/** What follows from a change of the graph. */
export interface GraphListener {
  /** The object may have lost its last owner, may be gone, or may wait for nobody any more. */
  look(uid: string): void;
  /** The object says it is owned by one that lives in another namespace. */
  strangeOwner(dependent: GraphNode, reference: OwnerReference): void;
}

/** How many uids of deleted objects are remembered, so that their dependents need not ask for them one by one. */
const rememberedGone = 5000;

/**
 * Who owns whom, over all kinds, by uid. Kept by what the watches of all kinds tell, in whatever order: an owner that is
 * named before it is seen becomes a virtual node, which somebody has to look for.
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
  isGone(uid: string): boolean {
    return this.gone.has(uid);
  }

  /** The object is as told. */
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
      for (const { identity: each } of node.dependents) this.listener.look(each.uid);
    node.deletingDependents = deletes;
    // An object with owners that are there needs no look: when one of them goes, its dependents are told.
    if (deletes || isOrphaning(object)) this.listener.look(identity.uid);
  }

  /** The object was seen to go. */
  deleted(uid: string): void {
    this.remember(uid);
    this.forget(uid);
  }

  /** The object is not where it was looked for: perhaps it never was there, perhaps a reference told a lie. */
  forget(uid: string): void {
    const node = this.nodes.get(uid);
    if (!node) return;
    for (const { uid: owner } of node.owners) {
      const parent = this.nodes.get(owner);
      parent?.dependents.delete(node);
      if (parent?.deletingDependents) this.listener.look(owner);
      this.dropUnused(parent);
    }
    node.owners = [];
    node.virtual = true;
    node.deletingDependents = false;
    for (const dependent of node.dependents) this.listener.look(dependent.identity.uid);
    // Those who still name it are told from others by it; it goes with the last of them.
    this.dropUnused(node);
  }

  private add(identity: Identity, virtual: boolean): GraphNode {
    const node: GraphNode = { identity, owners: [], dependents: new Set(), virtual, deletingDependents: false };
    this.nodes.set(identity.uid, node);
    return node;
  }

  /** What others said of it may have been wrong, on purpose even: those in other namespaces are not its dependents. */
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
    if (isStrange || !names(reference, owner.identity)) this.listener.look(dependent.identity.uid);
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
      if (parent.deletingDependents) this.listener.look(old.uid);
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
    if (parent.virtual && isNew) this.listener.look(this.gone.has(uid) ? node.identity.uid : uid);
    if (known && isNew && !parent.virtual) this.checkReference(node, parent);
    if (isNew && parent.deletingDependents) this.listener.look(node.identity.uid);
  }

  private dropUnused(node: GraphNode | undefined): void {
    if (node?.virtual && node.dependents.size === 0) this.nodes.delete(node.identity.uid);
  }

  private remember(uid: string): void {
    this.gone.add(uid);
    for (const oldest of this.gone) {
      if (this.gone.size <= rememberedGone) return;
      this.gone.delete(oldest);
    }
  }
}

/** Whether a reference says what its owner is; the version does not matter. */
function names(reference: OwnerReference, { apiVersion, kind, name }: Identity): boolean {
  const group = (text: string) => parseApiVersion(text)?.group;
  return reference.kind === kind && reference.name === name && group(reference.apiVersion) === group(apiVersion);
}
