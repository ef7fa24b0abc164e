import type { ControllerDefinition, System } from '@tektite/controller';
import { clusterRoleAggregation } from './cluster-roles/cluster-role-aggregation.ts';
import type { ComponentEvents } from './component-events.ts';
import { namespaceController } from './namespaces/namespace-controller.ts';
import { podCollectionController } from './pod-collection/pod-collection-controller.ts';
import { rootCaController } from './service-accounts/root-ca-controller.ts';
import { serviceAccountController } from './service-accounts/service-account-controller.ts';
import type { WorkloadsOptions } from './workloads-options.ts';

/** The controllers of this room, as a system. `startWorkloads` runs it, and what does not fit into the form of a system. */
export function workloadsSystem(options: WorkloadsOptions, _events: ComponentEvents): System {
  const { rootCertificate } = options;
  const controllers: ControllerDefinition[] = [
    namespaceController(options.client),
    serviceAccountController(),
    ...(rootCertificate ? [rootCaController(rootCertificate)] : []),
    clusterRoleAggregation(),
    podCollectionController(),
  ];
  return { name: 'workloads', kinds: [], controllers };
}
