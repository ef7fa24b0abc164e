import { labelSelectorOf, type LabelSelector, type Selector } from '@tektite/meta';
import type { Pod, PodAffinityTerm } from '@tektite/schema/kubernetes';
import type { ClusterState, NodeEntry, PlacedPod } from './cluster-state.ts';

/** The labels of a namespace, for rules that select namespaces by them. */
export type NamespaceLabels = (namespace: string) => Readonly<Record<string, string>> | undefined;

interface Term {
  readonly topologyKey: string;
  selects(pod: Pod): boolean;
}

/** A compiled affinity term. Without namespaces it selects the namespace of its Pod. */
function compileTerm(term: PodAffinityTerm, owner: Pod, namespaceLabels: NamespaceLabels): Term {
  const selector = compileSelector(term.labelSelector);
  const namespaces = new Set(term.namespaces ?? []);
  const byLabels = term.namespaceSelector ? compileSelector(term.namespaceSelector) : undefined;
  if (namespaces.size === 0 && !byLabels) namespaces.add(owner.metadata.namespace ?? '');
  return {
    topologyKey: term.topologyKey,
    selects({ metadata }) {
      const { namespace = '', labels } = metadata;
      if (!namespaces.has(namespace) && !byLabels?.matches(namespaceLabels(namespace))) return false;
      return selector.matches(labels);
    },
  };
}

function compileSelector(selector: LabelSelector | undefined): Selector {
  return labelSelectorOf(selector);
}

function domainOf(entry: NodeEntry | undefined, topologyKey: string): string | undefined {
  return entry?.node?.metadata.labels?.[topologyKey];
}

/** Answers for each node whether rules between Pods allow it, and how much they favour it. */
export interface PodAffinityRules {
  readonly reasonAgainst: (entry: NodeEntry) => PodAffinityReason | undefined;
  readonly preference: (entry: NodeEntry) => number;
}

export type PodAffinityReason = 'affinity' | 'anti-affinity' | 'existing anti-affinity';

type Domains = Map<string, Map<string, number>>;

/** Visits the placed Pods once, and not once for each node. */
export function podAffinityRules(pod: Pod, state: ClusterState, namespaceLabels: NamespaceLabels): PodAffinityRules {
  const { podAffinity, podAntiAffinity } = pod.spec?.affinity ?? {};
  const compile = (term: PodAffinityTerm) => compileTerm(term, pod, namespaceLabels);
  const near = (podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map(compile);
  const far = (podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map(compile);
  const likes = [
    ...(podAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map((each) => ({
      weight: each.weight,
      term: compile(each.podAffinityTerm),
    })),
    ...(podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map((each) => ({
      weight: -each.weight,
      term: compile(each.podAffinityTerm),
    })),
  ];
  const all = near.length + far.length + likes.length > 0 ? [...state.allPods()] : [];
  const nearDomains = near.map((term) => domainsOf([term], all, state));
  const farDomains = domainsOf(far, all, state);
  const repelled = repelledDomains(pod, state, namespaceLabels);
  const likeDomains = likes.map(({ weight, term }) => ({ weight, term, domains: domainsOf([term], all, state) }));
  // The first Pod of a group with affinity to itself has no Pod to join.
  const isFirst = near.every((term, index) => nearDomains[index]?.size === 0 && term.selects(pod));
  return {
    reasonAgainst(entry) {
      for (const [index, term] of near.entries()) {
        const domain = domainOf(entry, term.topologyKey);
        if (domain === undefined) return 'affinity';
        if (!isFirst && !nearDomains[index]?.get(term.topologyKey)?.has(domain)) return 'affinity';
      }
      if (isIn(entry, farDomains)) return 'anti-affinity';
      return isIn(entry, repelled) ? 'existing anti-affinity' : undefined;
    },
    preference(entry) {
      let sum = 0;
      for (const { weight, term, domains } of likeDomains) {
        const domain = domainOf(entry, term.topologyKey);
        if (domain !== undefined) sum += weight * (domains.get(term.topologyKey)?.get(domain) ?? 0);
      }
      return sum;
    },
  };
}

function isIn(entry: NodeEntry, domains: Domains): boolean {
  for (const [key, values] of domains) {
    const domain = domainOf(entry, key);
    if (domain !== undefined && values.has(domain)) return true;
  }
  return false;
}

/** Where Pods that the terms select are, and how many. */
function domainsOf(terms: readonly Term[], pods: readonly PlacedPod[], state: ClusterState): Domains {
  const domains: Domains = new Map();
  for (const { pod, node } of pods)
    for (const term of terms)
      if (term.selects(pod)) note(domains, term.topologyKey, domainOf(state.entry(node), term.topologyKey));
  return domains;
}

/** Where Pods are that want this one far from them. */
function repelledDomains(pod: Pod, state: ClusterState, namespaceLabels: NamespaceLabels): Domains {
  const domains: Domains = new Map();
  for (const { pod: other, node } of state.repellingPods()) {
    const terms = other.spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
    for (const each of terms) {
      const term = compileTerm(each, other, namespaceLabels);
      if (term.selects(pod)) note(domains, term.topologyKey, domainOf(state.entry(node), term.topologyKey));
    }
  }
  return domains;
}

function note(domains: Domains, key: string, domain: string | undefined): void {
  if (domain === undefined) return;
  const values = domains.get(key) ?? new Map<string, number>();
  domains.set(key, values.set(domain, (values.get(domain) ?? 0) + 1));
}
