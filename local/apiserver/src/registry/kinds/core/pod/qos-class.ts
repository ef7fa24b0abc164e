import { Quantity } from '@tektite/meta';
import type { PodSpec, ResourceRequirements } from '@tektite/schema/kubernetes';

type Resources = Map<string, Quantity>;

const isCompute = (name: string): boolean => name === 'cpu' || name === 'memory';

/** How much a Pod may rely on its resources: the class by which the kubelet decides whom to evict. */
export function qosClass(spec: PodSpec): 'Guaranteed' | 'Burstable' | 'BestEffort' {
  const ofPod = spec.resources;
  const parts: ResourceRequirements[] = ofPod
    ? [ofPod]
    : [...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(({ resources }) => resources ?? {});
  const requests: Resources = new Map();
  const limits: Resources = new Map();
  let guaranteed = true;
  for (const part of parts) {
    addPositive(requests, part.requests);
    const limited = addPositive(limits, part.limits);
    if (!limited.has('cpu') || !limited.has('memory')) guaranteed = false;
  }
  if (requests.size === 0 && limits.size === 0) return 'BestEffort';
  const equal = [...requests].every(([name, quantity]) => limits.get(name)?.equals(quantity) ?? false);
  return guaranteed && equal && requests.size === limits.size ? 'Guaranteed' : 'Burstable';
}

/** Adds what is more than nothing; answers with its names. */
function addPositive(total: Resources, list: Readonly<Record<string, string>> | undefined): Set<string> {
  const names = new Set<string>();
  for (const [name, text] of Object.entries(list ?? {})) {
    const quantity = Quantity.parse(text);
    if (!isCompute(name) || quantity.sign <= 0) continue;
    names.add(name);
    total.set(name, total.get(name)?.add(quantity) ?? quantity);
  }
  return names;
}
