import { isIP } from 'node:net';
import type { BootstrapObject } from '../registry/bootstrap-object.ts';
import type { ResourceTable } from '../registry/resource-table.ts';
import { flowControlDefaults } from './flow-control-defaults.ts';

/** Where a server is reached, and whom it believes. */
export interface ServedAddress {
  readonly host: string;
  readonly port: number;
  /** PEM of the authorities of client certificates. */
  readonly clientCa: string;
}

/** Group and version priorities of upstream. Others are of equal, lower rank. */
const priorities: Readonly<Record<string, readonly [group: number, version: number]>> = {
  '/v1': [18_000, 1],
  'apps/v1': [17_800, 15],
  'events.k8s.io/v1': [17_750, 5],
  'authentication.k8s.io/v1': [17_700, 15],
  'authorization.k8s.io/v1': [17_600, 15],
  'autoscaling/v1': [17_500, 15],
  'autoscaling/v2': [17_500, 30],
  'batch/v1': [17_400, 15],
  'certificates.k8s.io/v1': [17_300, 15],
  'networking.k8s.io/v1': [17_200, 15],
  'policy/v1': [17_100, 15],
  'rbac.authorization.k8s.io/v1': [17_000, 15],
  'storage.k8s.io/v1': [16_800, 15],
  'apiextensions.k8s.io/v1': [16_700, 15],
  'admissionregistration.k8s.io/v1': [16_700, 15],
  'scheduling.k8s.io/v1': [16_600, 15],
  'coordination.k8s.io/v1': [16_500, 15],
  'node.k8s.io/v1': [16_300, 15],
  'discovery.k8s.io/v1': [16_200, 15],
  'flowcontrol.apiserver.k8s.io/v1': [16_100, 21],
  'resource.k8s.io/v1': [15_900, 15],
};
const otherPriority = [15_800, 9] as const;

/** One APIService for each built-in group and version but that of APIServices. */
function apiServices(resources: ResourceTable): BootstrapObject[] {
  const core = resources.group('');
  const groups = [...(core ? [core] : []), ...resources.allGroups()];
  return groups
    .filter(({ name }) => name !== 'apiregistration.k8s.io')
    .flatMap(({ name, versions }) =>
      versions
        .filter((entry) => entry.resources.some(({ custom }) => !custom))
        .map(({ version }) => localService(name, version)),
    );
}

function localService(group: string, version: string): BootstrapObject {
  const [groupPriorityMinimum, versionPriority] = priorities[`${group}/${version}`] ?? otherPriority;
  return {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: `${version}.${group}`, labels: { 'kube-aggregator.kubernetes.io/automanaged': 'onstart' } },
    spec: { ...(group === '' ? {} : { group }), version, groupPriorityMinimum, versionPriority },
  };
}

/** Objects that a real server makes while it starts, and that users may change: they are created where they are missing. */
export function defaultObjects(resources: ResourceTable): BootstrapObject[] {
  const name = 'extension-apiserver-authentication';
  return [
    ...apiServices(resources),
    ...flowControlDefaults,
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: {
        name: `${name}-reader`,
        namespace: 'kube-system',
        labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults' },
        annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
      },
      rules: [{ apiGroups: [''], resources: ['configmaps'], resourceNames: [name], verbs: ['get', 'list', 'watch'] }],
    },
  ];
}

/**
 * Objects that describe this very server: they are written at every start. `requestHeaderCa` is the PEM of the authority that
 * vouches for proxied requests.
 */
export function addressObjects({ host, port, clientCa }: ServedAddress, requestHeaderCa: string): BootstrapObject[] {
  const data = {
    'client-ca-file': clientCa,
    'requestheader-allowed-names': '["front-proxy-client"]',
    'requestheader-client-ca-file': requestHeaderCa,
    'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
    'requestheader-group-headers': '["X-Remote-Group"]',
    'requestheader-uid-headers': '["X-Remote-Uid"]',
    'requestheader-username-headers': '["X-Remote-User"]',
  };
  const authentication: BootstrapObject = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'extension-apiserver-authentication', namespace: 'kube-system' },
    data,
  };
  if (isIP(host) === 0) return [authentication];
  const own = { name: 'kubernetes', namespace: 'default' };
  return [
    authentication,
    {
      apiVersion: 'v1',
      kind: 'Endpoints',
      metadata: { ...own, labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } },
      subsets: [{ addresses: [{ ip: host }], ports: [{ name: 'https', port, protocol: 'TCP' }] }],
    },
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { ...own, labels: { 'kubernetes.io/service-name': 'kubernetes' } },
      addressType: isIP(host) === 6 ? 'IPv6' : 'IPv4',
      endpoints: [{ addresses: [host], conditions: { ready: true } }],
      ports: [{ name: 'https', port, protocol: 'TCP' }],
    },
  ];
}

/** The range of the addresses of Services. */
export function serviceRangeObject(range: string, now: string): BootstrapObject {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'ServiceCIDR',
    metadata: { name: 'kubernetes', finalizers: ['networking.k8s.io/service-cidr-finalizer'] },
    spec: { cidrs: [range] },
    status: {
      conditions: [
        {
          type: 'Ready',
          status: 'True',
          lastTransitionTime: now,
          reason: '',
          message: 'Kubernetes Service CIDR is ready',
        },
      ],
    },
  };
}
