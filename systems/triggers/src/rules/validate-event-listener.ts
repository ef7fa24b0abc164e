import {
  type FieldErrors,
  invalidValue,
  missingField,
  missingOneOf,
  multipleOneOf,
  noFieldErrors,
} from '@tektite/controller/field-errors';
import { validateLabelValue } from '@tektite/meta';
import type {
  EventListenerObject,
  EventListenerSpec,
  EventListenerTrigger,
  TriggerGroup,
} from '../kinds/event-listener.ts';
import { validateCustomResource, validateKubernetesResource } from './validate-resources.ts';
import { validateBindings, validateInterceptors, validateTemplate } from './validate-trigger.ts';

/** The Service is named `el-` and the name of the listener. */
const maxNameLength = 60;
export const payloadValidationAnnotation = 'tekton.dev/payload-validation';

export function validateEventListener({ metadata, spec }: EventListenerObject, version: string): FieldErrors {
  const { name = '', annotations = {} } = metadata;
  const tooLong = `eventListener name '${name}' must be no more than 60 characters long`;
  const wanted = annotations[payloadValidationAnnotation];
  const unknown = `${payloadValidationAnnotation} annotation must have value 'true' or 'false'`;
  return noFieldErrors
    .also(Buffer.byteLength(name) > maxNameLength ? invalidValue(tooLong, 'metadata.name') : undefined)
    .also(
      wanted === undefined || wanted === 'true' || wanted === 'false'
        ? undefined
        : invalidValue(unknown, 'metadata.annotations'),
    )
    .also(validateSpec(spec, version));
}

function validateSpec(spec: EventListenerSpec, version: string): FieldErrors {
  const { labelSelector, namespaceSelector, triggerGroups = [], resources = {} } = spec;
  const triggers = spec.triggers ?? [];
  const hasNames = (namespaceSelector?.matchNames ?? []).length > 0;
  if (!labelSelector && !hasNames && triggerGroups.length === 0 && triggers.length === 0) {
    const groups = version === 'v1alpha1' ? [] : ['spec.triggerGroups'];
    return missingOneOf('spec.labelSelector', 'spec.namespaceSelector', ...groups, 'spec.triggers');
  }
  const { kubernetesResource, customResource } = resources;
  const at = 'spec.resources';
  // Upstream reports this alone.
  if (kubernetesResource && customResource !== undefined)
    return multipleOneOf(`${at}.kubernetesResource`, `${at}.customResource`);
  return noFieldErrors
    .also(...triggers.map((trigger, index) => validateOne(trigger, version).viaField(`spec.triggers[${index}]`)))
    .also(
      kubernetesResource &&
        validateKubernetesResource(kubernetesResource, version).viaField(`${at}.kubernetesResource`),
    )
    .also(customResource && validateCustomResource(customResource, version).viaField(`${at}.customResource`))
    .also(...triggerGroups.map((group, index) => validateGroup(group).viaField(`spec.triggerGroups[${index}]`)));
}

function validateGroup({ triggerSelector, interceptors }: TriggerGroup): FieldErrors {
  const { labelSelector, namespaceSelector } = triggerSelector;
  const selects = labelSelector !== undefined || (namespaceSelector?.matchNames ?? []).length > 0;
  return noFieldErrors
    .also(selects ? undefined : missingOneOf('triggerSelector.labelSelector', 'triggerSelector.namespaceSelector'))
    .also((interceptors ?? []).length === 0 ? missingField('interceptors') : undefined);
}

function validateOne(trigger: EventListenerTrigger, version: string): FieldErrors {
  const { template, triggerRef = '', bindings, interceptors, name = '' } = trigger;
  const hasInline = template !== undefined || bindings !== undefined || interceptors !== undefined;
  const errors = noFieldErrors
    .also(!template && triggerRef === '' ? missingOneOf('template', 'triggerRef') : undefined)
    .also(
      triggerRef !== '' && hasInline ? multipleOneOf('triggerRef', 'template or bindings or interceptors') : undefined,
    )
    .also(validateBindings(bindings ?? [], version))
    .also(template && validateTemplate(template, version))
    .also(validateInterceptors(interceptors, version));
  // Upstream stops at an interceptor that is null.
  if (interceptors?.some((interceptor) => (interceptor as unknown) == null)) return errors;
  if (validateLabelValue(name).length === 0) return errors;
  return errors.also(invalidValue(`trigger name '${name}' must be a valid label value`, 'name'));
}
