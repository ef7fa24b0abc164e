import type { ObjectOf } from '@tektite/schema';
import { go, knativeStatusFields, type Struct, type StructValue } from '@tektite/schema/struct';
import { TriggerInterceptor, TriggerSpecBinding, TriggerSpecTemplate } from './trigger.ts';
import { triggersKind } from './triggers-kind.ts';
import { UrlText } from './url-text.ts';

const namespaceSelectorFields = { matchNames: go.list(go.string()) };
/** Namespaces by name; `*` alone is all of them. */
export interface NamespaceSelector extends StructValue<typeof namespaceSelectorFields> {}
const NamespaceSelector: Struct<NamespaceSelector> = go.struct('NamespaceSelector', namespaceSelectorFields);
const labelSelector = go.pointer(go.builtin('meta/v1.LabelSelector'));

const triggerFields = {
  bindings: go.list(go.pointer(TriggerSpecBinding)),
  template: go.pointer(TriggerSpecTemplate),
  triggerRef: go.string(),
  name: go.string(),
  interceptors: go.list(go.pointer(TriggerInterceptor)),
  serviceAccountName: go.string(),
};
/** A trigger that is written in the listener, or a reference to one. */
export interface EventListenerTrigger extends StructValue<typeof triggerFields> {}
const EventListenerTrigger: Struct<EventListenerTrigger> = go.struct('EventListenerTrigger', triggerFields);

const triggerSelectorFields = { namespaceSelector: NamespaceSelector, labelSelector };
export interface TriggerSelector extends StructValue<typeof triggerSelectorFields> {}
const TriggerSelector: Struct<TriggerSelector> = go.struct('EventListenerTriggerSelector', triggerSelectorFields);

const groupFields = {
  name: go.string().required(),
  interceptors: go.list(go.pointer(TriggerInterceptor)).always(),
  triggerSelector: TriggerSelector.required(),
};
/** Interceptors that run once for all triggers that the group selects. */
export interface TriggerGroup extends StructValue<typeof groupFields> {}
const TriggerGroup: Struct<TriggerGroup> = go.struct('EventListenerTriggerGroup', groupFields);

const podSpecFields = { template: go.builtin('core/v1.PodTemplateSpec').named('v1.PodSpecable') };
const kubernetesFields = {
  replicas: go.pointer(go.int32()),
  serviceType: go.string('v1.ServiceType'),
  servicePort: go.pointer(go.int32()).only('v1beta1'),
  serviceLoadBalancerClass: go.pointer(go.string()).only('v1beta1'),
  spec: go.struct('v1.WithPodSpec', podSpecFields),
};
/** The Service of the listener, and settings of the Pod that upstream runs for it. */
export interface KubernetesResource extends StructValue<typeof kubernetesFields> {}
const KubernetesResource: Struct<KubernetesResource> = go.struct('KubernetesResource', kubernetesFields);

const resourcesFields = {
  kubernetesResource: go.pointer(KubernetesResource),
  customResource: go.pointer(go.rawExtension<Readonly<Record<string, unknown>>>()),
};
export interface Resources extends StructValue<typeof resourcesFields> {}
const Resources: Struct<Resources> = go.struct('Resources', resourcesFields);

const specFields = {
  serviceAccountName: go.string(),
  triggers: go.list(EventListenerTrigger),
  triggerGroups: go.list(TriggerGroup).only('v1beta1'),
  namespaceSelector: NamespaceSelector,
  labelSelector,
  resources: Resources,
  cloudEventURI: go.string().only('v1beta1'),
};
/** v1alpha1 prints its list of triggers even when there are none. */
const specFieldsV1alpha1 = { ...specFields, triggers: specFields.triggers.always() };
export interface EventListenerSpec extends StructValue<typeof specFields> {}
const EventListenerSpec: Struct<EventListenerSpec> = go.struct('EventListenerSpec', specFields);

const addressFields = { url: go.pointer(UrlText), hostname: go.string().legacy('v1alpha1') };
const statusStructFields = {
  ...knativeStatusFields,
  ...go.embed('AddressStatus', { address: go.pointer(go.struct('v1beta1.Addressable', addressFields)) }),
  configuration: go.struct('EventListenerConfig', { generatedName: go.string().required() }).always(),
};
export interface EventListenerStatus extends StructValue<typeof statusStructFields> {}
const EventListenerStatus: Struct<EventListenerStatus> = go.struct('EventListenerStatus', statusStructFields);

const metadata = go.objectMeta();
const condition = (type: string, field: string) => `.status.conditions[?(@.type=='${type}')].${field}`;
const columns = [
  { name: 'Address', type: 'string', jsonPath: '.status.address.url' },
  { name: 'Available', type: 'string', jsonPath: condition('Available', 'status') },
  { name: 'Reason', type: 'string', jsonPath: condition('Available', 'reason') },
  { name: 'Ready', type: 'string', jsonPath: condition('Ready', 'status') },
  { name: 'Reason', type: 'string', jsonPath: condition('Ready', 'reason') },
] as const;
const shortNames = ['el'];
const description = 'An address for events, and the triggers that react to them.';

/** Where events arrive, and the triggers that react to them. v1beta1 is the stored version. */
export const EventListener = triggersKind({
  version: 'v1beta1',
  shortNames,
  columns,
  description,
  struct: go.struct('EventListener', { metadata, spec: EventListenerSpec.required(), status: EventListenerStatus }),
});
export const EventListenerV1alpha1 = triggersKind({
  version: 'v1alpha1',
  shortNames,
  columns,
  description,
  struct: go.struct('EventListener', {
    metadata,
    spec: go.struct('EventListenerSpec', specFieldsV1alpha1).required(),
    status: EventListenerStatus,
  }),
});
export interface EventListenerObject extends ObjectOf<typeof EventListener> {}
