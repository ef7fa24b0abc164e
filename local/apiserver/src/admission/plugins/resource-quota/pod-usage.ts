import { labelSelectorOf, Quantity } from '@tektite/meta';
import type { Container, Pod, PodAffinityTerm, PodSpec } from '@tektite/schema/kubernetes';
import {
  aggregateContainerLimits,
  aggregateContainerRequests,
} from '../../../registry/kinds/core/pod/aggregate-resources.ts';
import { qosClass } from '../../../registry/kinds/core/pod/qos-class.ts';
import { type Amounts, addAmounts, parseAmounts } from './amounts.ts';
import { countName } from './count-usage.ts';
import type { QuotaEvaluator } from './quota-evaluator.ts';

const count = countName('', 'pods');
const hugePages = 'hugepages-';
const named = new Set([
  count,
  'pods',
  ...['cpu', 'memory', 'ephemeral-storage'].flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
]);
/** Where a quota has one of these, every container must say how much it wants. */
const demanded = new Set(['cpu', 'memory'].flatMap((name) => [name, `requests.${name}`, `limits.${name}`]));

/** Pods count until they have ended, with what their containers ask for and are limited to. */
export const podEvaluator: QuotaEvaluator = {
  handles({ operation, subresource, object, oldObject }) {
    if (subresource === 'resize') return operation === 'UPDATE';
    if (subresource !== '') return false;
    if (operation !== 'UPDATE') return operation === 'CREATE';
    return isTerminating(oldObject as Pod) !== isTerminating(object as Pod);
  },
  counts: (resource) =>
    named.has(resource) ||
    resource.startsWith(hugePages) ||
    resource.startsWith(`requests.${hugePages}`) ||
    (resource.startsWith('requests.') && isForeign(resource)),
  usage: (object) => podUsage(object as Pod),
  constraint: (object, resources) => missingDemands(object as Pod, resources),
  inScope(object, { scopeName, operator, values }) {
    const pod = object as Pod;
    switch (scopeName) {
      case 'Terminating':
        return isTerminating(pod);
      case 'NotTerminating':
        return !isTerminating(pod);
      case 'BestEffort':
        return isBestEffort(pod);
      case 'NotBestEffort':
        return !isBestEffort(pod);
      case 'PriorityClass':
        return hasPriorityClass(pod, operator, values ?? []);
      case 'CrossNamespacePodAffinity':
        return looksAcrossNamespaces(pod);
      default:
        return false;
    }
  },
};

/** Resources of others than Kubernetes, such as graphics cards. */
function isForeign(name: string): boolean {
  return name.includes('/') && !name.includes('kubernetes.io/');
}

function isBestEffort({ spec }: Pod): boolean {
  return spec !== undefined && qosClass(spec) === 'BestEffort';
}

/** Pods with an activeDeadlineSeconds. */
function isTerminating(pod: Pod | undefined): boolean {
  return (pod?.spec?.activeDeadlineSeconds ?? -1) >= 0;
}

function podUsage(pod: Pod): Amounts {
  const counted: Amounts = new Map([[count, Quantity.of(1)]]);
  const hasEnded = pod.status?.phase === 'Failed' || pod.status?.phase === 'Succeeded';
  if (hasEnded || !pod.spec) return counted;
  const { requests, limits } = totals(pod.spec);
  return addAmounts(counted, resourceUsage(requests, limits));
}

/** Pod-level resources win over the sum of the containers; the overhead is added. */
function totals(spec: PodSpec): { readonly requests: Amounts; readonly limits: Amounts } {
  const isPodLevel = (name: string) => name === 'cpu' || name === 'memory' || name.startsWith(hugePages);
  const override = (amounts: Amounts, own: Readonly<Record<string, string>> | undefined): Amounts =>
    new Map([...amounts, ...[...parseAmounts(own)].filter(([name]) => isPodLevel(name))]);
  const overhead = parseAmounts(spec.overhead);
  const limits = override(aggregateContainerLimits(spec), spec.resources?.limits);
  return {
    requests: addAmounts(override(aggregateContainerRequests(spec), spec.resources?.requests), overhead),
    limits: addAmounts(limits, new Map([...overhead].filter(([name]) => limits.has(name)))),
  };
}

function resourceUsage(requests: Amounts, limits: Amounts): Amounts {
  const usage = new Map([['pods', Quantity.of(1)]]);
  for (const name of ['cpu', 'memory', 'ephemeral-storage']) {
    const request = requests.get(name);
    const limit = limits.get(name);
    if (request) usage.set(name, request).set(`requests.${name}`, request);
    if (limit) usage.set(`limits.${name}`, limit);
  }
  for (const [name, request] of requests) {
    if (name.startsWith(hugePages)) usage.set(name, request).set(`requests.${name}`, request);
    else if (isForeign(name)) usage.set(`requests.${name}`, request);
  }
  return usage;
}

function missingDemands({ spec }: Pod, resources: readonly string[]): string | undefined {
  const wanted = resources.filter((name) => demanded.has(name)).sort();
  const says = { ...spec?.resources?.requests, ...spec?.resources?.limits };
  if (wanted.length === 0 || !spec || Object.keys(says).length > 0) return undefined;
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
  const missing = wanted.flatMap((name) => {
    const silent = containers.filter((container) => !containerUsage(container).has(name));
    const names = [...new Set(silent.map((container) => container.name))].sort();
    return names.length === 0 ? [] : [`${name} for: ${names.join(',')}`];
  });
  return missing.length === 0 ? undefined : `must specify ${missing.join('; ')}`;
}

function containerUsage({ resources }: Container): Amounts {
  return resourceUsage(parseAmounts(resources?.requests), parseAmounts(resources?.limits));
}

function hasPriorityClass({ spec }: Pod, operator: string, values: readonly string[]): boolean {
  const name = spec?.priorityClassName ?? '';
  if (operator === 'Exists') return name !== '';
  const selector = labelSelectorOf({ matchExpressions: [{ key: 'PriorityClass', operator, values }] });
  return selector.matches(name === '' ? {} : { PriorityClass: name });
}

function looksAcrossNamespaces({ spec }: Pod): boolean {
  const { podAffinity, podAntiAffinity } = spec?.affinity ?? {};
  const terms: PodAffinityTerm[] = [podAffinity, podAntiAffinity].flatMap((affinity) => [
    ...(affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
  ]);
  return terms.some(
    ({ namespaces, namespaceSelector }) => (namespaces?.length ?? 0) > 0 || namespaceSelector !== undefined,
  );
}
