import { Quantity } from '@tektite/meta';
import type { Container, PodSpec, ResourceRequirements } from '@tektite/schema/kubernetes';

type Resources = Map<string, Quantity>;
type Part = 'requests' | 'limits';

/** The sum of the requests of a Pod's containers: sidecars and regular ones add up, init containers take turns. */
export function aggregateContainerRequests(spec: PodSpec): Resources {
  return aggregate(spec, 'requests');
}

/** The sum of the limits of a Pod's containers. */
export function aggregateContainerLimits(spec: PodSpec): Resources {
  return aggregate(spec, 'limits');
}

function aggregate(spec: PodSpec, part: Part): Resources {
  const total: Resources = new Map();
  for (const container of spec.containers ?? []) add(total, container.resources, part);
  const sidecars: Resources = new Map();
  const initPeak: Resources = new Map();
  for (const container of spec.initContainers ?? []) {
    const needed: Resources = new Map(sidecars);
    add(needed, container.resources, part);
    if (isSidecar(container)) {
      add(total, container.resources, part);
      add(sidecars, container.resources, part);
    }
    raise(initPeak, needed);
  }
  raise(total, initPeak);
  return total;
}

/** An init container that runs beside the regular ones. */
export function isSidecar(container: Container): boolean {
  return container.restartPolicy === 'Always';
}

function add(total: Resources, resources: ResourceRequirements | undefined, part: Part): void {
  for (const [name, text] of Object.entries(resources?.[part] ?? {})) {
    const quantity = Quantity.parse(text);
    total.set(name, total.get(name)?.add(quantity) ?? quantity);
  }
}

function raise(total: Resources, floor: Resources): void {
  for (const [name, quantity] of floor) {
    const known = total.get(name);
    if (!known || quantity.compare(known) > 0) total.set(name, quantity);
  }
}
