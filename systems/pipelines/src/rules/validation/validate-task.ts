import {
  disallowedField,
  type FieldErrors,
  genericError,
  missingField,
  noFieldErrors,
} from '@tektite/controller/field-errors';
import { quoteGo } from '@tektite/meta';
import type { Volume } from '@tektite/schema/kubernetes';
import type { TaskObject } from '../../kinds/kinds.ts';
import type { Sidecar, Step, TaskResult, TaskSpec } from '../../kinds/task-spec.ts';
import { allErrors } from './all-errors.ts';
import { mergedSteps } from './merged-steps.ts';
import type { Rules } from '../rules.ts';
import { checkSteps } from './step-texts.ts';
import { validateMetadata } from './validate-metadata.ts';
import {
  validateKnownVariables,
  validateParamTypes,
  validateParamUsage,
  validateParamVariables,
} from './validate-params.ts';
import { validateTaskResults } from './validate-results.ts';
import { validateSteps } from './validate-step.ts';
import { knownVariables } from './validate-variables.ts';
import { validateDeclaredWorkspaces, validateWorkspaceUsage } from './validate-workspaces.ts';

/** All that is wrong with a Task. */
export function validateTask({ metadata, spec }: TaskObject, rules: Rules): FieldErrors {
  return validateMetadata(metadata)
    .also(validateTaskSpec(spec, rules).viaField('spec'))
    .also(validateParamUsage(spec.params ?? [], mergedSteps(spec, rules), rules).viaField('spec'));
}

/** A Task's spec, also inside of a run. Whether its parameters are declared is another matter: a run may bring some. */
export function validateTaskSpec(spec: TaskSpec, rules: Rules): FieldErrors {
  const { volumes = [], sidecars = [], params = [], results = [] } = spec;
  const steps = mergedSteps(spec, rules);
  return noFieldErrors
    .also(steps.length === 0 ? missingField('steps') : undefined)
    .also(validateVolumes(volumes).viaField('volumes'))
    .also(validateDeclaredWorkspaces(spec).viaField('workspaces'))
    .also(validateWorkspaceUsage(spec, rules))
    .also(validateSteps(steps, rules).viaField('steps'))
    .also(
      rules.version === 'v1' ? validateSidecars(sidecars).viaField('sidecars') : reservedNames(sidecars, 'sidecars'),
    )
    .also(validateParamTypes(params).viaField('params'))
    .also(validateParamVariables(params, steps, rules))
    .also(validateContextVariables(steps, rules))
    .also(validateResultVariables(steps, results, rules))
    .also(validateTaskResults(results).viaField('results'))
    .also('resources' in spec ? disallowedField('resources') : undefined);
}

function validateVolumes(volumes: readonly Volume[]): FieldErrors {
  const names = new Set<string>();
  return allErrors(
    volumes.map(({ name }, index) => {
      const isDouble = names.has(name);
      names.add(name);
      const double = `multiple volumes with same name ${quoteGo(name)}`;
      return isDouble ? genericError(double, 'name').viaIndex(index) : undefined;
    }),
  );
}

function validateSidecars(sidecars: readonly Sidecar[]): FieldErrors {
  return reservedNames(sidecars, 'name').also(
    allErrors(
      sidecars.map(({ image, script, command = [] }) =>
        noFieldErrors.also(
          image ? undefined : missingField('image'),
          script && command.length > 0 ? genericError('script cannot be used with command', 'script') : undefined,
        ),
      ),
    ),
  );
}

/** The sidecar that reads results has its name for itself. */
function reservedNames(sidecars: readonly Sidecar[], path: string): FieldErrors {
  return allErrors(
    sidecars
      .filter(({ name }) => name === 'tekton-log-results')
      .map(({ name }) => genericError(`Invalid: cannot use reserved sidecar name ${name} `, path)),
  );
}

const runContext = { prefix: 'context.taskRun', names: new Set(['name', 'namespace', 'uid']) };
const taskContext = { prefix: 'context.task', names: new Set(['name', 'retry-count']) };

function validateContextVariables(steps: readonly Step[], rules: Rules): FieldErrors {
  return validateKnownVariables(steps, runContext, rules).also(validateKnownVariables(steps, taskContext, rules));
}

function validateResultVariables(
  steps: readonly Step[],
  results: readonly TaskResult[],
  { version }: Rules,
): FieldErrors {
  const known = { prefix: 'results', names: new Set(results.map(({ name }) => name)) };
  const check = knownVariables(known, version !== 'v1');
  return checkSteps(steps, ({ script = '' }) => noFieldErrors.also(check(script)?.viaField('script')));
}
