import type { ConfigDefaults } from '../config/config-defaults.ts';
import type { EventListenerObject, EventListenerTrigger } from '../kinds/event-listener.ts';
import type { ClusterInterceptorObject } from '../kinds/interceptor.ts';
import type { TriggerInterceptor, TriggerObject, TriggerSpecBinding } from '../kinds/trigger.ts';
import { referenceOf } from './deprecated-interceptor.ts';

/** The defaults of a Trigger. v1alpha1 also replaces deprecated forms of interceptors. */
export function defaultTrigger(trigger: TriggerObject, version: string): TriggerObject {
  return { ...trigger, spec: withDefaults(trigger.spec, version) };
}

/** The defaults of an EventListener: its service account, and those of its triggers. */
export function defaultEventListener(
  listener: EventListenerObject,
  { serviceAccount }: Pick<ConfigDefaults, 'serviceAccount'>,
  version: string,
): EventListenerObject {
  const { triggers, triggerGroups, resources, serviceAccountName } = listener.spec;
  const kubernetesResource = resources?.kubernetesResource;
  return {
    ...listener,
    spec: {
      ...listener.spec,
      ...(serviceAccountName === undefined && serviceAccount !== '' ? { serviceAccountName: serviceAccount } : {}),
      ...(triggers ? { triggers: triggers.map((trigger) => withDefaults(trigger, version)) } : {}),
      ...(triggerGroups
        ? { triggerGroups: triggerGroups.map((group) => ({ ...group, ...defaultInterceptors(group, version) })) }
        : {}),
      ...(kubernetesResource?.replicas === 0
        ? { resources: { ...resources, kubernetesResource: { ...kubernetesResource, replicas: 1 } } }
        : {}),
    },
  };
}

/** An interceptor that does not say how it is served is served over plain HTTP. Upstream drops its other labels. */
export function defaultInterceptorObject(interceptor: ClusterInterceptorObject): ClusterInterceptorObject {
  const { metadata } = interceptor;
  if (Object.hasOwn(metadata.labels ?? {}, 'server/type')) return interceptor;
  return { ...interceptor, metadata: { ...metadata, labels: { 'server/type': 'http' } } };
}

function withDefaults<T extends Pick<EventListenerTrigger, 'bindings' | 'interceptors'>>(
  trigger: T,
  version: string,
): T {
  const { bindings } = trigger;
  return {
    ...trigger,
    ...(bindings ? { bindings: bindings.map(defaultBinding) } : {}),
    ...defaultInterceptors(trigger, version),
  };
}

/** An element may be null: validation reports it. */
function defaultBinding(binding: TriggerSpecBinding): TriggerSpecBinding {
  return (binding as TriggerSpecBinding | null) && binding.kind === undefined
    ? { ...binding, kind: 'TriggerBinding' }
    : binding;
}

function defaultInterceptors(
  { interceptors }: Pick<EventListenerTrigger, 'interceptors'>,
  version: string,
): Pick<EventListenerTrigger, 'interceptors'> {
  if (!interceptors) return {};
  return {
    interceptors: interceptors.map((interceptor) => {
      if ((interceptor as TriggerInterceptor | null) === null) return interceptor;
      const { ref } = interceptor;
      const named = { ...interceptor, ref: { ...ref, kind: ref.kind ?? 'ClusterInterceptor' } };
      return version === 'v1alpha1' ? referenceOf(named) : named;
    }),
  };
}
