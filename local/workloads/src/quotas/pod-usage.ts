import type { Pod, ResourceQuota } from '@tektite/schema/kubernetes';
import { Quantity } from '@tektite/meta';

type Amounts = Readonly<Record<string, string>> | undefined;

function hasEnded({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

function containersOf({ spec }: Pod) {
  return [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
}

function isBestEffort(pod: Pod): boolean {
  return containersOf(pod).every(({ resources }) =>
    ['cpu', 'memory'].every((name) => !resources?.requests?.[name] && !resources?.limits?.[name]),
  );
}

/** Whether a quota is about this Pod. */
export function inScope({ spec }: ResourceQuota, pod: Pod): boolean {
  const plain = (spec?.scopes ?? []).map((scopeName) => ({
    scopeName,
    operator: 'Exists',
    values: [] as readonly string[],
  }));
  const selectors = (spec?.scopeSelector?.matchExpressions ?? []).map(({ scopeName, operator, values = [] }) => ({
    scopeName,
    operator,
    values,
  }));
  return [...plain, ...selectors].every(({ scopeName, operator, values }) => {
    switch (scopeName) {
      case 'Terminating':
        return (pod.spec?.activeDeadlineSeconds ?? -1) >= 0;
      case 'NotTerminating':
        return (pod.spec?.activeDeadlineSeconds ?? -1) < 0;
      case 'BestEffort':
        return isBestEffort(pod);
      case 'NotBestEffort':
        return !isBestEffort(pod);
      case 'PriorityClass':
        return matchesClass(operator, values, pod.spec?.priorityClassName);
      default:
        return true;
    }
  });
}

function matchesClass(operator: string, values: readonly string[], name: string | undefined): boolean {
  if (operator === 'Exists') return Boolean(name);
  if (operator === 'DoesNotExist') return !name;
  return values.includes(name ?? '') === (operator === 'In');
}

/** The usage of a Pod for each resource that a quota can limit. A finished Pod counts only as an object. */
export function podUsage(pod: Pod): ReadonlyMap<string, Quantity> {
  const usage = new Map<string, Quantity>([['count/pods', Quantity.of(1)]]);
  if (hasEnded(pod)) return usage;
  usage.set('pods', Quantity.of(1));
  for (const [name, amount] of total(pod, (resources) => resources?.requests)) {
    usage.set(`requests.${name}`, amount);
    if (name === 'cpu' || name === 'memory' || name === 'ephemeral-storage') usage.set(name, amount);
  }
  for (const [name, amount] of total(pod, (resources) => resources?.limits)) usage.set(`limits.${name}`, amount);
  return usage;
}

type Resources = { readonly requests?: Amounts; readonly limits?: Amounts } | undefined;

/** All containers together, or one init container beside the sidecars that run by then, whichever is more. */
function total({ spec }: Pod, pick: (resources: Resources) => Amounts): ReadonlyMap<string, Quantity> {
  const sum = new Map<string, Quantity>();
  for (const { resources } of spec?.containers ?? []) add(sum, pick(resources as Resources));
  const sidecars = new Map<string, Quantity>();
  const peak = new Map<string, Quantity>();
  for (const { resources, restartPolicy } of spec?.initContainers ?? []) {
    const one = restartPolicy === 'Always' ? sidecars : new Map(sidecars);
    add(one, pick(resources as Resources));
    if (restartPolicy === 'Always') add(sum, pick(resources as Resources));
    for (const [name, amount] of one) if (amount.compare(peak.get(name) ?? Quantity.zero) > 0) peak.set(name, amount);
  }
  for (const [name, amount] of peak) if (amount.compare(sum.get(name) ?? Quantity.zero) > 0) sum.set(name, amount);
  add(sum, spec?.overhead);
  return sum;
}

function add(sum: Map<string, Quantity>, amounts: Amounts): void {
  for (const [name, text] of Object.entries(amounts ?? {})) {
    const amount = Quantity.parse(String(text));
    sum.set(name, (sum.get(name) ?? Quantity.zero).add(amount));
  }
}
