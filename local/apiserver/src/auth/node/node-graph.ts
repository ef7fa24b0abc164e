import type { KubeObject } from '@tektite/meta';
import type { PersistentVolume, Pod } from '@tektite/schema/kubernetes';
import type { Storage, StorageEvent } from '../../storage/storage.ts';
import { podReferences, volumeSecrets } from './pod-references.ts';

const pods = '/registry/pods/';
const volumes = '/registry/persistentvolumes/';
const mirrorAnnotation = 'kubernetes.io/config.mirror';

/** The kinds of objects that are related to nodes. */
export type RelatedKind =
  | 'configmaps'
  | 'persistentvolumeclaims'
  | 'persistentvolumes'
  | 'pods'
  | 'resourceclaims'
  | 'resourceslices'
  | 'secrets'
  | 'serviceaccounts'
  | 'volumeattachments';

/**
 * Which objects the Pods of each node refer to, followed in the storage. It is built at its first question, so a server
 * without nodes of their own does no work for it; later a question is a lookup.
 */
export class NodeGraph {
  private readonly storage: Storage;
  /** By `kind/namespace/name`: for each node, how many of its Pods refer to the object. */
  private readonly nodesOf = new Map<string, Map<string, number>>();
  /** By `namespace/name` of a Secret: the volumes that are mounted with it. */
  private readonly volumesOf = new Map<string, Set<string>>();
  private isBuilt = false;

  constructor(storage: Storage) {
    this.storage = storage;
  }

  /** Whether an object belongs to a node, or a Pod that is bound to the node refers to it. */
  isRelated(node: string, kind: RelatedKind, namespace: string, name: string): boolean {
    this.build();
    switch (kind) {
      case 'pods':
        return this.nodeNameIn(`${pods}${namespace}/${name}`) === node;
      case 'resourceslices':
      case 'volumeattachments':
        return this.nodeNameIn(`/registry/${kind}/${name}`) === node;
      case 'persistentvolumes':
        return this.mounts(node, name);
      case 'secrets':
        return (
          this.refers(node, kind, namespace, name) ||
          [...(this.volumesOf.get(`${namespace}/${name}`) ?? [])].some((volume) => this.mounts(node, volume))
        );
      default:
        return this.refers(node, kind, namespace, name);
    }
  }

  private refers(node: string, kind: RelatedKind, namespace: string, name: string): boolean {
    return this.nodesOf.get(`${kind}/${namespace}/${name}`)?.has(node) ?? false;
  }

  /** Whether a Pod of the node uses the claim that a volume is bound to. */
  private mounts(node: string, volume: string): boolean {
    const { spec } = (this.storage.get(`${volumes}${volume}`)?.value ?? {}) as Partial<PersistentVolume>;
    const { namespace = '', name = '' } = spec?.claimRef ?? {};
    return this.refers(node, 'persistentvolumeclaims', namespace, name);
  }

  private nodeNameIn(key: string): string | undefined {
    const object = this.storage.get(key)?.value as { readonly spec?: { readonly nodeName?: string } } | undefined;
    return object?.spec?.nodeName;
  }

  private build(): void {
    if (this.isBuilt) return;
    this.isBuilt = true;
    this.follow(pods, (object, by) => this.countPod(object as Pod, by));
    this.follow(volumes, (object, by) => this.countVolume(object as PersistentVolume, by));
  }

  private follow(prefix: string, count: (object: KubeObject, by: 1 | -1) => void): void {
    const { entries, revision } = this.storage.list(prefix);
    for (const { value } of entries) count(value, 1);
    this.storage.watch(prefix, revision, ({ value, previous, deleted }: StorageEvent) => {
      if (previous) count(previous, -1);
      if (!deleted) count(value, 1);
    });
  }

  private countPod(pod: Pod, by: 1 | -1): void {
    const { namespace = '', annotations } = pod.metadata;
    const node = pod.spec?.nodeName ?? '';
    // A mirror Pod is made by the node itself, and must not give it access to anything.
    if (node === '' || annotations?.[mirrorAnnotation] !== undefined) return;
    const { secrets, configMaps, claims, resourceClaims } = podReferences(pod);
    const count = (kind: RelatedKind, names: Iterable<string>) => {
      for (const name of names) this.count(`${kind}/${namespace}/${name}`, node, by);
    };
    count('secrets', secrets);
    count('configmaps', configMaps);
    count('persistentvolumeclaims', claims);
    count('resourceclaims', resourceClaims);
    if (pod.spec?.serviceAccountName) count('serviceaccounts', [pod.spec.serviceAccountName]);
  }

  private count(key: string, node: string, by: 1 | -1): void {
    const nodes = this.nodesOf.get(key) ?? new Map<string, number>();
    const total = (nodes.get(node) ?? 0) + by;
    if (total > 0) nodes.set(node, total);
    else nodes.delete(node);
    if (nodes.size > 0) this.nodesOf.set(key, nodes);
    else this.nodesOf.delete(key);
  }

  private countVolume(volume: PersistentVolume, by: 1 | -1): void {
    const { name = '' } = volume.metadata;
    for (const secret of volumeSecrets(volume)) {
      const names = this.volumesOf.get(secret) ?? new Set<string>();
      if (by === 1) names.add(name);
      else names.delete(name);
      if (names.size > 0) this.volumesOf.set(secret, names);
      else this.volumesOf.delete(secret);
    }
  }
}
