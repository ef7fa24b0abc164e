import type { KubeObject } from '@tektite/meta';
import type { KindStrategy } from '../kind-strategy.ts';
import { mutatingAdmissionPolicyStrategy } from './admissionregistration/mutating-admission-policy.ts';
import {
  mutatingAdmissionPolicyBindingStrategy,
  validatingAdmissionPolicyBindingStrategy,
} from './admissionregistration/policy-binding.ts';
import { validatingAdmissionPolicyStrategy } from './admissionregistration/validating-admission-policy.ts';
import {
  mutatingWebhookConfigurationStrategy,
  validatingWebhookConfigurationStrategy,
} from './admissionregistration/webhook-configuration.ts';
import { customResourceDefinitionStrategy } from './apiextensions/custom-resource-definition.ts';
import { apiServiceStrategy } from './apiregistration/api-service.ts';
import { controllerRevisionStrategy } from './apps/controller-revision.ts';
import { daemonSetStrategy } from './apps/daemon-set.ts';
import { deploymentStrategy } from './apps/deployment.ts';
import { replicaSetStrategy } from './apps/replica-set.ts';
import { statefulSetStrategy } from './apps/stateful-set.ts';
import {
  horizontalPodAutoscalerStrategy,
  horizontalPodAutoscalerV1Strategy,
} from './autoscaling/horizontal-pod-autoscaler.ts';
import { scaleStrategy } from './autoscaling/scale.ts';
import { cronJobStrategy } from './batch/cron-job.ts';
import { jobStrategy } from './batch/job.ts';
import { certificateSigningRequestStrategy } from './certificates/certificate-signing-request.ts';
import { leaseStrategy } from './coordination/lease.ts';
import { componentStatusStrategy } from './core/component-status.ts';
import { configMapStrategy } from './core/config-map.ts';
import { endpointsStrategy } from './core/endpoints.ts';
import { limitRangeStrategy } from './core/limit-range.ts';
import { namespaceStrategy } from './core/namespace.ts';
import { nodeStrategy } from './core/node.ts';
import { persistentVolumeClaimStrategy } from './core/persistent-volume-claim.ts';
import { persistentVolumeStrategy } from './core/persistent-volume.ts';
import { podTemplateStrategy } from './core/pod-template.ts';
import { podStrategy } from './core/pod/pod.ts';
import { replicationControllerStrategy } from './core/replication-controller.ts';
import { resourceQuotaStrategy } from './core/resource-quota.ts';
import { secretStrategy } from './core/secret/secret.ts';
import { serviceAccountStrategy } from './core/service-account.ts';
import { serviceStrategy } from './core/service/service.ts';
import { endpointSliceStrategy } from './discovery/endpoint-slice.ts';
import { coreEventStrategy, eventStrategy } from './events/event.ts';
import { flowSchemaStrategy } from './flowcontrol/flow-schema.ts';
import { priorityLevelConfigurationStrategy } from './flowcontrol/priority-level-configuration.ts';
import { ingressClassStrategy } from './networking/ingress-class.ts';
import { ingressStrategy } from './networking/ingress.ts';
import { ipAddressStrategy } from './networking/ip-address.ts';
import { networkPolicyStrategy } from './networking/network-policy.ts';
import { serviceCidrStrategy } from './networking/service-cidr.ts';
import { runtimeClassStrategy } from './node/runtime-class.ts';
import { podDisruptionBudgetStrategy } from './policy/pod-disruption-budget.ts';
import { clusterRoleBindingStrategy, roleBindingStrategy } from './rbac/binding.ts';
import { clusterRoleStrategy } from './rbac/cluster-role.ts';
import { roleStrategy } from './rbac/role.ts';
import {
  deviceClassStrategy,
  resourceClaimStrategy,
  resourceClaimTemplateStrategy,
  resourceSliceStrategy,
} from './resource/devices.ts';
import { priorityClassStrategy } from './scheduling/priority-class.ts';
import { csiDriverStrategy } from './storage/csi-driver.ts';
import { csiNodeStrategy } from './storage/csi-node.ts';
import { csiStorageCapacityStrategy } from './storage/csi-storage-capacity.ts';
import { storageClassStrategy } from './storage/storage-class.ts';
import { volumeAttachmentStrategy } from './storage/volume-attachment.ts';
import { volumeAttributesClassStrategy } from './storage/volume-attributes-class.ts';

/**
 * Strategies of one kind are written for its own type; the registry keeps them for objects of any type. The registry
 * never hands one an object of another kind.
 */
function forAnyObject<T extends KubeObject>(strategy: KindStrategy<T>): KindStrategy {
  return strategy as KindStrategy;
}

/** By `group/version/Kind`; the core group is the empty one. */
const strategies: ReadonlyMap<string, KindStrategy> = new Map([
  ['/v1/ComponentStatus', forAnyObject(componentStatusStrategy)],
  ['/v1/ConfigMap', forAnyObject(configMapStrategy)],
  ['/v1/Endpoints', forAnyObject(endpointsStrategy)],
  ['/v1/Event', forAnyObject(coreEventStrategy)],
  ['/v1/LimitRange', forAnyObject(limitRangeStrategy)],
  ['/v1/Namespace', forAnyObject(namespaceStrategy)],
  ['/v1/Node', forAnyObject(nodeStrategy)],
  ['/v1/PersistentVolume', forAnyObject(persistentVolumeStrategy)],
  ['/v1/PersistentVolumeClaim', forAnyObject(persistentVolumeClaimStrategy)],
  ['/v1/Pod', forAnyObject(podStrategy)],
  ['/v1/PodTemplate', forAnyObject(podTemplateStrategy)],
  ['/v1/ReplicationController', forAnyObject(replicationControllerStrategy)],
  ['/v1/ResourceQuota', forAnyObject(resourceQuotaStrategy)],
  ['/v1/Secret', forAnyObject(secretStrategy)],
  ['/v1/Service', forAnyObject(serviceStrategy)],
  ['/v1/ServiceAccount', forAnyObject(serviceAccountStrategy)],
  ['admissionregistration.k8s.io/v1/MutatingAdmissionPolicy', forAnyObject(mutatingAdmissionPolicyStrategy)],
  [
    'admissionregistration.k8s.io/v1/MutatingAdmissionPolicyBinding',
    forAnyObject(mutatingAdmissionPolicyBindingStrategy),
  ],
  ['admissionregistration.k8s.io/v1/MutatingWebhookConfiguration', forAnyObject(mutatingWebhookConfigurationStrategy)],
  ['admissionregistration.k8s.io/v1/ValidatingAdmissionPolicy', forAnyObject(validatingAdmissionPolicyStrategy)],
  [
    'admissionregistration.k8s.io/v1/ValidatingAdmissionPolicyBinding',
    forAnyObject(validatingAdmissionPolicyBindingStrategy),
  ],
  [
    'admissionregistration.k8s.io/v1/ValidatingWebhookConfiguration',
    forAnyObject(validatingWebhookConfigurationStrategy),
  ],
  ['apiextensions.k8s.io/v1/CustomResourceDefinition', forAnyObject(customResourceDefinitionStrategy)],
  ['apiregistration.k8s.io/v1/APIService', forAnyObject(apiServiceStrategy)],
  ['apps/v1/ControllerRevision', forAnyObject(controllerRevisionStrategy)],
  ['apps/v1/DaemonSet', forAnyObject(daemonSetStrategy)],
  ['apps/v1/Deployment', forAnyObject(deploymentStrategy)],
  ['apps/v1/ReplicaSet', forAnyObject(replicaSetStrategy)],
  ['apps/v1/StatefulSet', forAnyObject(statefulSetStrategy)],
  ['autoscaling/v1/HorizontalPodAutoscaler', forAnyObject(horizontalPodAutoscalerV1Strategy)],
  ['autoscaling/v1/Scale', forAnyObject(scaleStrategy)],
  ['autoscaling/v2/HorizontalPodAutoscaler', forAnyObject(horizontalPodAutoscalerStrategy)],
  ['batch/v1/CronJob', forAnyObject(cronJobStrategy)],
  ['batch/v1/Job', forAnyObject(jobStrategy)],
  ['certificates.k8s.io/v1/CertificateSigningRequest', forAnyObject(certificateSigningRequestStrategy)],
  ['coordination.k8s.io/v1/Lease', forAnyObject(leaseStrategy)],
  ['discovery.k8s.io/v1/EndpointSlice', forAnyObject(endpointSliceStrategy)],
  ['events.k8s.io/v1/Event', forAnyObject(eventStrategy)],
  ['flowcontrol.apiserver.k8s.io/v1/FlowSchema', forAnyObject(flowSchemaStrategy)],
  ['flowcontrol.apiserver.k8s.io/v1/PriorityLevelConfiguration', forAnyObject(priorityLevelConfigurationStrategy)],
  ['networking.k8s.io/v1/IPAddress', forAnyObject(ipAddressStrategy)],
  ['networking.k8s.io/v1/Ingress', forAnyObject(ingressStrategy)],
  ['networking.k8s.io/v1/IngressClass', forAnyObject(ingressClassStrategy)],
  ['networking.k8s.io/v1/NetworkPolicy', forAnyObject(networkPolicyStrategy)],
  ['networking.k8s.io/v1/ServiceCIDR', forAnyObject(serviceCidrStrategy)],
  ['node.k8s.io/v1/RuntimeClass', forAnyObject(runtimeClassStrategy)],
  ['policy/v1/PodDisruptionBudget', forAnyObject(podDisruptionBudgetStrategy)],
  ['rbac.authorization.k8s.io/v1/ClusterRole', forAnyObject(clusterRoleStrategy)],
  ['rbac.authorization.k8s.io/v1/ClusterRoleBinding', forAnyObject(clusterRoleBindingStrategy)],
  ['rbac.authorization.k8s.io/v1/Role', forAnyObject(roleStrategy)],
  ['rbac.authorization.k8s.io/v1/RoleBinding', forAnyObject(roleBindingStrategy)],
  ['resource.k8s.io/v1/DeviceClass', forAnyObject(deviceClassStrategy)],
  ['resource.k8s.io/v1/ResourceClaim', forAnyObject(resourceClaimStrategy)],
  ['resource.k8s.io/v1/ResourceClaimTemplate', forAnyObject(resourceClaimTemplateStrategy)],
  ['resource.k8s.io/v1/ResourceSlice', forAnyObject(resourceSliceStrategy)],
  ['scheduling.k8s.io/v1/PriorityClass', forAnyObject(priorityClassStrategy)],
  ['storage.k8s.io/v1/CSIDriver', forAnyObject(csiDriverStrategy)],
  ['storage.k8s.io/v1/CSINode', forAnyObject(csiNodeStrategy)],
  ['storage.k8s.io/v1/CSIStorageCapacity', forAnyObject(csiStorageCapacityStrategy)],
  ['storage.k8s.io/v1/StorageClass', forAnyObject(storageClassStrategy)],
  ['storage.k8s.io/v1/VolumeAttachment', forAnyObject(volumeAttachmentStrategy)],
  ['storage.k8s.io/v1/VolumeAttributesClass', forAnyObject(volumeAttributesClassStrategy)],
]);

/** The strategy of a built-in kind; `undefined` for kinds without one. */
export function strategyOf(group: string, version: string, kind: string): KindStrategy | undefined {
  return strategies.get(`${group}/${version}/${kind}`);
}
