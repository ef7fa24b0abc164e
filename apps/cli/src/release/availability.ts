import type { DynamicObject } from '@tektite/meta';
import { grafanaDashboard } from './grafana-dashboard.ts';
import type { ReleaseObject } from './release-values.ts';

/** The Pods of a release, for the objects around them. */
export interface Surroundings {
  readonly name: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly selector: Readonly<Record<string, string>>;
  readonly statusPort: number;
  /** Ports that clients of the cluster reach; all where it is undefined. */
  readonly openPorts: readonly number[] | undefined;
}

/** The objects around the Pods: a Service for metrics, a disruption budget, a network policy, and what monitors them. */
export function surroundings(options: Surroundings): readonly ReleaseObject<DynamicObject>[] {
  return [
    { object: metricsService(options) },
    { object: disruptionBudget(options), when: { path: 'podDisruptionBudget' } },
    { object: networkPolicy(options), when: { path: 'networkPolicy' } },
    { object: serviceMonitor(options), when: { path: 'serviceMonitor' } },
    { object: dashboardConfigMap(options), when: { path: 'grafanaDashboard' } },
  ];
}

function metricsService({ name, namespace, labels, selector, statusPort }: Surroundings): DynamicObject {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace, labels: { ...labels, ...selector } },
    spec: { selector, ports: [{ name: 'http-metrics', port: 9090, targetPort: statusPort }] },
  };
}

/** Nodes are drained one after the other: one replica at a time is always allowed to go, also where there is only one. */
function disruptionBudget({ name, namespace, labels, selector }: Surroundings): DynamicObject {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, namespace, labels },
    spec: { maxUnavailable: 1, selector: { matchLabels: selector } },
  };
}

/** Webhooks are called by the API server, which is no Pod; metrics by Prometheus. Everything else is closed. */
function networkPolicy({ name, namespace, labels, selector, openPorts }: Surroundings): DynamicObject {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name, namespace, labels },
    spec: {
      podSelector: { matchLabels: selector },
      policyTypes: ['Ingress'],
      ingress: [openPorts ? { ports: openPorts.map((port) => ({ port, protocol: 'TCP' })) } : {}],
    },
  };
}

function serviceMonitor({ name, namespace, labels, selector }: Surroundings): DynamicObject {
  return {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'ServiceMonitor',
    metadata: { name, namespace, labels },
    spec: { selector: { matchLabels: selector }, endpoints: [{ port: 'http-metrics', interval: '30s' }] },
  };
}

/** Grafana's sidecar loads ConfigMaps with this label. */
function dashboardConfigMap({ name, namespace, labels }: Surroundings): DynamicObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `${name}-grafana`, namespace, labels: { ...labels, grafana_dashboard: '1' } },
    data: { [`${name}.json`]: `${JSON.stringify(grafanaDashboard(name), undefined, 2)}\n` },
  };
}
