import { go, type Struct, type StructValue } from '@tektite/schema/struct';

const podTemplateFields = {
  nodeSelector: go.map(go.string()),
  env: go.list(go.builtin('core/v1.EnvVar')),
  tolerations: go.list(go.builtin('core/v1.Toleration')),
  affinity: go.pointer(go.builtin('core/v1.Affinity')).schemaless(),
  securityContext: go.pointer(go.builtin('core/v1.PodSecurityContext')).schemaless(),
  volumes: go.list(go.builtin('core/v1.Volume')).named('pod.Volumes').schemaless(),
  runtimeClassName: go.pointer(go.string()),
  automountServiceAccountToken: go.pointer(go.bool()),
  dnsPolicy: go.pointer(go.string('v1.DNSPolicy')),
  dnsConfig: go.pointer(go.builtin('core/v1.PodDNSConfig')),
  enableServiceLinks: go.pointer(go.bool()),
  priorityClassName: go.pointer(go.string()),
  schedulerName: go.string(),
  imagePullSecrets: go.list(go.builtin('core/v1.LocalObjectReference')),
  hostAliases: go.list(go.builtin('core/v1.HostAlias')),
  hostNetwork: go.bool(),
  hostUsers: go.pointer(go.bool()),
  topologySpreadConstraints: go.list(go.builtin('core/v1.TopologySpreadConstraint')),
};
/** The settings of a run for the Pod that its steps run in. */
export interface PodTemplate extends StructValue<typeof podTemplateFields> {}
export const PodTemplate: Struct<PodTemplate> = go.struct('pod.Template', podTemplateFields);

const assistantFields = {
  nodeSelector: go.map(go.string()),
  tolerations: go.list(go.builtin('core/v1.Toleration')),
  imagePullSecrets: go.list(go.builtin('core/v1.LocalObjectReference')),
  securityContext: go.pointer(go.builtin('core/v1.PodSecurityContext')),
  priorityClassName: go.pointer(go.string()),
  serviceAccountName: go.string(),
};
/** The settings of a cluster for the Pods of affinity assistants. */
export interface AffinityAssistantTemplate extends StructValue<typeof assistantFields> {}
export const AffinityAssistantTemplate: Struct<AffinityAssistantTemplate> = go.struct(
  'pod.AffinityAssistantTemplate',
  assistantFields,
);
