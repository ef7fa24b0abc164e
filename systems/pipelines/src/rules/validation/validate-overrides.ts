import {
  type FieldErrors,
  invalidValue,
  missingField,
  multipleOneOf,
  noFieldErrors,
} from '@tektite/controller/field-errors';
import type { ResourceRequirements } from '@tektite/schema/kubernetes';
import { allErrors } from './all-errors.ts';
import { gate, type Rules } from '../rules.ts';
import { validateUniqueNames } from './validate-names.ts';

/** The overrides of one step or sidecar, under the name of each version. */
export interface Override {
  readonly name: string;
  readonly computeResources?: ResourceRequirements;
  readonly resources?: ResourceRequirements;
}

/** In any version. */
interface Overrides {
  readonly stepSpecs?: readonly Override[];
  readonly sidecarSpecs?: readonly Override[];
  readonly stepOverrides?: readonly Override[];
  readonly sidecarOverrides?: readonly Override[];
  readonly computeResources?: ResourceRequirements;
}

/** Validates the overrides of a run for its steps, sidecars and resources. */
export function validateOverrides(spec: Overrides, rules: Rules): FieldErrors {
  const isOld = rules.version === 'v1beta1';
  const stepField = isOld ? 'stepOverrides' : 'stepSpecs';
  const sidecarField = isOld ? 'sidecarOverrides' : 'sidecarSpecs';
  const steps: readonly Override[] | undefined = spec[stepField];
  const both = spec.computeResources && steps?.some((each) => isSet(each.computeResources ?? each.resources));
  return validateOverrideList(stepField, steps, rules)
    .also(validateOverrideList(sidecarField, spec[sidecarField], rules))
    .also(spec.computeResources ? gate(rules, 'computeResources', 'beta') : undefined)
    .also(both ? multipleOneOf(`${stepField}.resources`, 'computeResources') : undefined);
}

function validateOverrideList(field: string, list: readonly Override[] | undefined, rules: Rules): FieldErrors {
  if (!list) return noFieldErrors;
  // Those without a name do not count when the others are numbered.
  const names = list.map(({ name }) => name).filter((name) => name !== '');
  return noFieldErrors
    .also(gate(rules, field, 'beta'))
    .also(
      allErrors(
        list.map(({ name }, index) => (name === '' ? missingField('name').viaFieldIndex(field, index) : undefined)),
      ),
    )
    .also(validateUniqueNames(names, 'index').viaField(field));
}

function isSet(resources: ResourceRequirements | undefined): boolean {
  return resources !== undefined && Object.keys(resources).length > 0;
}

/** Variables that the settings forbid a Pod template to set. */
export function validateEnv(env: readonly { readonly name: string }[], { defaults }: Rules): FieldErrors {
  return allErrors(
    env
      .filter(({ name }) => defaults.forbiddenEnv.includes(name))
      .map(({ name }) => invalidValue(`PodTemplate cannot update a forbidden env: ${name}`, 'PodTemplate.Env')),
  );
}
