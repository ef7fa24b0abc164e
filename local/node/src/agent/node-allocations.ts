import type { Pod } from '@tektite/schema/kubernetes';
import { amountIn, podRequest, resizableResources } from '../container/container-resources.ts';

/** Why a Pod cannot have what its spec asks for, in the words of kubelets. */
export interface ResizeDenial {
  /** `Infeasible`: this node never has as much. `Deferred`: not now. */
  readonly reason: 'Infeasible' | 'Deferred';
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
      const capacity = amountIn(this.allocatable, resource);
      const requested = podRequest(pod, resource);
      if (requested > capacity) {
        const message = `Node didn't have enough capacity: ${resource}, requested: ${requested}, capacity: ${capacity}`;
        return { reason: 'Infeasible', message };
      }
      let used = 0;
      for (const [uid, other] of this.pods) if (uid !== pod.metadata.uid) used += podRequest(other, resource);
      if (used + requested > capacity) {
        const message = `Node didn't have enough resource: ${resource}, requested: ${requested}, used: ${used}, capacity: ${capacity}`;
        return { reason: 'Deferred', message };
      }
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

  /** The Pod runs no more. */
  release(uid: string): void {
    this.waiting.delete(uid);
    if (!this.pods.delete(uid)) return;
    const retries = [...this.waiting.values()];
    this.waiting.clear();
    for (const retry of retries) retry();
  }
}
