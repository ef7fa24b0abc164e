import { cacheKey } from '@tektite/controller/cache';
import type { Node, Pod } from '@tektite/schema/kubernetes';
import { allocatableOf, type Amounts, hostPorts, podRequests } from './resources.ts';

/** A Pod that has a node, or is about to get it. */
export interface PlacedPod {
  readonly key: string;
  readonly pod: Pod;
  readonly requests: Amounts;
  readonly ports: readonly string[];
  readonly node: string;
}

/** A node, and what its Pods take, kept as a sum. */
export interface NodeEntry {
  readonly name: string;
  /** Not there while only Pods speak of it. */
  node: Node | undefined;
  allocatable: Amounts;
  readonly requested: Map<string, number>;
  readonly pods: Map<string, PlacedPod>;
  /** Pods for which room is being made here. */
  readonly nominated: Map<string, PlacedPod>;
}

function emptyEntry(name: string): NodeEntry {
  return { name, node: undefined, allocatable: new Map(), requested: new Map(), pods: new Map(), nominated: new Map() };
}

/**
 * The scheduler's view of nodes and Pods. Sums are updated with every change, so that the cost of a decision depends on
 * the number of nodes and not of Pods. Assumed Pods count at once, before the API shows the binding.
 */
export class ClusterState {
  private readonly entries = new Map<string, NodeEntry>();
  private readonly placed = new Map<string, PlacedPod>();
  private readonly namespaces = new Map<string, Map<string, PlacedPod>>();
  /** Those whose own rules keep others away. */
  private readonly repelling = new Map<string, PlacedPod>();
  private readonly assumed = new Set<string>();
  private readonly nominations = new Map<string, string>();

  /** The nodes that exist. */
  nodes(): NodeEntry[] {
    return [...this.entries.values()].filter(({ node }) => node !== undefined);
  }

  entry(name: string): NodeEntry | undefined {
    return this.entries.get(name);
  }

  isAssumed(key: string): boolean {
    return this.assumed.has(key);
  }

  podsIn(namespace: string): Iterable<PlacedPod> {
    return this.namespaces.get(namespace)?.values() ?? [];
  }

  allPods(): Iterable<PlacedPod> {
    return this.placed.values();
  }

  repellingPods(): Iterable<PlacedPod> {
    return this.repelling.values();
  }

  setNode(node: Node): void {
    const entry = this.entryFor(node.metadata.name ?? '');
    entry.node = node;
    entry.allocatable = allocatableOf(node);
  }

  removeNode(name: string): void {
    const entry = this.entries.get(name);
    if (!entry) return;
    entry.node = undefined;
    if (entry.pods.size === 0) this.entries.delete(name);
  }

  /** The Pod as the API shows it. One that has ended takes nothing. */
  setPod(pod: Pod): void {
    const key = cacheKey(pod.metadata);
    const phase = pod.status?.phase;
    const node = pod.spec?.nodeName;
    if (node === undefined && this.assumed.has(key) && phase !== 'Failed') return;
    this.removePod(key);
    const alive = phase !== 'Succeeded' && phase !== 'Failed';
    if (node && alive) this.place(key, pod, node);
    else if (alive && pod.status?.nominatedNodeName && pod.metadata.deletionTimestamp === undefined)
      this.nominate(pod, pod.status.nominatedNodeName);
  }

  /** Room is being made for the Pod: others of no higher priority must not take it. */
  nominate(pod: Pod, node: string): void {
    const key = cacheKey(pod.metadata);
    this.nominations.set(key, node);
    const placed = { key, pod, node, requests: podRequests(pod.spec), ports: hostPorts(pod) };
    this.entryFor(node).nominated.set(key, placed);
  }

  /** The Pod is given to the node; the API will show it, or `removePod` is called. */
  assume(pod: Pod, node: string): void {
    const key = cacheKey(pod.metadata);
    this.removePod(key);
    this.place(key, pod, node);
    this.assumed.add(key);
  }

  removePod(key: string): void {
    this.assumed.delete(key);
    const nomination = this.nominations.get(key);
    if (nomination !== undefined) this.entries.get(nomination)?.nominated.delete(key);
    this.nominations.delete(key);
    const placed = this.placed.get(key);
    if (!placed) return;
    this.placed.delete(key);
    this.repelling.delete(key);
    this.namespaces.get(placed.pod.metadata.namespace ?? '')?.delete(key);
    const entry = this.entries.get(placed.node);
    if (!entry) return;
    entry.pods.delete(key);
    for (const [name, amount] of placed.requests) entry.requested.set(name, (entry.requested.get(name) ?? 0) - amount);
    if (!entry.node && entry.pods.size === 0) this.entries.delete(placed.node);
  }

  private place(key: string, pod: Pod, node: string): void {
    const placed: PlacedPod = { key, pod, node, requests: podRequests(pod.spec), ports: hostPorts(pod) };
    const entry = this.entryFor(node);
    entry.pods.set(key, placed);
    for (const [name, amount] of placed.requests) entry.requested.set(name, (entry.requested.get(name) ?? 0) + amount);
    this.placed.set(key, placed);
    const namespace = pod.metadata.namespace ?? '';
    const inNamespace = this.namespaces.get(namespace) ?? new Map<string, PlacedPod>();
    this.namespaces.set(namespace, inNamespace.set(key, placed));
    if (pod.spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.length)
      this.repelling.set(key, placed);
  }

  private entryFor(name: string): NodeEntry {
    const known = this.entries.get(name);
    if (known) return known;
    const entry = emptyEntry(name);
    this.entries.set(name, entry);
    return entry;
  }
}
