import type { Pod } from '@tektite/schema/kubernetes';
import { amountIn, podRequest, resizableResources } from '../container/container-resources.ts';

/** Why a Pod cannot have what its spec asks for, in the words of kubelets. */
export interface ResizeDenial {
  /** `Infeasible`: this node never has as much. `Deferred`: not now. */
  readonly reason: 'Infeasible' | 'Deferred';
  readonly message: string;
}

/** Why a Pod is not run, in the words of kubelets. */
export interface PodRejection {
  readonly reason: string;
  readonly message: string;
}

/** The resources of the node that its Pods have been allocated. */
export class NodeAllocations {
  private readonly allocatable: Readonly<Record<string, string>>;
  private readonly pods = new Map<string, Pod>();
  private readonly waiting = new Map<string, () => void>();

  constructor(allocatable: Readonly<Record<string, string>>) {
    this.allocatable = allocatable;
  }

  /** Why a Pod of this node cannot be given what its spec asks for; undefined when it can. */
  denial(pod: Pod): ResizeDenial | undefined {
    for (const resource of resizableResources) {
      const { capacity, requested, used } = this.amounts(pod, resource);
      if (requested > capacity) {
        const message = `Node didn't have enough capacity: ${resource}, requested: ${requested}, capacity: ${capacity}`;
        return { reason: 'Infeasible', message };
      }
      if (used + requested > capacity) {
        const message = `Node didn't have enough resource: ${resource}, requested: ${requested}, used: ${used}, capacity: ${capacity}`;
        return { reason: 'Deferred', message };
      }
    }
    return undefined;
  }

  /** Why a Pod that was bound to this node cannot run on it; undefined when it can. Those that it has already can. */
  rejection(pod: Pod): PodRejection | undefined {
    if (this.pods.has(pod.metadata.uid ?? '')) return undefined;
    const own = hostPorts(pod);
    for (const other of own.length === 0 ? [] : this.pods.values())
      if (hostPorts(other).some((port) => own.some((each) => isSamePort(each, port))))
        return {
          reason: 'NodePorts',
          message: "Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports",
        };
    for (const resource of resizableResources) {
      const { capacity, requested, used } = this.amounts(pod, resource);
      if (requested === 0 || used + requested <= capacity) continue;
      return {
        reason: `OutOf${resource}`,
        message: `Node didn't have enough resource: ${resource}, requested: ${requested}, used: ${used}, capacity: ${capacity}`,
      };
    }
    return undefined;
  }

  set(pod: Pod): void {
    this.pods.set(pod.metadata.uid ?? '', pod);
  }

  /** Calls back once, when another Pod may have left room. */
  wait(uid: string, retry: () => void): void {
    this.waiting.set(uid, retry);
  }

  private amounts(pod: Pod, resource: 'cpu' | 'memory'): { capacity: number; requested: number; used: number } {
    let used = 0;
    for (const [uid, other] of this.pods) if (uid !== pod.metadata.uid) used += podRequest(other, resource);
    return { capacity: amountIn(this.allocatable, resource), requested: podRequest(pod, resource), used };
  }

  /** The Pod runs no more. */
  release(uid: string): void {
    this.waiting.delete(uid);
    if (!this.pods.delete(uid)) return;
    const retries = [...this.waiting.values()];
    this.waiting.clear();
    for (const retry of retries) retry();
  }
}

interface HostPort {
  readonly address: string;
  readonly port: number;
  readonly protocol: string;
}

function hostPorts({ spec }: Pod): HostPort[] {
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  return [...sidecars, ...(spec?.containers ?? [])]
    .flatMap(({ ports = [] }) => ports)
    .flatMap(({ hostPort, hostIP, protocol = 'TCP' }) =>
      hostPort ? [{ address: hostIP || everywhere, port: hostPort, protocol }] : [],
    );
}

const everywhere = '0.0.0.0';

function isSamePort(one: HostPort, other: HostPort): boolean {
  if (one.port !== other.port || one.protocol !== other.protocol) return false;
  return one.address === other.address || one.address === everywhere || other.address === everywhere;
}
