import type {
  LabelSelector,
  NetworkPolicyEgressRule,
  NetworkPolicyIngressRule,
  NetworkPolicySpec,
} from '@tektite/schema/kubernetes';
import type { Platform } from '../platform/platform.ts';

const tcp = (port: number) => ({ protocol: 'TCP', port });
const both = ['Ingress', 'Egress'];

const names = {
  kubernetes: {
    dns: { namespace: 'kube-system', labels: { 'k8s-app': 'kube-dns' }, port: 53 },
    monitoring: { 'kubernetes.io/metadata.name': 'monitoring' },
  },
  openshift: {
    dns: { namespace: 'openshift-dns', labels: { 'dns.operator.openshift.io/daemonset-dns': 'default' }, port: 5353 },
    monitoring: { 'openshift.io/cluster-monitoring': 'true' },
  },
} as const;

export const labelled = (labels: Readonly<Record<string, string>>): LabelSelector => ({ matchLabels: labels });

/** Nothing in, nothing out: what the other policies of a component make exceptions of. */
export function denyAll(podSelector: LabelSelector): NetworkPolicySpec {
  return { podSelector, policyTypes: both };
}

/** The API server has no address that a policy could name. */
export const toAnywhere: NetworkPolicyEgressRule = {};
export const toInternet: NetworkPolicyEgressRule = { ports: [tcp(80), tcp(443)] };
export const toSsh: NetworkPolicyEgressRule = { ports: [tcp(22)] };
export const toPort = (port: number): NetworkPolicyEgressRule => ({ ports: [tcp(port)] });

export function toDns(platform: Platform): NetworkPolicyEgressRule {
  const { namespace, labels, port } = names[platform].dns;
  return {
    ports: [{ protocol: 'UDP', port }, tcp(port)],
    to: [{ namespaceSelector: labelled({ 'kubernetes.io/metadata.name': namespace }), podSelector: labelled(labels) }],
  };
}

/** Webhooks are asked by the API server, from wherever that is. */
export const fromAnywhere = (port: number): NetworkPolicyIngressRule => ({ ports: [tcp(port)] });
export const fromNamespaces = (port: number): NetworkPolicyIngressRule => ({
  from: [{ namespaceSelector: {} }],
  ports: [tcp(port)],
});
export const fromPods = (port: number, ...apps: readonly string[]): NetworkPolicyIngressRule => ({
  from: apps.map((app) => ({ podSelector: labelled({ app }) })),
  ports: [tcp(port)],
});

export function fromMonitoring(platform: Platform, port: number): NetworkPolicyIngressRule {
  return { from: [{ namespaceSelector: labelled(names[platform].monitoring) }], ports: [tcp(port)] };
}

export function allow(
  podSelector: LabelSelector,
  ingress: readonly NetworkPolicyIngressRule[],
  egress: readonly NetworkPolicyEgressRule[],
): NetworkPolicySpec {
  return { podSelector, policyTypes: both, ...(ingress.length > 0 ? { ingress } : {}), egress };
}
