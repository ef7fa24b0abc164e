import type { EnvVar, PodSpec, Volume } from '@tektite/schema/kubernetes';

/** What a run may say about the Pod that its steps run in. */
export interface PodTemplate
  extends Pick<
    PodSpec,
    | 'nodeSelector'
    | 'tolerations'
    | 'affinity'
    | 'securityContext'
    | 'runtimeClassName'
    | 'automountServiceAccountToken'
    | 'dnsPolicy'
    | 'dnsConfig'
    | 'enableServiceLinks'
    | 'priorityClassName'
    | 'schedulerName'
    | 'imagePullSecrets'
    | 'hostAliases'
    | 'hostNetwork'
    | 'hostUsers'
    | 'topologySpreadConstraints'
  > {
  readonly env?: readonly EnvVar[];
  readonly volumes?: readonly Volume[];
}

/** What the settings may say about the Pods of affinity assistants. */
export type AffinityAssistantTemplate = Pick<
  PodSpec,
  'nodeSelector' | 'tolerations' | 'imagePullSecrets' | 'securityContext' | 'priorityClassName' | 'serviceAccountName'
>;
