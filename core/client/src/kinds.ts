import type { KubeObject } from '@tektite/meta';
import type { Kind } from '@tektite/schema';
import { type BuiltinKind, findBuiltinKind } from '@tektite/schema/kubernetes';
import type * as k8s from '@tektite/schema/kubernetes';

/** A built-in kind as a typed value. The schema is made when it is first asked for. */
function inGroup(group: string, version: string): <T extends KubeObject>(kind: string) => Kind<T> {
  return (kind) => {
    const found = findBuiltinKind(group, version, kind);
    if (!found) throw new Error(`there is no built-in kind ${group}/${version} ${kind}`);
    return toKind(found);
  };
}

function toKind<T extends KubeObject>(builtin: BuiltinKind): Kind<T> {
  const has = (name: string) => builtin.subresources.some((subresource) => subresource.name === name);
  return {
    group: builtin.group,
    version: builtin.version,
    kind: builtin.kind,
    plural: builtin.plural,
    singular: builtin.singular,
    listKind: builtin.listKind ?? `${builtin.kind}List`,
    scope: builtin.namespaced ? 'Namespaced' : 'Cluster',
    shortNames: builtin.shortNames,
    categories: builtin.categories,
    get schema() {
      return builtin.schema;
    },
    columns: [],
    subresources: {
      ...(has('status') ? { status: {} } : {}),
      ...(has('scale')
        ? { scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } }
        : {}),
    },
    selectableFields: [],
  };
}

const core = inGroup('', 'v1');
const admission = inGroup('admissionregistration.k8s.io', 'v1');
const apps = inGroup('apps', 'v1');
const authentication = inGroup('authentication.k8s.io', 'v1');
const authorization = inGroup('authorization.k8s.io', 'v1');
const batch = inGroup('batch', 'v1');
const flowControl = inGroup('flowcontrol.apiserver.k8s.io', 'v1');
const networking = inGroup('networking.k8s.io', 'v1');
const rbac = inGroup('rbac.authorization.k8s.io', 'v1');
const resource = inGroup('resource.k8s.io', 'v1');
const storage = inGroup('storage.k8s.io', 'v1');

/**
 * The kinds that every Kubernetes API server has, in their preferred version, typed for the wire (times are strings).
 *
 * @example
 * const pod = await client.get(kinds.Pod, { namespace: 'default', name: 'web-0' });
 * pod.status?.phase; // string | undefined
 */
export const kinds = {
  Binding: core<k8s.Binding>('Binding'),
  ComponentStatus: core<k8s.ComponentStatus>('ComponentStatus'),
  ConfigMap: core<k8s.ConfigMap>('ConfigMap'),
  Endpoints: core<k8s.Endpoints>('Endpoints'),
  Event: core<k8s.Event>('Event'),
  LimitRange: core<k8s.LimitRange>('LimitRange'),
  Namespace: core<k8s.Namespace>('Namespace'),
  Node: core<k8s.Node>('Node'),
  PersistentVolume: core<k8s.PersistentVolume>('PersistentVolume'),
  PersistentVolumeClaim: core<k8s.PersistentVolumeClaim>('PersistentVolumeClaim'),
  Pod: core<k8s.Pod>('Pod'),
  PodTemplate: core<k8s.PodTemplate>('PodTemplate'),
  ReplicationController: core<k8s.ReplicationController>('ReplicationController'),
  ResourceQuota: core<k8s.ResourceQuota>('ResourceQuota'),
  Secret: core<k8s.Secret>('Secret'),
  Service: core<k8s.Service>('Service'),
  ServiceAccount: core<k8s.ServiceAccount>('ServiceAccount'),

  MutatingAdmissionPolicy: admission<k8s.MutatingAdmissionPolicy>('MutatingAdmissionPolicy'),
  MutatingAdmissionPolicyBinding: admission<k8s.MutatingAdmissionPolicyBinding>('MutatingAdmissionPolicyBinding'),
  MutatingWebhookConfiguration: admission<k8s.MutatingWebhookConfiguration>('MutatingWebhookConfiguration'),
  ValidatingAdmissionPolicy: admission<k8s.ValidatingAdmissionPolicy>('ValidatingAdmissionPolicy'),
  ValidatingAdmissionPolicyBinding: admission<k8s.ValidatingAdmissionPolicyBinding>('ValidatingAdmissionPolicyBinding'),
  ValidatingWebhookConfiguration: admission<k8s.ValidatingWebhookConfiguration>('ValidatingWebhookConfiguration'),

  CustomResourceDefinition: inGroup(
    'apiextensions.k8s.io',
    'v1',
  )<k8s.CustomResourceDefinition>('CustomResourceDefinition'),
  APIService: inGroup('apiregistration.k8s.io', 'v1')<k8s.APIService>('APIService'),

  ControllerRevision: apps<k8s.ControllerRevision>('ControllerRevision'),
  DaemonSet: apps<k8s.DaemonSet>('DaemonSet'),
  Deployment: apps<k8s.Deployment>('Deployment'),
  ReplicaSet: apps<k8s.ReplicaSet>('ReplicaSet'),
  StatefulSet: apps<k8s.StatefulSet>('StatefulSet'),

  SelfSubjectReview: authentication<k8s.SelfSubjectReview>('SelfSubjectReview'),
  TokenReview: authentication<k8s.TokenReview>('TokenReview'),
  LocalSubjectAccessReview: authorization<k8s.LocalSubjectAccessReview>('LocalSubjectAccessReview'),
  SelfSubjectAccessReview: authorization<k8s.SelfSubjectAccessReview>('SelfSubjectAccessReview'),
  SelfSubjectRulesReview: authorization<k8s.SelfSubjectRulesReview>('SelfSubjectRulesReview'),
  SubjectAccessReview: authorization<k8s.SubjectAccessReview>('SubjectAccessReview'),

  HorizontalPodAutoscaler: inGroup('autoscaling', 'v2')<k8s.HorizontalPodAutoscaler>('HorizontalPodAutoscaler'),
  CronJob: batch<k8s.CronJob>('CronJob'),
  Job: batch<k8s.Job>('Job'),
  CertificateSigningRequest: inGroup(
    'certificates.k8s.io',
    'v1',
  )<k8s.CertificateSigningRequest>('CertificateSigningRequest'),
  Lease: inGroup('coordination.k8s.io', 'v1')<k8s.Lease>('Lease'),
  EndpointSlice: inGroup('discovery.k8s.io', 'v1')<k8s.EndpointSlice>('EndpointSlice'),
  /** The newer form of {@link kinds.Event}; both show the same objects. */
  EventsV1Event: inGroup('events.k8s.io', 'v1')<k8s.EventsV1Event>('Event'),
  FlowSchema: flowControl<k8s.FlowSchema>('FlowSchema'),
  PriorityLevelConfiguration: flowControl<k8s.PriorityLevelConfiguration>('PriorityLevelConfiguration'),

  Ingress: networking<k8s.Ingress>('Ingress'),
  IngressClass: networking<k8s.IngressClass>('IngressClass'),
  IPAddress: networking<k8s.IPAddress>('IPAddress'),
  NetworkPolicy: networking<k8s.NetworkPolicy>('NetworkPolicy'),
  ServiceCIDR: networking<k8s.ServiceCIDR>('ServiceCIDR'),

  RuntimeClass: inGroup('node.k8s.io', 'v1')<k8s.RuntimeClass>('RuntimeClass'),
  PodDisruptionBudget: inGroup('policy', 'v1')<k8s.PodDisruptionBudget>('PodDisruptionBudget'),

  ClusterRole: rbac<k8s.ClusterRole>('ClusterRole'),
  ClusterRoleBinding: rbac<k8s.ClusterRoleBinding>('ClusterRoleBinding'),
  Role: rbac<k8s.Role>('Role'),
  RoleBinding: rbac<k8s.RoleBinding>('RoleBinding'),

  DeviceClass: resource<k8s.DeviceClass>('DeviceClass'),
  ResourceClaim: resource<k8s.ResourceV1ResourceClaim>('ResourceClaim'),
  ResourceClaimTemplate: resource<k8s.ResourceClaimTemplate>('ResourceClaimTemplate'),
  ResourceSlice: resource<k8s.ResourceSlice>('ResourceSlice'),

  PriorityClass: inGroup('scheduling.k8s.io', 'v1')<k8s.PriorityClass>('PriorityClass'),

  CSIDriver: storage<k8s.CSIDriver>('CSIDriver'),
  CSINode: storage<k8s.CSINode>('CSINode'),
  CSIStorageCapacity: storage<k8s.CSIStorageCapacity>('CSIStorageCapacity'),
  StorageClass: storage<k8s.StorageClass>('StorageClass'),
  VolumeAttachment: storage<k8s.VolumeAttachment>('VolumeAttachment'),
  VolumeAttributesClass: storage<k8s.VolumeAttributesClass>('VolumeAttributesClass'),
} as const;
