import type { StructKind } from '@tektite/schema/struct';
import {
  ClusterTriggerBinding,
  ClusterTriggerBindingV1alpha1,
  TriggerBinding,
  TriggerBindingV1alpha1,
} from './binding.ts';
import { EventListener, EventListenerV1alpha1 } from './event-listener.ts';
import { ClusterInterceptor, Interceptor } from './interceptor.ts';
import { TriggerTemplate, TriggerTemplateV1alpha1 } from './template.ts';
import { Trigger, TriggerV1alpha1 } from './trigger.ts';

/** The kinds that Tekton Triggers serves. Of a kind with versions, the first is the stored one. */
export const allKinds: readonly StructKind[] = [
  ClusterInterceptor,
  ClusterTriggerBinding,
  ClusterTriggerBindingV1alpha1,
  EventListener,
  EventListenerV1alpha1,
  Interceptor,
  Trigger,
  TriggerV1alpha1,
  TriggerBinding,
  TriggerBindingV1alpha1,
  TriggerTemplate,
  TriggerTemplateV1alpha1,
];
