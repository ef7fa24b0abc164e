import type { Container, Pod, ResourceRequirements } from '@tektite/schema/kubernetes';
import { type ContainerRecord, containersOf, isRunning } from '../container/container-record.ts';
import { changedResources } from '../container/container-resources.ts';
import type { ResizeConditions } from '../status/pod-conditions.ts';
import type { EventSink } from './event-sink.ts';
import { podReference } from './container-launcher.ts';
import type { NodeAllocations, ResizeDenial } from './node-allocations.ts';

export interface PodResizeParts {
  readonly allocations: NodeAllocations;
  readonly events: EventSink;
}

/**
 * The resources that the containers of one Pod have been allocated. A change of its spec is allocated at once where the node has
 * room; otherwise the Pod goes on with what it has, and the change waits.
 */
export class PodResize {
  private readonly parts: PodResizeParts;
  private readonly uid: string;
  private readonly retry: () => void;
  private allocated: Map<string, ResourceRequirements>;
  private released = false;
  private pending: ResizeDenial | undefined;
  /** The generation of the Pod that is being actuated. */
  private started: number | undefined;

  /** `retry` is called when a change that waits may be possible. */
  constructor(pod: Pod, parts: PodResizeParts, retry: () => void) {
    this.parts = parts;
    this.uid = pod.metadata.uid ?? '';
    this.retry = retry;
    this.allocated = allocatedBefore(pod) ?? resourcesOf(pod);
  }

  /** Returns the Pod with what its containers have been allocated. */
  accept(pod: Pod): Pod {
    if (this.released || isOver(pod)) return this.current(pod);
    if (this.differs(pod)) this.decide(pod);
    else this.pending = undefined;
    const current = this.current(pod);
    this.parts.allocations.set(current);
    return current;
  }

  /** The resize conditions of the Pod status. `pod` has the allocated resources. */
  conditions(pod: Pod, records: ReadonlyMap<string, ContainerRecord>): ResizeConditions {
    const error = [...records.values()].find(({ instance }) => instance?.resizeError)?.instance?.resizeError;
    return {
      ...(this.pending ? { PodResizePending: this.pending } : {}),
      ...(this.started === undefined || this.isActuated(pod, records)
        ? {}
        : { PodResizeInProgress: error === undefined ? {} : { reason: 'Error', message: error } }),
    };
  }

  /** Records that a change has been actuated, once. */
  settle(pod: Pod, records: ReadonlyMap<string, ContainerRecord>): void {
    if (this.started === undefined || !this.isActuated(pod, records)) return;
    this.record(pod, 'Normal', 'ResizeCompleted', `Pod resize completed: ${summary(pod, this.started)}`);
    this.started = undefined;
  }

  /** The Pod uses nothing any more. */
  release(): void {
    this.released = true;
    this.parts.allocations.release(this.uid);
  }

  private decide(pod: Pod): void {
    const generation = pod.metadata.generation ?? 0;
    const denial = this.parts.allocations.denial(pod);
    if (denial) {
      const { reason, message } = denial;
      if (reason === 'Deferred') this.parts.allocations.wait(this.uid, this.retry);
      if (this.pending?.message !== message)
        this.record(pod, 'Warning', `Resize${reason}`, `Pod resize ${reason}: ${summary(pod, generation, message)}`);
      this.pending = denial;
      return;
    }
    this.pending = undefined;
    this.allocated = resourcesOf(pod);
    this.started = generation;
    this.record(pod, 'Normal', 'ResizeStarted', `Pod resize started: ${summary(pod, generation)}`);
  }

  private differs(pod: Pod): boolean {
    return containersOf(pod).some(({ container }) => {
      const allocated = this.allocated.get(container.name);
      return allocated !== undefined && changedResources(allocated, container.resources).length > 0;
    });
  }

  private isActuated(pod: Pod, records: ReadonlyMap<string, ContainerRecord>): boolean {
    return containersOf(pod).every(({ container }) => {
      const record = records.get(container.name);
      const resources = record?.instance?.resources;
      if (record?.instance?.replaced) return false;
      return (
        !record || !isRunning(record) || !resources || changedResources(resources, container.resources).length === 0
      );
    });
  }

  /** The same object where nothing waits. */
  private current(pod: Pod): Pod {
    if (!this.differs(pod)) return pod;
    const give = (container: Container): Container => ({
      ...container,
      resources: this.allocated.get(container.name) ?? container.resources ?? {},
    });
    const { spec } = pod;
    return {
      ...pod,
      spec: {
        ...spec,
        ...(spec?.initContainers ? { initContainers: spec.initContainers.map(give) } : {}),
        containers: (spec?.containers ?? []).map(give),
      },
    };
  }

  private record(pod: Pod, type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.parts.events.event(podReference(pod), { type, reason, message });
  }
}

function isOver({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

function resourcesOf(pod: Pod): Map<string, ResourceRequirements> {
  return new Map(containersOf(pod).map(({ container }) => [container.name, container.resources ?? {}]));
}

/** From the status, where a change had to wait when the node was stopped. */
function allocatedBefore(pod: Pod): Map<string, ResourceRequirements> | undefined {
  const { conditions = [], initContainerStatuses = [], containerStatuses = [] } = pod.status ?? {};
  if (!conditions.some(({ type, status }) => type === 'PodResizePending' && status === 'True')) return undefined;
  const known = [...initContainerStatuses, ...containerStatuses].flatMap(({ name, resources }) =>
    resources ? [[name, resources] as const] : [],
  );
  return new Map([...resourcesOf(pod), ...known]);
}

/** As kubelets print it into Events. */
function summary({ spec }: Pod, generation: number, error?: string): string {
  const list = (containers: readonly Container[]) =>
    containers.map(({ name, resources = {} }) => ({ name, resources: inOrder(resources) }));
  return JSON.stringify({
    ...(spec?.initContainers?.length ? { initContainers: list(spec.initContainers) } : {}),
    containers: list(spec?.containers ?? []),
    generation,
    ...(error === undefined ? {} : { error }),
  });
}

function inOrder({ limits, requests }: ResourceRequirements): ResourceRequirements {
  const sorted = (amounts: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(amounts).sort(([one], [other]) => (one < other ? -1 : 1)));
  return { ...(limits ? { limits: sorted(limits) } : {}), ...(requests ? { requests: sorted(requests) } : {}) };
}
