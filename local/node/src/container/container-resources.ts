import { Quantity } from '@tektite/meta';
import type { Pod, ResourceRequirements } from '@tektite/schema/kubernetes';

/** The resources that may be changed while a container runs. */
export const resizableResources = ['cpu', 'memory'] as const;

type Amounts = Readonly<Record<string, string>> | undefined;

/** The names of those whose request or limit differs. */
export function changedResources(before: ResourceRequirements, after: ResourceRequirements | undefined): string[] {
  return resizableResources.filter(
    (name) =>
      !isSame(before.requests?.[name], after?.requests?.[name]) ||
      !isSame(before.limits?.[name], after?.limits?.[name]),
  );
}

function isSame(one: string | undefined, other: string | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return Quantity.parse(String(one)).compare(Quantity.parse(String(other))) === 0;
}

/**
 * The request of a Pod at its peak: all containers together, or one init container beside the sidecars that run already,
 * whichever is more. CPU in thousandths, memory in bytes.
 */
export function podRequest({ spec }: Pod, resource: (typeof resizableResources)[number]): number {
  const requestOf = ({ resources }: { readonly resources?: ResourceRequirements }) =>
    amountIn(resources?.requests, resource);
  let sidecars = 0;
  let peak = 0;
  for (const container of spec?.initContainers ?? []) {
    const request = requestOf(container);
    peak = Math.max(peak, sidecars + request);
    if (container.restartPolicy === 'Always') sidecars += request;
  }
  const together = (spec?.containers ?? []).reduce((sum, container) => sum + requestOf(container), sidecars);
  const own = spec?.resources?.requests?.[resource];
  const request = own === undefined ? Math.max(peak, together) : amountIn(spec?.resources?.requests, resource);
  return request + amountIn(spec?.overhead, resource);
}

/** One amount of a list; 0 where there is none. CPU in thousandths, memory in bytes. */
export function amountIn(amounts: Amounts, resource: (typeof resizableResources)[number]): number {
  const text = amounts?.[resource];
  if (text === undefined) return 0;
  const quantity = Quantity.parse(String(text));
  return Number(resource === 'cpu' ? quantity.milliValue : quantity.value);
}
