import type { ObjectOf } from '@tektite/schema';
import { go, type Struct, type StructValue } from '@tektite/schema/struct';
import { Param } from './param.ts';
import { triggersKind } from './triggers-kind.ts';

const specFields = { params: go.list(Param) };
export interface TriggerBindingSpec extends StructValue<typeof specFields> {}
const TriggerBindingSpec: Struct<TriggerBindingSpec> = go.struct('TriggerBindingSpec', specFields);

const fields = {
  metadata: go.objectMeta(),
  spec: TriggerBindingSpec.required(),
  status: go.struct('TriggerBindingStatus', {}),
};
const bindingStruct = go.struct('TriggerBinding', fields);
const clusterBindingStruct = go.struct('ClusterTriggerBinding', fields);

const namespaced = {
  shortNames: ['tb'],
  struct: bindingStruct,
  description: 'Parameters that are read from events.',
} as const;
/** Parameters that are read from events. v1beta1 is the stored version. */
export const TriggerBinding = triggersKind({ version: 'v1beta1', ...namespaced });
export const TriggerBindingV1alpha1 = triggersKind({ version: 'v1alpha1', ...namespaced });
export interface TriggerBindingObject extends ObjectOf<typeof TriggerBinding> {}

const cluster = {
  scope: 'Cluster',
  shortNames: ['ctb'],
  struct: clusterBindingStruct,
  description: 'Parameters that are read from events, for all namespaces.',
} as const;
/** The same for all namespaces. */
export const ClusterTriggerBinding = triggersKind({ version: 'v1beta1', ...cluster });
export const ClusterTriggerBindingV1alpha1 = triggersKind({ version: 'v1alpha1', ...cluster });
