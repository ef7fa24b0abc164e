import type { ByoCluster } from '../kinds/byo-cluster.ts';
import type { ByoHost } from '../kinds/byo-host.ts';
import type { ByoMachine } from '../kinds/byo-machine.ts';
import type { Cluster, Machine } from '../kinds/cluster-api.ts';
import { clusterNameOf, isPausedObject } from '../lookups.ts';
import {
  cleanupAnnotation,
  clusterNameLabel,
  endpointAnnotation,
  machineNameAnnotation,
  machineNameLabel,
  pausedAnnotation,
  registryAnnotation,
  versionAnnotation,
} from '../wire-names.ts';
import { machineLabel } from './machine-label.ts';

export interface Attachment {
  readonly machine: ByoMachine;
  readonly owner: Machine;
  readonly cluster: Cluster;
  readonly byoCluster: ByoCluster | undefined;
}

/** `v1.26.6+vmware.1` is the version 1.26.6 with build metadata. */
export function plainVersion({ spec }: Machine): string {
  return spec?.version?.split('+')[0] ?? '';
}

/** The host as the machine's. */
export function attachHost(host: ByoHost, { machine, owner, cluster, byoCluster }: Attachment): ByoHost {
  const { namespace = '', name = '' } = machine.metadata;
  const label = machineLabel(namespace, name);
  const bootstrap = owner.spec?.bootstrap?.dataSecretName ?? '';
  return withMachineRef(
    {
      ...host,
      metadata: {
        ...host.metadata,
        labels: {
          ...host.metadata.labels,
          [clusterNameLabel]: clusterNameOf(machine) ?? cluster.metadata.name ?? '',
          [machineNameLabel]: label,
        },
        annotations: {
          ...host.metadata.annotations,
          [endpointAnnotation]: cluster.spec?.controlPlaneEndpoint?.host ?? '',
          [versionAnnotation]: plainVersion(owner),
          [registryAnnotation]: byoCluster?.spec?.bundleLookupBaseRegistry ?? '',
          ...(label === `${namespace}.${name}` ? {} : { [machineNameAnnotation]: `${namespace}.${name}` }),
        },
      },
      spec: { ...host.spec, bootstrapSecret: { kind: 'Secret', namespace, name: bootstrap } },
    },
    machine,
  );
}

/** Completes the machineRef of a host whose claiming process died before it was written. */
function withMachineRef(host: ByoHost, { apiVersion, kind, metadata }: ByoMachine): ByoHost {
  if (host.status?.machineRef) return host;
  const { namespace = '', name = '', uid = '' } = metadata;
  return { ...host, status: { ...host.status, machineRef: { apiVersion, kind, namespace, name, uid } } };
}

/** A host of a machine that is not paused, and knows whose it is. One that is being cleaned up is left to its agent. */
export function resumeHost(host: ByoHost, machine: ByoMachine): ByoHost {
  if (Object.hasOwn(host.metadata.annotations ?? {}, cleanupAnnotation)) return withoutPause(host);
  return withMachineRef(withoutPause(host), machine);
}

export function pauseHost(host: ByoHost): ByoHost {
  return isPausedObject(host) ? host : withAnnotations(host, { ...host.metadata.annotations, [pausedAnnotation]: '' });
}

/** A host that is to be cleaned up: its agent sees the annotation. A paused one would never see it. */
export function releaseHost(host: ByoHost): ByoHost {
  const { annotations = {} } = host.metadata;
  if (Object.hasOwn(annotations, cleanupAnnotation)) return withoutPause(host);
  return withAnnotations(withoutPause(host), { ...withoutPause(host).metadata.annotations, [cleanupAnnotation]: '' });
}

function withoutPause(host: ByoHost): ByoHost {
  if (!isPausedObject(host)) return host;
  const { [pausedAnnotation]: _, ...annotations } = host.metadata.annotations ?? {};
  return withAnnotations(host, annotations);
}

function withAnnotations(host: ByoHost, annotations: Readonly<Record<string, string>>): ByoHost {
  return { ...host, metadata: { ...host.metadata, annotations } };
}
