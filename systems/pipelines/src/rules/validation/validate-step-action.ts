import {
  type FieldErrors,
  genericError,
  invalidValue,
  missingField,
  noFieldErrors,
} from '@tektite/controller/field-errors';
import type { VolumeMount } from '@tektite/schema/kubernetes';
import type { StepActionObject } from '../../kinds/kinds.ts';
import type { ParamSpec } from '../../kinds/param.ts';
import type { StepActionSpec } from '../../kinds/step-action-spec.ts';
import { allErrors } from './all-errors.ts';
import type { Rules } from '../rules.ts';
import { validateDefaultReferences } from './validate-default-references.ts';
import { validateMetadata } from './validate-metadata.ts';
import {
  keysOf,
  objectsHaveProperties,
  paramsOfType,
  validateParamNames,
  validateParamTypes,
} from './validate-params.ts';
import { validateStepResults } from './validate-results.ts';
import { validateWindowsScript } from './validate-step.ts';
import {
  isolatedVariables,
  knownVariables,
  prohibitedVariables,
  prohibitedWholes,
  type TextCheck,
} from './validate-variables.ts';
import { expressionsIn } from '../../substitution/variable-references.ts';

/** All that is wrong with a StepAction. */
export function validateStepAction({ metadata, spec }: StepActionObject, rules: Rules): FieldErrors {
  return validateMetadata(metadata).also(validateSpec(spec, rules).viaField('spec'));
}

function validateSpec(spec: StepActionSpec, rules: Rules): FieldErrors {
  const { image, script = '', params = [], results = [], volumeMounts = [] } = spec;
  return noFieldErrors
    .also(image ? undefined : missingField('Image'))
    .also(validateScript(spec, rules))
    .also(validateUsage(spec, params))
    .also(validateParamTypes(params).viaField('params'))
    .also(validateParamNames(params))
    .also(rules.version === 'v1alpha1' ? validateDefaultReferences(params) : undefined)
    .also(
      allErrors(
        ['step.results', 'results'].map((prefix) =>
          knownVariables({ prefix, names: namesOf(results) })(script)?.viaField('script'),
        ),
      ),
    )
    .also(validateStepResults(results).viaField('results'))
    .also(validateMounts(volumeMounts, params).viaField('volumeMounts'));
}

const namesOf = (list: readonly { readonly name: string }[]) => new Set(list.map(({ name }) => name));

/** Parameters never appear in scripts: their author could run anything. */
function validateScript({ script = '', command = [] }: StepActionSpec, rules: Rules): FieldErrors {
  if (script === '') return noFieldErrors;
  return noFieldErrors.also(
    command.length > 0 ? genericError('script cannot be used with command', 'script') : undefined,
    validateWindowsScript(script, rules),
    expressionsIn(script, 'params').length > 0
      ? genericError('param substitution in scripts is not allowed.', 'script')
      : undefined,
  );
}

function validateUsage(spec: StepActionSpec, params: readonly ParamSpec[]): FieldErrors {
  const objects = params.filter(({ type }) => type === 'object');
  const arrays = paramsOfType(params, 'array');
  const known = knownVariables({ prefix: 'params', names: namesOf(params) });
  const whole = prohibitedWholes(paramsOfType(params, 'object'));
  return checkTexts(spec, known)
    .also(allErrors(objects.map((object) => checkTexts(spec, knownVariables(keysOf(object))))))
    .also(checkTexts(spec, whole))
    .also(objectsHaveProperties(params))
    .also(checkTexts(spec, prohibitedVariables(arrays), isolatedVariables(arrays)));
}

function checkTexts(spec: StepActionSpec, text: TextCheck, item = text): FieldErrors {
  const { image = '', script = '', command = [], args = [], env = [], volumeMounts = [] } = spec;
  return allErrors([
    text(image)?.viaField('image'),
    text(script)?.viaField('script'),
    ...command.map((each, index) => item(each)?.viaFieldIndex('command', index)),
    ...args.map((each, index) => item(each)?.viaFieldIndex('args', index)),
    ...env.map(({ name, value = '' }) => text(value)?.viaFieldKey('env', name)),
    ...volumeMounts.map(({ name }, index) => text(name)?.viaFieldIndex('volumeMounts', index)),
  ]);
}

/** The Task decides which volume is mounted. Only the first error is reported. */
function validateMounts(mounts: readonly VolumeMount[], params: readonly ParamSpec[]): FieldErrors {
  const known = knownVariables({ prefix: 'params', names: namesOf(params) });
  let errors = noFieldErrors;
  for (const [index, { name }] of mounts.entries()) {
    const found = expressionsIn(name, 'params');
    if (found.length !== 1 || found[0] !== name)
      return errors.also(invalidValue(name, 'name', 'expect the Name to be a single param reference').viaIndex(index));
    errors = errors.also(known(name)?.viaIndex(index));
  }
  return errors;
}
