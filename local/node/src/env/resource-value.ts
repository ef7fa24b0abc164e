import { Quantity } from '@tektite/meta';
import type { Container, Pod, ResourceFieldSelector } from '@tektite/schema/kubernetes';

/** The resources of the machine, for containers without limits. */
export interface Allocatable {
  readonly cpu: string;
  readonly memory: string;
  readonly 'ephemeral-storage': string;
}

/** The value of a resource of a container, divided and rounded up. Limits that are not set are the machine's. */
export function resourceValue(
  pod: Pod,
  container: Container,
  { containerName, resource, divisor }: ResourceFieldSelector,
  allocatable: Allocatable,
): string {
  const subject = containerName ? findContainer(pod, containerName) : container;
  const [list, ...rest] = resource.split('.');
  const name = rest.join('.');
  if (list !== 'limits' && list !== 'requests') throw new Error(`unsupported container resource : ${resource}`);
  const given = subject.resources?.[list]?.[name];
  const known: Readonly<Record<string, string>> = { ...allocatable };
  const value = given ?? (list === 'limits' && Object.hasOwn(known, name) ? known[name] : '0');
  return divide(value ?? '0', name, divisor);
}

function findContainer(pod: Pod, name: string): Container {
  const found = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])].find((one) => one.name === name);
  if (!found) throw new Error(`container ${name} not found`);
  return found;
}

function divide(value: string, name: string, divisor: string | number | undefined): string {
  const by = divisor === undefined || String(divisor) === '0' ? '1' : String(divisor);
  // CPU is counted in thousandths on both sides, as upstream does; all else in whole units.
  const scale = name === 'cpu' ? milli : units;
  return String(ceilDivide(scale(value), scale(by)));
}

function milli(text: string): bigint {
  return Quantity.parse(text).milliValue;
}

function units(text: string): bigint {
  return Quantity.parse(text).value;
}

function ceilDivide(a: bigint, b: bigint): bigint {
  return b === 0n ? a : (a + b - 1n) / b;
}
