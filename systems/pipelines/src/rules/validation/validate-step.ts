import {
  detailedError,
  type FieldErrors,
  genericError,
  invalidValue,
  missingField,
  multipleOneOf,
  noFieldErrors,
} from '@tektite/controller/field-errors';
import { validateDns1123Label, quoteGo } from '@tektite/meta';
import type { Step } from '../../kinds/task-spec.ts';
import { allErrors } from './all-errors.ts';
import { gate, type Rules } from '../rules.ts';
import { validateRef } from './validate-ref.ts';
import { validateStepResults } from './validate-results.ts';
import { usesArtifacts, validateStepReferences } from './validate-step-references.ts';
import { knownVariables } from './validate-variables.ts';
import { validateWhen } from './validate-when.ts';
import { cleanPath } from './validate-workspaces.ts';

/** Steps with what their template says. */
export function validateSteps(steps: readonly Step[], rules: Rules): FieldErrors {
  const names = new Set<string>();
  return allErrors(
    steps.flatMap((step, index) => {
      const { name = '', results, when = [] } = step;
      const isDouble = name !== '' && names.has(name);
      names.add(name);
      return [
        validateStep(step, isDouble, rules).viaIndex(index),
        results ? validateResultsOfStep(step, index) : undefined,
        when.length > 0 ? validateWhen(when, rules).viaIndex(index) : undefined,
      ];
    }),
  );
}

/** The place of a result has its step behind `results`: so upstream has it. */
function validateResultsOfStep({ results = [], script = '' }: Step, index: number): FieldErrors {
  const known = knownVariables({ prefix: 'step.results', names: new Set(results.map(({ name }) => name)) });
  return noFieldErrors
    .also(known(script)?.viaField('script').viaIndex(index))
    .also(validateStepResults(results).viaIndex(index).viaField('results'));
}

function validateStep(step: Step, isDouble: boolean, rules: Rules): FieldErrors {
  const double = isDouble && rules.version === 'v1' ? multipleOneOf('name') : undefined;
  if (!rules.flags.enableArtifacts && usesArtifacts(step))
    return noFieldErrors.also(
      double,
      genericError('feature flag enable-artifacts should be set to true to use artifacts feature.', ''),
    );
  // A negative timeout replaces all errors that were found before.
  if (step.timeout?.startsWith('-')) return noFieldErrors.also(double, invalidValue(step.timeout, 'negative timeout'));
  return noFieldErrors
    .also(double)
    .also(step.ref ? validateStepWithRef(step, rules) : validateStepWithImage(step))
    .also(isDouble && !double ? invalidValue(step.name, 'name') : undefined)
    .also(validateName(step))
    .also(validateMounts(step))
    .also(validateOnError(step))
    .also(validateGates(step, rules))
    .also(validateStepReferences(step));
}

function validateStepWithRef(step: Step, rules: Rules): FieldErrors {
  const { image, command, args, script, workingDir, env, volumeMounts, results } = step;
  const not = (value: unknown, path: string, name = path) =>
    value === undefined ? undefined : genericError(`${name} cannot be used with Ref`, path);
  return validateRef(step.ref ?? {}, rules).also(
    not(image, 'image'),
    not(command, 'command'),
    not(args, 'args'),
    not(script, 'script'),
    not(workingDir, 'workingDir', 'working dir'),
    not(env, 'env'),
    not(volumeMounts, 'volumeMounts'),
    not(results, 'results'),
  );
}

function validateStepWithImage({ params = [], image, script, command = [] }: Step): FieldErrors {
  return noFieldErrors.also(
    params.length > 0 ? genericError('params cannot be used without Ref', 'params') : undefined,
    image ? undefined : missingField('Image'),
    script && command.length > 0 ? genericError('script cannot be used with command', 'script') : undefined,
  );
}

function validateName({ name = '' }: Step): FieldErrors | undefined {
  if (name === '' || validateDns1123Label(name).length === 0) return undefined;
  return detailedError({
    message: `invalid value ${quoteGo(name)}`,
    paths: ['name'],
    details:
      'Task step name must be a valid DNS Label, For more info refer to https://kubernetes.io/docs/concepts/overview/working-with-objects/names/#names',
  });
}

/** `/tekton` and the volumes there belong to the entrypoint. */
function validateMounts({ volumeMounts = [] }: Step): FieldErrors {
  return allErrors(
    volumeMounts.flatMap(({ name, mountPath }, index) => {
      const path = cleanPath(mountPath);
      const isOurs = path.startsWith('/tekton/') && !path.startsWith('/tekton/home');
      const under = `volumeMount cannot be mounted under /tekton/ (volumeMount ${quoteGo(name)} mounted at ${quoteGo(mountPath)})`;
      const called = `volumeMount name ${quoteGo(name)} cannot start with "tekton-internal-"`;
      return [
        isOurs ? genericError(under, 'mountPath').viaFieldIndex('volumeMounts', index) : undefined,
        name.startsWith('tekton-internal-')
          ? genericError(called, 'name').viaFieldIndex('volumeMounts', index)
          : undefined,
      ];
    }),
  );
}

function validateOnError({ onError = '' }: Step): FieldErrors | undefined {
  if (['', 'continue', 'stopAndFail'].includes(onError) || onError.startsWith('$(params')) return undefined;
  return detailedError({
    message: `invalid value: "${onError}"`,
    paths: ['onError'],
    details: 'Task step onError must be either "continue" or "stopAndFail"',
  });
}

function validateGates({ script = '', stdoutConfig, stderrConfig }: Step, rules: Rules): FieldErrors {
  return noFieldErrors.also(
    validateWindowsScript(script, rules),
    stdoutConfig ? gate(rules, 'step stdout stream support', 'alpha') : undefined,
    stderrConfig ? gate(rules, 'step stderr stream support', 'alpha') : undefined,
  );
}

export function validateWindowsScript(script: string, rules: Rules): FieldErrors | undefined {
  return script.trim().startsWith('#!win') ? gate(rules, 'windows script support', 'alpha') : undefined;
}
