import { Quantity } from '@tektite/meta';
import type { LimitRange, PodSpec } from '@tektite/schema/kubernetes';
import { isStepContainer } from './container-names.ts';

const resourceNames = ['cpu', 'memory', 'ephemeral-storage'] as const;
type ResourceName = (typeof resourceNames)[number];
type Amounts = Readonly<Record<string, string>>;

/**
 * Steps run one after the other, but a namespace's default requests are given to each container. So each step asks for its part
 * of the default only, or for the least that is allowed if that is more.
 */
export function withinLimitRanges(spec: PodSpec, ranges: readonly LimitRange[]): PodSpec {
  const { defaults, least } = combined(ranges);
  const steps = (spec.containers ?? []).filter(({ name }) => isStepContainer(name)).length;
  const requests: Record<string, string> = {};
  for (const name of resourceNames) {
    const amount = larger(partOf(name, defaults.get(name), steps), least.get(name));
    if (amount && !isZero(amount)) requests[name] = amount.toString();
  }
  if (Object.keys(requests).length === 0) return spec;
  return {
    ...spec,
    containers: (spec.containers ?? []).map((container) => {
      if (!isStepContainer(container.name)) return container;
      const own = (container.resources?.requests ?? {}) as Amounts;
      const kept = Object.entries(own).filter(
        ([name, amount]) => !(name in requests && isZero(Quantity.parse(amount))),
      );
      return {
        ...container,
        resources: { ...container.resources, requests: { ...requests, ...Object.fromEntries(kept) } },
      };
    }),
  };
}

/** The smallest of the defaults, and the largest of what is the least. */
function combined(ranges: readonly LimitRange[]): Record<'defaults' | 'least', Map<ResourceName, Quantity>> {
  const defaults = new Map<ResourceName, Quantity>();
  const least = new Map<ResourceName, Quantity>();
  for (const item of ranges.flatMap(({ spec }) => spec?.limits ?? [])) {
    if (item.type !== 'Container') continue;
    for (const name of resourceNames) {
      const request = amountOf(item.defaultRequest as Amounts | undefined, name);
      const min = amountOf(item.min as Amounts | undefined, name);
      const known = defaults.get(name);
      if (request && (!known || isZero(known) || known.compare(request) > 0)) defaults.set(name, request);
      const most = larger(least.get(name), min);
      if (most) least.set(name, most);
    }
  }
  return { defaults, least };
}

function amountOf(amounts: Amounts | undefined, name: string): Quantity | undefined {
  const text = amounts?.[name];
  return text === undefined ? undefined : Quantity.parse(text);
}

function larger(one: Quantity | undefined, other: Quantity | undefined): Quantity | undefined {
  if (!one || !other) return one ?? other;
  return one.compare(other) >= 0 ? one : other;
}

function partOf(name: ResourceName, total: Quantity | undefined, steps: number): Quantity | undefined {
  if (!total || steps === 0) return undefined;
  if (name === 'cpu') return Quantity.of(total.milliValue / BigInt(steps), -3, total.format);
  return Quantity.of(total.value / BigInt(steps), 0, total.format);
}

const isZero = (amount: Quantity) => amount.compare(Quantity.parse('0')) === 0;
