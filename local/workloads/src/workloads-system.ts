import type { ControllerDefinition, System } from '@tektite/controller';
import { bootstrapSignerController } from './bootstrap/bootstrap-signer-controller.ts';
import { tokenCleanerController } from './bootstrap/token-cleaner-controller.ts';
import { clusterRoleAggregation } from './cluster-roles/cluster-role-aggregation.ts';
import type { ComponentEvents } from './component-events.ts';
import { deploymentController } from './deployments/deployment-controller.ts';
import { replicaSetController, replicationController } from './replica-sets/replica-set-controller.ts';
import { nodeLifecycleController } from './nodes/node-lifecycle-controller.ts';
import { taintEvictionController } from './nodes/taint-eviction-controller.ts';
import { jobController } from './jobs/job-controller.ts';
import { ttlController } from './jobs/ttl-controller.ts';
import { claimController } from './volumes/claim-controller.ts';
import { attributesClassProtection, claimProtection, volumeProtection } from './volumes/protection-controllers.ts';
import { volumeController } from './volumes/volume-controller.ts';
import { statefulSetController } from './stateful-sets/stateful-set-controller.ts';
import { cronJobController } from './cron-jobs/cron-job-controller.ts';
import { daemonSetController } from './daemon-sets/daemon-set-controller.ts';
import { csrController } from './certificates/csr-controller.ts';
import { disruptionController } from './disruption/disruption-controller.ts';
import { endpointsController } from './endpoints/endpoints-controller.ts';
import { endpointSliceMirroringController } from './endpoints/mirroring-controller.ts';
import { quotaController } from './quotas/quota-controller.ts';
import { ephemeralClaims } from './volumes/ephemeral-claims.ts';
import { tokenController } from './service-accounts/token-controller.ts';
import { namespaceController } from './namespaces/namespace-controller.ts';
import { podCollectionController } from './pod-collection/pod-collection-controller.ts';
import { schedulerController } from './scheduler/scheduler-controller.ts';
import { rootCaController } from './service-accounts/root-ca-controller.ts';
import { serviceAccountController } from './service-accounts/service-account-controller.ts';
import type { WorkloadsOptions } from './workloads-options.ts';

/** The controllers of this room, as a system. `startWorkloads` runs it, and what does not fit into the form of a system. */
export function workloadsSystem(options: WorkloadsOptions, events: ComponentEvents): System {
  const { certificates, rootCertificate: given, storage } = options;
  const rootCertificate = typeof given === 'string' ? () => given : given;
  const volumeEvents = events.of('persistentvolume-controller');
  const controllers: ControllerDefinition[] = [
    namespaceController(options.client),
    serviceAccountController(),
    ...(rootCertificate ? [rootCaController(rootCertificate)] : []),
    tokenController(rootCertificate),
    clusterRoleAggregation(),
    podCollectionController(),
    replicaSetController(events.of('replicaset-controller')),
    replicationController(events.of('replication-controller')),
    deploymentController(events.of('deployment-controller')),
    statefulSetController(events.of('statefulset-controller')),
    daemonSetController(events.of('daemonset-controller')),
    cronJobController(events.of('cronjob-controller')),
    jobController(events.of('job-controller')),
    ttlController(),
    claimController(volumeEvents, storage),
    volumeController(volumeEvents, storage),
    claimProtection(),
    volumeProtection(),
    attributesClassProtection(),
    ephemeralClaims(events.of('ephemeral_volume')),
    endpointsController(),
    endpointSliceMirroringController(),
    disruptionController(),
    quotaController(),
    ...(certificates ? [csrController(certificates)] : []),
    bootstrapSignerController(),
    tokenCleanerController(),
    nodeLifecycleController(events.of('node-controller')),
    taintEvictionController(events.of('taint-eviction-controller')),
    schedulerController(events.of('default-scheduler', 'events.k8s.io/v1')),
  ];
  return { name: 'workloads', kinds: [], controllers };
}
