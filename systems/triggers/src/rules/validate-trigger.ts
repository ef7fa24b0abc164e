import {
  type FieldErrors,
  invalidValue,
  missingField,
  missingOneOf,
  multipleOneOf,
  noFieldErrors,
} from '@tektite/controller/field-errors';
import type {
  TriggerInterceptor,
  TriggerObject,
  TriggerSpec,
  TriggerSpecBinding,
  TriggerSpecTemplate,
} from '../kinds/trigger.ts';
import { validateInterceptor, validateLegacyInterceptor } from './validate-interceptor.ts';
import { validateMetadata } from './validate-metadata.ts';
import { validateTemplateSpec } from './validate-template.ts';

export function validateTrigger({ metadata, spec }: TriggerObject, version: string): FieldErrors {
  return validateMetadata(metadata).also(validateSpec(spec, version).viaField('spec'));
}

function validateSpec({ bindings, template, interceptors }: TriggerSpec, version: string): FieldErrors {
  return validateBindings(bindings ?? [], version)
    .also(validateTemplate(template, version))
    .also(validateInterceptors(interceptors, version));
}

/** The interceptors of a trigger. What follows a null element is not reported. */
export function validateInterceptors(interceptors: readonly TriggerInterceptor[] = [], version: string): FieldErrors {
  const validate = version === 'v1alpha1' ? validateLegacyInterceptor : validateInterceptor;
  let errors = noFieldErrors;
  for (const [index, interceptor] of interceptors.entries()) {
    const path = `interceptors[${index}]`;
    if ((interceptor as TriggerInterceptor | null | undefined) == null)
      return errors.also(invalidValue("interceptor '<nil>' must be a valid value", path));
    errors = errors.also(validate(interceptor).viaField(path));
  }
  return errors;
}

export function validateTemplate({ apiversion = '', ref, spec }: TriggerSpecTemplate, version: string): FieldErrors {
  const known = version === 'v1alpha1' ? ['', 'v1alpha1'] : ['', 'v1alpha1', 'v1beta1'];
  const errors = known.includes(apiversion) ? noFieldErrors : invalidValue('invalid apiVersion', 'template.apiVersion');
  const either = ['template.spec', 'template.ref'];
  if (spec && ref !== undefined) return errors.also(multipleOneOf(...either));
  if (spec) return errors.also(validateTemplateSpec(spec));
  if (ref === undefined) return errors.also(missingOneOf(...either));
  return ref === '' ? errors.also(missingField('template.ref')) : errors;
}

export function validateBindings(bindings: readonly TriggerSpecBinding[], version: string): FieldErrors {
  return noFieldErrors.also(...bindings.map((binding, index) => validateBinding(binding, index, version)));
}

function validateBinding(binding: TriggerSpecBinding | null, index: number, version: string): FieldErrors {
  const { name = '', value, ref = '', kind } = binding ?? {};
  // The names of fields in v1alpha1's messages are those of Go.
  const path = (field: string) =>
    `bindings[${index}].${version === 'v1alpha1' ? field[0]?.toUpperCase() + field.slice(1) : field}`;
  if (ref !== '') {
    if (name !== '') return multipleOneOf(path('ref'), path('name'));
    const isKnown = kind === 'TriggerBinding' || kind === 'ClusterTriggerBinding';
    return isKnown ? noFieldErrors : invalidValue('invalid kind', `bindings[${index}].kind`);
  }
  if (name !== '') return value === undefined ? missingField(path('value')) : noFieldErrors;
  return missingOneOf(path('ref'), path('spec'), path('name'));
}
