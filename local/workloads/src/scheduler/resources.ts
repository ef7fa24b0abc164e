import { Quantity } from '@tektite/meta';
import type { Node, Pod, PodSpec } from '@tektite/schema/kubernetes';

/** Amounts by resource name: cpu in thousandths, all others in units. */
export type Amounts = ReadonlyMap<string, number>;

type Requests = Readonly<Record<string, string>> | undefined;

const parsed = new Map<string, number>();
const maxParsed = 10_000;

/** The same few quantities are written in nearly all Pods. */
export function amountOf(resource: string, quantity: string): number {
  const key = resource === 'cpu' ? `m${quantity}` : quantity;
  const known = parsed.get(key);
  if (known !== undefined) return known;
  const value = Quantity.parse(String(quantity));
  const amount = Number(resource === 'cpu' ? value.milliValue : value.value);
  if (parsed.size >= maxParsed) parsed.clear();
  parsed.set(key, amount);
  return amount;
}

/**
 * The requests of a Pod at its peak: all containers together, or one init container beside the sidecars that run
 * already, whichever is more. Pod-level requests win; then its overhead is added.
 */
export function podRequests(spec: PodSpec | undefined): Amounts {
  const total = new Map<string, number>();
  if (!spec) return total;
  for (const { resources } of spec.containers ?? []) add(total, resources?.requests);
  const sidecars = new Map<string, number>();
  const peak = new Map<string, number>();
  for (const { resources, restartPolicy } of spec.initContainers ?? []) {
    if (restartPolicy === 'Always') {
      add(sidecars, resources?.requests);
      add(total, resources?.requests);
      raise(peak, sidecars);
    } else {
      const one = new Map(sidecars);
      add(one, resources?.requests);
      raise(peak, one);
    }
  }
  raise(total, peak);
  for (const [name, quantity] of Object.entries(spec.resources?.requests ?? {}))
    total.set(name, amountOf(name, quantity));
  add(total, spec.overhead);
  return total;
}

function add(sum: Map<string, number>, requests: Requests): void {
  for (const [name, quantity] of Object.entries(requests ?? {})) {
    const amount = amountOf(name, quantity);
    if (amount > 0) sum.set(name, (sum.get(name) ?? 0) + amount);
  }
}

function raise(sum: Map<string, number>, floor: Amounts): void {
  for (const [name, amount] of floor) if (amount > (sum.get(name) ?? 0)) sum.set(name, amount);
}

/** The allocatable resources of a node. */
export function allocatableOf({ status }: Node): Amounts {
  const amounts = new Map<string, number>();
  for (const [name, quantity] of Object.entries(status?.allocatable ?? status?.capacity ?? {}))
    amounts.set(name, amountOf(name, quantity));
  return amounts;
}

/** The ports of the node that a Pod takes for itself: `TCP 0.0.0.0 8080`. */
export function hostPorts({ spec }: Pod): readonly string[] {
  const ports: string[] = [];
  for (const container of spec?.containers ?? [])
    for (const { hostPort, protocol = 'TCP', hostIP = '0.0.0.0' } of container.ports ?? [])
      if (hostPort) ports.push(`${protocol} ${hostIP || '0.0.0.0'} ${hostPort}`);
  return ports;
}

/** Two ports exclude each other when the address is the same, or one of them takes all addresses. */
export function portsConflict(a: string, b: string): boolean {
  const [protocolA, addressA, portA] = a.split(' ');
  const [protocolB, addressB, portB] = b.split(' ');
  if (protocolA !== protocolB || portA !== portB) return false;
  return addressA === addressB || addressA === '0.0.0.0' || addressB === '0.0.0.0';
}
