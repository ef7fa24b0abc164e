import type { KubeObject } from '@tektite/meta';
import { customResourceDefinition, dynamicKind, type Kind } from '@tektite/schema';
import { clusterApiGroup } from '../wire-names.ts';
import type { ObjectReference } from './object-reference.ts';

/** As much of Cluster API's Cluster as is read here. */
export interface Cluster extends KubeObject {
  readonly spec?: {
    readonly paused?: boolean;
    readonly controlPlaneEndpoint?: { readonly host?: string; readonly port?: number };
    readonly infrastructureRef?: ObjectReference & { readonly apiGroup?: string };
  };
  readonly status?: {
    readonly infrastructureReady?: boolean;
    readonly phase?: string;
    readonly initialization?: { readonly infrastructureProvisioned?: boolean };
  };
}

/** As much of Cluster API's Machine as is read here. */
export interface Machine extends KubeObject {
  readonly spec?: {
    readonly clusterName?: string;
    readonly version?: string;
    readonly providerID?: string;
    readonly bootstrap?: { readonly dataSecretName?: string };
    readonly infrastructureRef?: ObjectReference & { readonly apiGroup?: string };
  };
  readonly status?: {
    readonly bootstrapReady?: boolean;
    readonly infrastructureReady?: boolean;
    readonly phase?: string;
    readonly nodeRef?: ObjectReference;
    readonly addresses?: readonly { readonly type: string; readonly address: string }[];
  };
}

function clusterApiKind<T extends KubeObject>(kind: string, plural: string, shortName: string): Kind<T> {
  const names = { group: clusterApiGroup, version: 'v1beta1', kind, plural, scope: 'Namespaced' } as const;
  return {
    ...dynamicKind<T>(names),
    shortNames: [shortName],
    subresources: { status: {} },
    definitionLabels: { 'cluster.x-k8s.io/v1beta1': 'v1beta1' },
  };
}

export const Cluster = clusterApiKind<Cluster>('Cluster', 'clusters', 'cl');
export const Machine = clusterApiKind<Machine>('Machine', 'machines', 'ma');

/**
 * Definitions of the two kinds for machines without Cluster API: they keep whatever is written. Objects and not kinds of the
 * system, because they must never replace those of a real Cluster API.
 */
export const clusterApiStubs: readonly KubeObject[] = [Cluster, Machine].map(
  (kind) => customResourceDefinition([kind as Kind]) as KubeObject,
);

/** Newer versions of Cluster API have moved the field. */
export function isInfrastructureReady({ status }: Cluster): boolean {
  return status?.infrastructureReady ?? status?.initialization?.infrastructureProvisioned ?? false;
}
