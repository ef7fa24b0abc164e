import { controllerReference, type OwnerReference } from '@tektite/meta';
import type { ByoCluster } from '../../kinds/byo-cluster.ts';
import type { ByoMachine } from '../../kinds/byo-machine.ts';
import { type Cluster, isInfrastructureReady, type Machine } from '../../kinds/cluster-api.ts';
import { ownerOf } from '../../lookups.ts';
import { clusterApiGroup, machineOwnerFinalizer } from '../../wire-names.ts';

/** The owner that an infrastructure object lacks; undefined when it has one, which may be another's. */
export function missingOwner(
  object: ByoCluster | ByoMachine,
  owner: Cluster | Machine,
  kind: 'Cluster' | 'Machine',
): OwnerReference | undefined {
  if (object.metadata.deletionTimestamp !== undefined || ownerOf(object, clusterApiGroup, kind)) return undefined;
  return controllerReference({ ...owner, apiVersion: `${clusterApiGroup}/v1beta1`, kind });
}

/** The Cluster whose infrastructure is ready. It never goes back: machines of a Cluster outlive a restart of its ByoCluster. */
export function provisionedCluster(cluster: Cluster, byoCluster: ByoCluster | undefined): Cluster {
  if (isInfrastructureReady(cluster) || byoCluster?.status?.ready !== true) return cluster;
  return { ...cluster, status: { ...cluster.status, infrastructureReady: true, phase: 'Provisioned' } };
}

/** A Machine as one reconcile observes it, with what stands behind it. */
export interface OwnedMachine {
  readonly machine: Machine;
  readonly byoMachine: ByoMachine | undefined;
}

/** The next step of a Machine. */
export type MachineStep =
  | { readonly type: 'write'; readonly machine: Machine }
  /** The ByoMachine is deleted first, and gives its host back. */
  | { readonly type: 'deleteInfrastructure' }
  | { readonly type: 'wait' }
  | { readonly type: 'release' };

/** Follows Cluster API: a Machine holds its infrastructure, reports it, and is deleted after it. */
export function decideOwner({ machine, byoMachine }: OwnedMachine): MachineStep {
  const { deletionTimestamp, finalizers = [] } = machine.metadata;
  if (deletionTimestamp !== undefined) {
    if (!byoMachine) return { type: 'release' };
    return { type: byoMachine.metadata.deletionTimestamp === undefined ? 'deleteInfrastructure' : 'wait' };
  }
  const { providerID } = byoMachine?.spec ?? {};
  const isReady = byoMachine?.status?.ready === true && providerID !== undefined;
  const host = /byoh:\/\/([^/]+)\//.exec(providerID ?? '')?.[1];
  return {
    type: 'write',
    machine: {
      ...machine,
      metadata: {
        ...machine.metadata,
        finalizers: finalizers.includes(machineOwnerFinalizer) ? finalizers : [...finalizers, machineOwnerFinalizer],
      },
      spec: { ...machine.spec, ...(isReady ? { providerID } : {}) },
      status: {
        ...machine.status,
        bootstrapReady: Boolean(machine.spec?.bootstrap?.dataSecretName),
        infrastructureReady: isReady,
        phase: phaseOf(machine, byoMachine, isReady),
        ...(isReady && host !== undefined ? { nodeRef: { apiVersion: 'v1', kind: 'Node', name: host } } : {}),
        ...(byoMachine?.status?.addresses ? { addresses: byoMachine.status.addresses } : {}),
      },
    },
  };
}

function phaseOf(machine: Machine, byoMachine: ByoMachine | undefined, isReady: boolean): string {
  if (isReady) return 'Running';
  // It was a node, and its ByoMachine was deleted.
  if (machine.status?.nodeRef && !byoMachine) return 'Failed';
  return byoMachine && machine.spec?.bootstrap?.dataSecretName ? 'Provisioning' : 'Pending';
}
