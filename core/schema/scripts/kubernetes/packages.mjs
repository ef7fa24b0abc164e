/**
 * The Go packages whose types are generated, with the types to start from; whatever these refer to belongs to the same
 * package unless an earlier one has it already. So the order matters: meta and core come first.
 *
 * `prefix` is how @kubernetes/client-node distinguishes models that have the same name in several groups.
 */
export const packages = [
  {
    name: 'meta/v1',
    roots:
      'ObjectMeta ListMeta Status LabelSelector Condition DeleteOptions CreateOptions UpdateOptions PatchOptions ' +
      'FieldSelectorRequirement APIGroup APIGroupList APIResourceList APIVersions WatchEvent',
  },
  {
    name: 'core/v1',
    prefix: 'Core',
    roots:
      'Binding ComponentStatus ConfigMap Endpoints Event LimitRange Namespace Node PersistentVolumeClaim ' +
      'PersistentVolume Pod PodTemplate ReplicationController ResourceQuota Secret ServiceAccount Service TopologySelectorTerm',
  },
  { name: 'apps/v1', roots: 'ControllerRevision DaemonSet Deployment ReplicaSet StatefulSet' },
  { name: 'batch/v1', roots: 'CronJob Job' },
  { name: 'rbac/v1', prefix: 'Rbac', roots: 'ClusterRole ClusterRoleBinding Role RoleBinding' },
  { name: 'coordination/v1', roots: 'Lease' },
  { name: 'events/v1', prefix: 'Events', roots: 'Event' },
  { name: 'apiextensions/v1', prefix: 'Apiextensions', roots: 'CustomResourceDefinition' },
  {
    name: 'admissionregistration/v1',
    prefix: 'Admissionregistration',
    roots:
      'ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding MutatingWebhookConfiguration ' +
      'ValidatingWebhookConfiguration MutatingAdmissionPolicy MutatingAdmissionPolicyBinding',
  },
  {
    name: 'storage/v1',
    prefix: 'Storage',
    roots: 'CSIDriver CSINode CSIStorageCapacity StorageClass VolumeAttachment VolumeAttributesClass',
  },
  { name: 'policy/v1', roots: 'PodDisruptionBudget Eviction' },
  { name: 'networking/v1', roots: 'Ingress IngressClass IPAddress NetworkPolicy ServiceCIDR' },
  { name: 'autoscaling/v1', roots: 'HorizontalPodAutoscaler Scale' },
  { name: 'autoscaling/v2', roots: 'HorizontalPodAutoscaler' },
  { name: 'certificates/v1', roots: 'CertificateSigningRequest' },
  { name: 'discovery/v1', prefix: 'Discovery', roots: 'EndpointSlice' },
  { name: 'scheduling/v1', roots: 'PriorityClass' },
  { name: 'authentication/v1', prefix: 'Authentication', roots: 'TokenReview TokenRequest SelfSubjectReview' },
  {
    name: 'authorization/v1',
    roots: 'SubjectAccessReview SelfSubjectAccessReview LocalSubjectAccessReview SelfSubjectRulesReview',
  },
  { name: 'node/v1', roots: 'RuntimeClass' },
  { name: 'flowcontrol/v1', prefix: 'Flowcontrol', roots: 'FlowSchema PriorityLevelConfiguration' },
  { name: 'apiregistration/v1', prefix: 'Apiregistration', roots: 'APIService' },
  {
    name: 'resource/v1',
    prefix: 'Resource',
    roots: 'DeviceClass ResourceClaim ResourceClaimTemplate ResourceSlice',
  },
];
