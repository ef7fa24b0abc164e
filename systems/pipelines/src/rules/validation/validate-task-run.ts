import {
  disallowedField,
  type FieldErrors,
  genericError,
  invalidValue,
  missingOneOf,
  multipleOneOf,
  noFieldErrors,
} from '@tektite/controller/field-errors';
import type { TaskRef } from '../../kinds/resolver-reference.ts';
import type { TaskRun } from '../../kinds/task-run.ts';
import type { TaskRunDebug, TaskRunSpec } from '../../kinds/task-run-spec.ts';
import { allErrors } from './all-errors.ts';
import { gate, type Rules } from '../rules.ts';
import { type Override, validateEnv, validateOverrides } from './validate-overrides.ts';
import { validateInlineParams } from './validate-inline-params.ts';
import { validateMetadata } from './validate-metadata.ts';
import { validateUniqueNames } from './validate-names.ts';
import { validateRef } from './validate-ref.ts';
import { validateTaskSpec } from './validate-task.ts';
import { validateTaskRunUpdate } from './validate-task-run-update.ts';
import { validateWorkspaceBindings } from './validate-workspaces.ts';

/** The spec of a run in any version. */
type AnyTaskRunSpec = TaskRunSpec & {
  readonly resources?: unknown;
  readonly stepOverrides?: readonly Override[];
  readonly sidecarOverrides?: readonly Override[];
};

/** All that is wrong with a TaskRun, or with the change of one. */
export function validateTaskRun(run: TaskRun, old: TaskRun | undefined, rules: Rules): FieldErrors {
  const { metadata, spec, status } = run;
  const isLate = spec.status === 'TaskRunPending' && status?.startTime !== undefined;
  return validateMetadata(metadata)
    .also(isLate ? invalidValue('TaskRun cannot be Pending after it is started', 'spec.status') : undefined)
    .also(old ? validateTaskRunUpdate(spec, old, rules).viaField('spec') : undefined)
    .also(validateSpec(spec, rules).viaField('spec'));
}

function validateSpec(spec: AnyTaskRunSpec, rules: Rules): FieldErrors {
  const { params = [], workspaces = [], debug, podTemplate } = spec;
  return validateTaskOfRun(spec, rules)
    .also(
      validateUniqueNames(
        params.map(({ name }) => name),
        'key',
      ).viaField('params'),
    )
    .also(validateInlineParams(spec, rules))
    .also(validateWorkspaceBindings(workspaces).viaField('workspaces'))
    .also(debug ? validateDebug(debug, rules).viaField('debug') : undefined)
    .also(validateOverrides(spec, rules))
    .also(validateStatus(spec))
    .also(validateAmounts(spec, rules))
    .also(podTemplate ? validateEnv(podTemplate.env ?? [], rules) : undefined)
    .also(spec.resources === undefined ? undefined : disallowedField('resources'));
}

function validateTaskOfRun({ taskRef, taskSpec }: TaskRunSpec, rules: Rules): FieldErrors {
  let errors = noFieldErrors;
  if (!taskRef && !taskSpec) errors = missingOneOf('taskRef', 'taskSpec');
  if (taskRef && taskSpec) errors = multipleOneOf('taskRef', 'taskSpec');
  if (taskRef) errors = errors.also(validateTaskRef(taskRef, rules).viaField('taskRef'));
  if (!taskSpec) return errors;
  const isDisabled = rules.flags.disableInlineSpec.split(',').includes('taskrun');
  return errors
    .also(isDisabled ? disallowedField('taskSpec') : undefined)
    .also(validateTaskSpec(taskSpec, rules).viaField('taskSpec'));
}

/** Bundles were a way to refer to images; objects that have one from then may keep it. */
export function validateTaskRef(ref: TaskRef & { readonly bundle?: string }, rules: Rules): FieldErrors {
  return validateRef(ref, rules).also(ref.bundle && rules.isCreate ? disallowedField('bundle') : undefined);
}

function validateDebug({ breakpoints }: TaskRunDebug, rules: Rules): FieldErrors {
  const errors = noFieldErrors.also(gate(rules, 'debug', 'alpha'));
  if (!breakpoints) return errors;
  const { onFailure = '', beforeSteps = [] } = breakpoints;
  const only = 'only allowed to be set as enabled';
  const path = 'breakpoints.onFailure';
  const seen = new Set<string>();
  return errors.also(
    allErrors([
      onFailure === '' ? invalidValue(`onFailure breakpoint is empty, it is ${only}`, path) : undefined,
      onFailure === '' || onFailure === 'enabled'
        ? undefined
        : invalidValue(`${onFailure} is not a valid onFailure breakpoint value, onFailure breakpoint is ${only}`, path),
      ...beforeSteps.map((step, index) => {
        const message = `before step must be unique, the same step: ${step} is defined multiple times at`;
        const isDouble = seen.has(step);
        seen.add(step);
        return isDouble ? genericError(message, `breakpoints.beforeSteps[${index}]`) : undefined;
      }),
    ]),
  );
}

function validateStatus({ status = '', statusMessage = '' }: TaskRunSpec): FieldErrors | undefined {
  if (status === '') {
    const message = `statusMessage should not be set if status is not set, but it is currently set to ${statusMessage}`;
    return statusMessage === '' ? undefined : invalidValue(message, 'statusMessage');
  }
  if (status === 'TaskRunCancelled' || status === 'TaskRunPending') return undefined;
  return invalidValue(`${status} should be TaskRunCancelled or TaskRunPending`, 'status');
}

function validateAmounts({ retries = 0, timeout = '' }: TaskRunSpec, { version }: Rules): FieldErrors {
  return noFieldErrors.also(
    retries < 0 && version === 'v1' ? invalidValue(`${retries} should be >= 0`, 'retries') : undefined,
    timeout.startsWith('-') ? invalidValue(`${timeout} should be >= 0`, 'timeout') : undefined,
  );
}
